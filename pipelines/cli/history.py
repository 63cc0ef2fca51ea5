"""`tidegate history` and `tidegate why`: one learning's versions, and what its newest says of the gate."""

from decimal import ROUND_UP, Decimal, InvalidOperation
from typing import Annotated

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import Agent, Branch, Json, Org

Entry = Annotated[str, typer.Argument(help="Entry key: entity_path/key.", metavar="ENTRY")]

_VERSION = (
    "version",
    "at",
    "cause",
    "state",
    "crossing",
    "confidence",
    "evidence_status",
    "applied",
    "helpful",
    "success_count",
    "failure_count",
    "trust",
    "tier",
)


def history(entry: Entry, org: Org = None, agent: Agent = None, branch: Branch = "main", as_json: Json = False) -> None:
    """Every version of a learning, oldest first. Exit status 1 where the agent has no such entry."""
    from sinks.queries import history

    settings = engines.read_settings()
    of = engines.org_of(settings, org), engines.agent_of(settings, agent)
    versions = history(engines.Engines(settings).clickhouse, *of, branch, entry)
    if output.rows(versions, _VERSION, as_json=as_json) == 0:
        nothing(entry, *of)


def why(entry: Entry, org: Org = None, agent: Agent = None, branch: Branch = "main", as_json: Json = False) -> None:
    """Why a learning does or does not cross: each condition of the gate, with its figure, what is needed, and what it lacks.

    Exit status 1 where the agent has no such entry.
    """
    from sinks.queries import gate

    settings = engines.read_settings()
    of = engines.org_of(settings, org), engines.agent_of(settings, agent)
    conditions = gate(engines.Engines(settings).clickhouse, *of, branch, entry)
    told = ({**row, "missing": None if row["holds"] else missing(row["figure"], row["needed"])} for row in conditions)
    if output.rows(told, ("condition", "holds", "figure", "needed", "missing"), as_json=as_json) == 0:
        nothing(entry, *of)


def missing(figure: str, needed: str) -> str:
    """What a condition that does not hold lacks: how much of a number, else what the figure would have to be."""
    try:
        lacks = Decimal(needed) - Decimal(figure)
    except InvalidOperation:
        return needed
    amount = lacks if lacks == lacks.to_integral_value() else lacks.quantize(Decimal("0.0001"), ROUND_UP)
    return f"{abs(amount)} {'more' if lacks > 0 else 'fewer'}"


def nothing(entry: str, org: str, agent: str) -> None:
    """Say that there is no such entry, and end with status 1."""
    output.say(f"{agent} of {org} has no entry {entry}")
    raise typer.Exit(exits.NO)
