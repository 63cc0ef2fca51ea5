"""`tidegate status`."""

from dataclasses import asdict
from typing import Annotated

import typer

from pipelines.cli import engines, output
from pipelines.cli.options import Json


def status(
    partitions: Annotated[bool, typer.Option("--partitions", help="A row for each partition, in place of one for each group.")] = False,
    as_json: Json = False,
) -> None:
    """How far each agent and the sink are behind, whether there is nothing left to do, and how what came in has ended so far.

    The last line says whether all are idle: no group, the sink's included, has a record left to read. --json has a row for each partition.
    """
    from pipelines.readers import READERS
    from pipelines.status import groups, lags
    from sinks.queries import totals

    asked = engines.Engines(engines.read_settings())
    found = lags(asked.offsets)
    counts = totals(asked.clickhouse)
    idle = not any(row.lag for row in found)
    ends = {name: counts.get(name, 0) for name in ("stored", "held", "dead_lettered", "refused")}
    members = asked.offsets.members(READERS)
    if as_json:
        output.rows(map(asdict, found), (), as_json=True)
        output.json_line({"idle": idle, **ends, "members": members})
        return
    if partitions:
        shown = (asdict(row) for row in found if row.end)
        output.rows(shown, ("group", "topic", "partition", "end", "committed", "lag"), as_json=False)
    else:
        stand = (asdict(group) | {"behind": ", ".join(group.behind) or None} for group in groups(found, members))
        output.rows(stand, ("group", "members", "left", "behind"), as_json=False)
    if missing := [group for group in READERS if not members[group]]:
        print(f"nobody runs {', '.join(missing)}")
    print("idle: nothing is left to read" if idle else f"busy: {sum(row.lag for row in found)} records are left to read", end="; ")
    print("parts " + ", ".join(f"{name.replace('_', '-')} {number}" for name, number in ends.items()))
