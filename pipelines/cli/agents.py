"""`tidegate agents`: who there is."""

from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Json, Org, Timeout
from pipelines.errors import Unreachable

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

    Returns once the change is on the agents' logs: every gate that it touches is judged anew. With --json prints what was loaded,
    whole. Exit status 4 where a line was refused.
    """
    from pipelines.lines import numbered, open_input
    from pipelines.produce import Refusal, produce
    from pipelines.wait import until_read
    from schemas.jsonform import dump
    from schemas.records import Principal

    settings = engines.read_settings()
    asked = engines.Engines(settings)
    loaded: list[Principal] = []

    def taken(report: "Report", record: "Record | Refusal") -> None:
        if isinstance(record, Principal):
            loaded.append(record)
        elif isinstance(record, Refusal):
            output.refused(file, record.line, record.field, record.error)

    with open_input(file) as source, output.progress() as shown:
        producer = asked.producer()
        asked.offsets.ends(["principals"])
        given = {"org": org or settings.org}
        report = produce(numbered(source), "principals", producer, settings.prefix, {k: v for k, v in given.items() if v}, taken)
        if report.failure:
            raise Unreachable(report.failure)
        targets: dict[tuple[str, int], int] = {}
        for sent in report.sent:
            place = (sent.topic, sent.partition)
            targets[place] = max(targets.get(place, 0), sent.offset + 1)
        until_read(asked.offsets, "scan", targets, timeout, shown.show)
    if as_json:
        output.rows((dump(principal) for principal in loaded), _COLUMNS, as_json=True)
    output.say(f"{len(report.sent)} loaded, {len(report.refused)} refused")
    if report.refused:
        raise typer.Exit(exits.PARTLY_REFUSED)


def show(org: Org = None, as_json: Json = False) -> None:
    """List the agents that were loaded."""
    from pipelines.principals import known
    from schemas.jsonform import dump

    settings = engines.read_settings()
    asked = engines.Engines(settings)
    of = org or settings.org
    found = (p for p in known(asked.kafka, asked.offsets, settings.prefix) if of is None or p.org == of)
    output.rows(map(dump, found), _COLUMNS, as_json=as_json)
