"""The engine process of `up`: the one owner of the embedded ClickHouse, with the sink, its HTTP front and the HTTP interface (DESIGN, "The
engines")."""

import logging
import os
import signal
from contextlib import ExitStack
from threading import Event

from pipelines import runtime, secret
from pipelines.api.server import deployment, serving
from pipelines.child import READY_LINE
from pipelines.kafka import client_config, consumer_config, producer_config
from pipelines.seat import seat
from pipelines.settings import load
from sinks import door, meaning
from sinks.engine import serve


def main() -> None:
    """Serve until TERM, on the ports that `up` chose; print a line `ready` when queries are answered and the sink has its part."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    settings = load(os.environ)
    ends = runtime.resolve(settings)
    token = ends.token
    assert token is not None  # `up` made it
    secret.agree(client_config(settings, ends.brokers), settings, "sink")
    clickhouse = settings.data / "clickhouse"
    assert settings.api_port is not None  # `up` chose it
    port = settings.api_port

    with seat(settings.data, "sink") as name, ExitStack() as beside:

        def ready(_: int) -> None:
            # Its readers have handles of their own in this process, so no question waits for the sink.
            served = deployment(settings, ends, f"chdb://{door.path_of(clickhouse)}")
            beside.enter_context(serving(served, settings.api_host, port, stop))
            print(READY_LINE.decode(), flush=True)

        serve(
            clickhouse,
            token,
            int(ends.clickhouse_dsn.rpartition(":")[2]),
            consumer_config(settings, ends.brokers, settings.prefix + "sink") | {"group.instance.id": name},
            producer_config(settings, ends.brokers),
            settings.prefix,
            settings.need_secret(),
            settings.half_life_days,
            meaning.load(settings.meaning),
            ready,
            stop,
        )


if __name__ == "__main__":
    main()
