"""`tidegate scan`: what the scanner finds in texts, without any engine."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import exits, output, sarif
from pipelines.cli.options import Json
from pipelines.errors import SettingsError

if TYPE_CHECKING:
    from schemas.problem import Problem

_PREVIEW_CHARS = 120


class Severity(StrEnum):
    """How bad a finding is, mildest first (SPEC 3.8)."""

    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


_ORDER = {severity.value: n for n, severity in enumerate(Severity)}


def scan(
    files: Annotated[list[str] | None, typer.Argument(help="Texts to scan; - is standard input.", metavar="[FILE]...")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read cases as JSON lines (of standard input, if no file is named).")] = False,
    fail_on: Annotated[Severity | None, typer.Option(help="Exit status 1 where a finding is at least so severe.")] = None,
    as_json: Json = False,
    as_sarif: Annotated[bool, typer.Option("--sarif", help="One SARIF 2.1.0 log on stdout, for code hosts and editors.")] = False,
) -> None:
    """Scan texts for what must not cross: credentials, cards, identifiers, personal data. Never prints a value.

    With --jsonl each line is {"id", "text", "run_entities": [], "allow_tools": []} and is answered, in order, by
    {"id", "findings", "masked"}; positions count characters of the text given. Exit status 4 where a line can't be read.
    """
    if as_sarif and (as_json or jsonl):
        raise SettingsError("--sarif is a form of its own: leave out --json and --jsonl")
    if jsonl:
        worst, complete = _cases(files or ["-"])
    elif files:
        worst, complete = _files(files, as_json, as_sarif), True
    else:
        raise SettingsError("nothing to scan: name files, - for standard input, or --jsonl")
    if fail_on is not None and worst >= _ORDER[fail_on]:
        raise typer.Exit(exits.NO)
    if not complete:
        raise typer.Exit(exits.PARTLY_REFUSED)


def _cases(files: Sequence[str]) -> tuple[int, bool]:
    """Worst severity found, and whether every line was a case."""
    from agents.scan.text import scan_text
    from pipelines.cli.jsonl import answer, strings
    from schemas.problem import Problem

    worst = -1

    def reply(case: dict[str, Any]) -> "dict[str, Any] | Problem":
        nonlocal worst
        if not isinstance(case.get("text"), str):
            return Problem("bad_value", "text", "a string is needed")
        entities, tools = strings(case, "run_entities"), strings(case, "allow_tools")
        if isinstance(entities, Problem):
            return entities
        if isinstance(tools, Problem):
            return tools
        scanned = scan_text(case["text"], entities, tools)
        worst = max([worst, *(_ORDER[f.severity] for f in scanned.findings)])
        return {"id": case.get("id"), "findings": [_finding(f) for f in scanned.findings], "masked": scanned.masked}

    complete = answer(files, reply)
    return worst, complete


def _finding(found: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in ("layer", "kind", "severity", "start", "end", "hard")}


def _files(files: Sequence[str], as_json: bool, as_sarif: bool) -> int:
    """Print the findings of each file; the worst severity found."""
    found = [row for file in files for row in _file(file)]
    if as_sarif:
        output.json_line(sarif.log(found))
    elif found or as_json:
        output.rows(found, ("where", "severity", "layer", "kind", "preview"), as_json=as_json)
    output.say(f"{output.counted(len(found), 'finding')} in {output.counted(len(files), 'file')}")
    return max((_ORDER[row["severity"]] for row in found), default=-1)


def _file(file: str) -> Iterator[dict[str, Any]]:
    from agents.scan.mask import merged
    from agents.scan.text import scan_text
    from pipelines.lines import open_input

    try:
        with open_input(file) as source:
            text = source.read().decode("utf-8", "replace")
    except (OSError, EOFError) as error:
        raise SettingsError(f"{file} can't be read: {getattr(error, 'strerror', None) or 'its gzip data is damaged'}") from error
    findings = sorted(scan_text(text, (), ()).findings, key=lambda f: (f.start, -f.end))
    places, spans = Places(text), merged(findings)
    for start, same_line in groupby(findings, key=lambda f: text.rfind("\n", 0, f.start) + 1):
        preview = _preview(text, start, spans)
        for f in same_line:
            line, column = places.of(f.start)
            end_line, end_column = places.of(f.end)
            place = {"line": line, "column": column, "end_line": end_line, "end_column": end_column}
            yield {"where": f"{file}:{line}", "file": file, **place, **_finding(f), "preview": preview}


class Places:
    """Lines and columns of a text, from 1; asked in ascending order or not."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def of(self, at: int) -> tuple[int, int]:
        """Line and column of the character at an offset."""
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1


def _preview(text: str, start: int, spans: Sequence[tuple[int, int, str]]) -> str:
    """The beginning of a line, with every span that reaches into it replaced by its kind."""
    from agents.scan.text import scan_text

    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    shown, at = "", start
    for i in range(bisect_right(spans, start, key=lambda s: s[1]), len(spans)):
        left, right, kind = spans[i]
        if left >= end or len(shown) > _PREVIEW_CHARS:
            break
        shown += text[at : max(at, left)] + f"[{kind}]"
        at = max(at, right)
    shown += text[at : max(at, end)]
    # What only a second look finds, when the first finds are gone, is not shown either.
    shown = scan_text(shown[: _PREVIEW_CHARS * 4]).masked
    return shown if len(shown) <= _PREVIEW_CHARS else shown[: _PREVIEW_CHARS - 1] + "…"
