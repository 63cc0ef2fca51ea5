"""`tidegate status`."""

from dataclasses import asdict

from pipelines.cli import engines, output
from pipelines.cli.options import Json


def status(as_json: Json = False) -> None:
    """How far each agent and the sink are behind, whether there is nothing left to do, and how what came in has ended so far.

    The last line says whether all are idle: no group, the sink's included, has a record left to read.
    """
    from pipelines.status import lags
    from sinks.queries import totals

    asked = engines.Engines(engines.read_settings())
    found = lags(asked.offsets)
    counts = totals(asked.clickhouse)
    idle = not any(row.lag for row in found)
    last = {"idle": idle, **{name: counts.get(name, 0) for name in ("stored", "held", "dead_lettered")}}
    shown = (asdict(row) for row in found if as_json or row.end)
    output.rows(shown, ("group", "topic", "partition", "end", "committed", "lag"), as_json=as_json)
    if as_json:
        output.json_line(last)
    else:
        behind = "idle: nothing is left to read" if idle else f"busy: {sum(row.lag for row in found)} records are left to read"
        print(f"{behind}; parts stored {last['stored']}, held {last['held']}, dead-lettered {last['dead_lettered']}")
