"""The engine process of `up`: the one owner of the embedded ClickHouse, with the sink and its HTTP front (DESIGN, "The engines")."""

import os

from pipelines import runtime
from pipelines.child import READY_LINE
from pipelines.kafka import consumer_config
from pipelines.settings import load
from sinks.engine import serve


def main() -> None:
    """Serve until TERM, on the port that `up` wrote down; print a line `ready` when queries are answered and the sink has its part."""
    settings = load(os.environ)
    ends = runtime.resolve(settings)
    port = int(ends.clickhouse_dsn.rpartition(":")[2])
    token = ends.token
    assert token is not None  # `up` made it
    serve(
        settings.data / "clickhouse",
        token,
        port,
        consumer_config(settings, ends.brokers, settings.prefix + "sink"),
        settings.prefix,
        lambda _: print(READY_LINE.decode(), flush=True),
    )


if __name__ == "__main__":
    main()
