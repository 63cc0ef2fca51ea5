"""`tidegate produce`."""

from collections import Counter
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Agent, Json, Org, Timeout

if TYPE_CHECKING:
    from pipelines.produce import Record, Report
    from pipelines.wait import Part


class Raw(StrEnum):
    """What can be produced."""

    RUNS = "runs"
    OUTCOMES = "outcomes"


def produce(
    what: Annotated[Raw, typer.Argument(help="What the file holds.")],
    file: Annotated[str, typer.Argument(help="JSON, one record a line, gzipped or not; - is standard input.", metavar="FILE")],
    org: Org = None,
    agent: Agent = None,
    wait: Annotated[bool, typer.Option("--wait", help="Return once every part has come to its end and can be read.")] = False,
    timeout: Timeout = TIMEOUT_SECONDS,
    as_json: Json = False,
) -> None:
    """Check the records of a file and send them. --org and --agent stand in where a line names none.

    Exit status 4 where a line was refused or, with --wait, a part ended refused or dead-lettered.
    """
    from pipelines.lines import numbered, open_input
    from pipelines.produce import Refusal, produce
    from pipelines.wait import FAILED
    from schemas.validate import unheeded

    settings = engines.read_settings()
    asked = engines.Engines(settings)
    if wait:
        _ = asked.clickhouse  # says at once where nobody could be asked later
    defaults = {"org": org or settings.org, "agent": agent or settings.agent}
    with open_input(file) as source, output.progress() as shown:

        def taken(report: "Report", line: int, record: "Record | Refusal") -> None:
            shown.show(f"sending {what}", report.read, None)
            if not isinstance(record, Refusal):
                for odd in unheeded(record):
                    output.of_line(file, line, odd.field, odd.detail)
            elif not as_json:
                output.of_line(file, line, record.field, record.error)

        producer = asked.producer()
        asked.offsets.ends([what])  # says so where the topic is not there, instead of waiting for it
        given = {name: value for name, value in defaults.items() if value}
        report = produce(numbered(source), what, producer, settings.prefix, asked.signer, given, taken)
    ended: list[Part] | None = None
    try:
        if report.sent:
            asked.until_saved()
        if report.failure:
            raise report.failure
        if wait:
            ended = wait_for(asked, report, timeout) if report.sent else []
    finally:
        failed = [part for part in ended or () if part.end in FAILED]
        if not as_json:
            for part in failed:
                output.of_line(file, part.line, None, f"{part.part} of {part.id} ended {part.end.replace('_', '-')}: {part.reason}")
        _print(report, ended, failed, as_json)  # whatever comes of the wait, this was sent
    if report.refused or failed:
        raise typer.Exit(exits.PARTLY_REFUSED)


def wait_for(asked: engines.Engines, report: "Report", timeout: float) -> "list[Part]":
    """How each part of what was sent has ended, once all have. Raises Failure where nothing moves for `timeout` seconds."""
    from pipelines.wait import until_ended, until_shown
    from sinks.queries import ends

    client = asked.clickhouse
    with output.progress() as shown:
        until_shown(asked.offsets, report.sent, timeout, shown.show)
        return until_ended(report.sent, lambda ids: ends(client, ids), timeout, shown.show)


def _print(report: "Report", ended: "list[Part] | None", failed: "list[Part]", as_json: bool) -> None:
    from pipelines.wait import ENDS

    result: dict[str, Any] = {"read": report.read, "sent": len(report.sent)}
    counts = Counter(part.end for part in ended or ())
    counted = None if ended is None else {end: counts[end] for end in ENDS}
    if as_json:
        result["refused"] = [{"line": r.line, "field": r.field, "error": r.error} for r in report.refused]
        result["receipts"] = [{"line": sent.line, "id": sent.receipt} for sent in report.sent]
        output.json_line(result if counted is None else result | {"ended": counted, "failed": [asdict(part) for part in failed]})
        return
    result["refused"] = len(report.refused)
    print(", ".join(f"{number} {name}" for name, number in result.items()))
    if counted is not None:
        print("parts: " + ", ".join(f"{number} {end.replace('_', '-')}" for end, number in counted.items() if number or end == "stored"))
