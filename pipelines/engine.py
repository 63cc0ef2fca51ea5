"""The engine process of `up`: the one owner of the embedded ClickHouse, with the sink and its HTTP front (DESIGN, "The engines")."""

import logging
import os
import signal
from threading import Event

from pipelines import runtime, secret
from pipelines.child import READY_LINE
from pipelines.kafka import client_config, consumer_config, producer_config
from pipelines.seat import seat
from pipelines.settings import load
from sinks.engine import serve


def main() -> None:
    """Serve until TERM, on the port that `up` wrote down; print a line `ready` when queries are answered and the sink has its part."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    settings = load(os.environ)
    ends = runtime.resolve(settings)
    token = ends.token
    assert token is not None  # `up` made it
    secret.agree(client_config(settings, ends.brokers), settings, "sink")
    with seat(settings.data, "sink") as name:
        serve(
            settings.data / "clickhouse",
            token,
            int(ends.clickhouse_dsn.rpartition(":")[2]),
            consumer_config(settings, ends.brokers, settings.prefix + "sink") | {"group.instance.id": name},
            producer_config(settings, ends.brokers),
            settings.prefix,
            settings.need_secret(),
            settings.half_life_days,
            lambda _: print(READY_LINE.decode(), flush=True),
            stop,
        )


if __name__ == "__main__":
    main()
