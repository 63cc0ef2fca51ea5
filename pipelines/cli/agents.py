"""`tidegate agents`: who there is."""

from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Json, Org, Timeout

if TYPE_CHECKING:
    from pipelines.produce import Record, Refusal, Report

_COLUMNS = ("org", "agent", "home_space", "producer", "hosted", "shared_learning", "tools")


def load(
    file: Annotated[str, typer.Argument(help="JSON, one agent a line, gzipped or not; - is standard input.", metavar="FILE")],
    org: Org = None,
    timeout: Timeout = TIMEOUT_SECONDS,
    as_json: Json = False,
) -> None:
    """Say who there is: one agent a line, with its home space and what it may share.

    Returns once the change is on the agents' logs, so that every gate it touches is judged anew, and `agents list` shows it. With --json
    prints what was loaded, whole. Exit status 4 where a line was refused.
    """
    from pipelines.lines import numbered, open_input
    from pipelines.principals import changing
    from pipelines.produce import Refusal, parsed, send
    from pipelines.wait import behind, until_read
    from schemas.jsonform import dump
    from schemas.records import Principal

    settings = engines.read_settings()
    asked = engines.Engines(settings)
    loaded: list[Principal] = []

    def taken(report: "Report", line: int, record: "Record | Refusal") -> None:
        if isinstance(record, Principal):
            loaded.append(record)
        elif isinstance(record, Refusal):
            output.of_line(file, line, record.field, record.error)

    with open_input(file) as source, changing(settings), output.progress() as shown:
        producer = asked.producer()
        asked.offsets.ends(["principals"])
        given = {"org": org or settings.org}
        lines = parsed(numbered(source), "principals", {k: v for k, v in given.items() if v})
        known = asked.directory()
        records = ((number, known.with_keys(record) if isinstance(record, Principal) else record) for number, record in lines)
        report = send(records, "principals", producer, settings.prefix, asked.signer, taken)
        if report.failure:
            raise report.failure
        if report.sent:
            asked.until_saved()
            until_read(asked.offsets, "scan", behind(report.sent), timeout, shown.show)
            until_read(asked.offsets, "sink", asked.offsets.ends(["learnings"]), timeout, shown.show)
    if as_json:
        output.rows((dump(principal) for principal in loaded), _COLUMNS, as_json=True)
    output.say(f"{len(report.sent)} loaded, {len(report.refused)} refused")
    if report.refused:
        raise typer.Exit(exits.PARTLY_REFUSED)


def listing(org: Org = None, as_json: Json = False) -> None:
    """List the agents that are known: those that were loaded, and with defaults those that a run or an outcome told of."""
    from sinks.caller import agents

    settings = engines.read_settings()
    known = org or settings.org
    if not output.rows(agents(engines.Engines(settings).clickhouse, known), _COLUMNS, as_json=as_json):
        output.say(f"no agent of {known} is known" if known else "no agent is known")
