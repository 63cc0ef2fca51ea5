"""`tidegate import`: runs of other runtimes, as these keep them."""

from collections import Counter
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Agent, Json, Org, Timeout

if TYPE_CHECKING:
    from pipelines.importers.parsed import Imported, Skipped, Source
    from pipelines.produce import Report
    from pipelines.wait import Part


class Format(StrEnum):
    """What can be imported."""

    CLAUDE_CODE = "claude-code"
    OTEL = "otel"
    SWE_AGENT = "swe-agent"
    OPENAI = "openai"
    PLAYBOOK = "playbook"


def import_(
    form: Annotated[Format, typer.Argument(help="How the files were written.", metavar="FORMAT")],
    files: Annotated[list[str], typer.Argument(help="Files, gzipped or not; - is standard input.", metavar="FILE…")],
    org: Org = None,
    agent: Agent = None,
    session: Annotated[str | None, typer.Option(help="Session of runs whose file names none.", metavar="SESSION")] = None,
    area: Annotated[
        str | None, typer.Option(help="Work area of the runs; of a playbook also where its entries stand.", metavar="AREA")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the runs as JSON lines, and send nothing.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Return once every part has come to its end and can be read.")] = False,
    timeout: Timeout = TIMEOUT_SECONDS,
    as_json: Json = False,
) -> None:
    """Import what other runtimes have recorded: claude-code, otel, swe-agent, openai; or a playbook's bullets.

    Each goal becomes a run. What can't be taken is named with its line and reason, and the rest goes on: exit status 4 then. A file that is
    imported again ends as duplicate.
    """
    settings = engines.read_settings()
    found = _read(form, files, engines.org_of(settings, org), engines.agent_of(settings, agent), session, area)
    if dry_run or not as_json:
        for part in found.skipped:
            output.of_line(part.file, part.line, part.field, part.reason)
    if dry_run:
        _show(found)
    else:
        _send(engines.Engines(settings), found, wait, timeout, as_json)


def _read(form: Format, files: list[str], org: str, agent: str, session: str | None, area: str | None) -> "Imported":
    from pipelines.importers import claude_code, openai, otel, playbook, swe_agent
    from pipelines.importers.parsed import Author

    readers = {
        Format.CLAUDE_CODE: claude_code.read,
        Format.OTEL: otel.read,
        Format.SWE_AGENT: swe_agent.read,
        Format.OPENAI: openai.read,
        Format.PLAYBOOK: playbook.read,
    }
    return readers[form](_sources(files), Author(org, agent, session, area))


def _sources(files: list[str]) -> "list[Source]":
    import zlib

    from pipelines.errors import SettingsError
    from pipelines.importers.parsed import Source
    from pipelines.lines import open_input

    sources = []
    for file in files:
        with open_input(file) as opened:
            try:
                sources.append(Source(file, opened.read()))
            except (EOFError, zlib.error, OSError) as error:  # gzip.BadGzipFile is an OSError
                raise SettingsError(f"{file} can't be read: it is damaged, or no file") from error
    return sources


def _show(found: "Imported") -> None:
    from schemas.jsonform import dump

    for run in found.runs:
        output.json_line({name: value for name, value in dump(run.run).items() if value not in (None, [], {})})
    output.say(f"{output.counted(len(found.runs), 'run')}, {output.counted(len(found.skipped), 'part')} skipped; nothing was sent")
    if found.skipped:
        raise typer.Exit(exits.PARTLY_REFUSED)


def _send(asked: engines.Engines, found: "Imported", wait: bool, timeout: float, as_json: bool) -> None:
    from pipelines.cli.produce import wait_for
    from pipelines.importers.parsed import Skipped
    from pipelines.produce import Refusal, send
    from pipelines.wait import FAILED
    from schemas import validate

    if wait:
        _ = asked.clickhouse  # says at once where nobody could be asked later
    skipped = list(found.skipped)

    def taken(report: "Report", number: int, record: object) -> None:
        shown.show("sending runs", report.read, len(found.runs))
        if isinstance(record, Refusal):
            run = found.runs[number - 1]
            refused = Skipped(run.file, run.line, f"run: {record.field}" if record.field else None, record.error)
            skipped.append(refused)
            if not as_json:
                output.of_line(refused.file, refused.line, refused.field, refused.reason)

    with output.progress() as shown:
        producer = asked.producer()
        asked.offsets.ends(["runs"])  # says so where the topic is not there, instead of waiting for it
        runs = ((number, validate.problem(run.run) or run.run) for number, run in enumerate(found.runs, 1))
        report = send(runs, "runs", producer, asked.settings.prefix, asked.signer, taken)
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
        _print(found, report, skipped, ended, failed, as_json)  # whatever comes of the wait, this was sent
    if skipped or failed:
        raise typer.Exit(exits.PARTLY_REFUSED)


def _print(
    found: "Imported", report: "Report", skipped: "list[Skipped]", ended: "list[Part] | None", failed: "list[Part]", as_json: bool
) -> None:
    from pipelines.wait import ENDS

    counts = Counter(part.end for part in ended or ())
    counted = None if ended is None else {end: counts[end] for end in ENDS}
    if as_json:
        result: dict[str, Any] = {"read": len(found.runs), "sent": len(report.sent)}
        result["refused"] = [{"file": s.file, "line": s.line, "field": s.field, "error": s.reason} for s in skipped]
        runs = ((sent, found.runs[sent.line - 1]) for sent in report.sent)
        result["receipts"] = [{"file": run.file, "line": run.line, "run_id": run.run.run_id, "id": sent.receipt} for sent, run in runs]
        output.json_line(result if counted is None else result | {"ended": counted, "failed": [asdict(part) for part in failed]})
        return
    for part in failed:
        run = found.runs[part.line - 1]
        output.of_line(run.file, run.line, None, f"{part.part} of {part.id} ended {part.end.replace('_', '-')}: {part.reason}")
    print(f"{output.counted(len(report.sent), 'run')} sent, {output.counted(len(skipped), 'part')} skipped")
    if counted is not None:
        print("parts: " + ", ".join(f"{number} {end.replace('_', '-')}" for end, number in counted.items() if number or end == "stored"))
