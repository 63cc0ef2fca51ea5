"""`tidegate sink`."""

import signal
from threading import Event

from pipelines.cli import engines
from pipelines.errors import SettingsError


def sink() -> None:
    """Run the sink, which keeps a ClickHouse server up to date. Prints `ready` once its tables are there; TERM or Ctrl-C stops it.

    `tidegate up` runs one of its own.
    """
    from pipelines import secret
    from pipelines.child import READY_LINE
    from pipelines.kafka import consumer_config, producer_config
    from pipelines.seat import seat
    from sinks import meaning, migrate, reading
    from sinks.client import connect
    from sinks.sink import run

    settings = engines.read_settings()
    if settings.clickhouse is None:
        raise SettingsError("TIDEGATE_CLICKHOUSE is not set: this command is for a ClickHouse server; `tidegate up` runs a sink of its own")
    asked = engines.Engines(settings)
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    secret.agree(asked.kafka, settings, "sink")
    brokers = asked.endpoints.brokers
    client = connect(asked.endpoints.clickhouse_dsn, asked.endpoints.token, create=True)
    migrate.forwards(client)
    reading.tell(client, settings.half_life_days)
    print(READY_LINE.decode(), flush=True)
    with seat(settings.data, "sink") as name:
        run(
            client,
            consumer_config(settings, brokers, settings.prefix + "sink") | {"group.instance.id": name},
            producer_config(settings, brokers),
            settings.prefix,
            settings.need_secret(),
            meaning.load(settings.meaning),
            stop,
        )
