"""`tidegate explain`: which outcome moved a learning's evidence, and by how much."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from pipelines.cli import engines, output
from pipelines.cli.history import Entry, nothing
from pipelines.cli.options import Agent, Branch, Json, Org

_COLUMNS = ("version", "at", "cause", "of", "result", "helped", "weight", "confidence", "applied", "helpful", "evidence_status", "why")
_WHY = {
    "wording_replaced": "moved nothing: it is about a wording that has been replaced",
    "not_applied": "moved nothing: it was not applied",
    "unknown_entry": "moved nothing: it names a version that never came",
    "waiting": "waits for the version that it names",
}


def explain(
    entry: Entry,
    org: Org = None,
    agent: Agent = None,
    branch: Branch = "main",
    plot: Annotated[Path | None, typer.Option(help="Draw confidence over time into this file.", metavar="FILE.svg", dir_okay=False)] = None,
    as_json: Json = False,
) -> None:
    """Why a learning's figures are what they are: version by version, what moved them and what moved nothing.

    Exit status 1 where the agent has no such entry.
    """
    from sinks.queries import explain

    settings = engines.read_settings()
    of = engines.org_of(settings, org), engines.agent_of(settings, agent)
    rows = explain(engines.Engines(settings).clickhouse, *of, branch, entry)
    shown = rows if as_json else [_readable(row) for row in rows]
    if output.rows(shown, _COLUMNS, as_json=as_json) == 0:
        nothing(entry, *of)
    if plot is not None:
        from pipelines.cli.plot import confidence

        plot.write_text(confidence(entry, rows), encoding="utf-8")
        output.say(f"drawn into {plot}")


def _readable(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for people: confidence before and after in one column, and why in words."""
    before, after = row["confidence_before"], row["confidence"]
    moved = output.plain(after) if before is None or before == after else f"{output.plain(before)} → {output.plain(after)}"
    reason = row["reason"]
    return {**row, "of": row["cause_id"], "confidence": moved, "why": _WHY.get(reason, reason) if reason else ""}
