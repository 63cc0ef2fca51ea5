"""What an importer makes of files that a test writes, in short forms that can be compared."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from pipelines.importers.parsed import Author, Imported, Source
from schemas import validate
from schemas.jsonform import dump, parse
from schemas.records import Run

AUTHOR = Author("acme", "agent/a")
Reader = Callable[[Sequence[Source], Author], Imported]


def lines(*values: Any) -> bytes:
    """Values as JSON lines; a text stands for itself."""
    return "".join((v if isinstance(v, str) else json.dumps(v)) + "\n" for v in values).encode()


def imported(read: Reader, *files: bytes, author: Author = AUTHOR) -> Imported:
    """What comes of files `0`, `1`, …; whatever does can be sent, and comes again the same."""
    sources = [Source(str(n), data) for n, data in enumerate(files)]
    found = read(sources, author)
    for run in found.runs:
        assert validate.problem(run.run) is None
        assert parse(Run, dump(run.run)) == run.run
    assert read(sources, author) == found
    assert len({run.run.run_id for run in found.runs}) == len(found.runs)
    return found


def goals(found: Imported) -> list[str | None]:
    """What each run was asked for."""
    return [run.run.goal for run in found.runs]


def told(run: Run) -> list[tuple[Any, ...]]:
    """The steps of a run: of a call its tool, what it was given, what it gave back and how it ended; of the rest who says what."""
    return [
        (step["tool"], step["input"], step["output"], step["status"])
        if step["kind"] == "tool"
        else (step["role"] or step["kind"], step["output"])
        for step in dump(run)["steps"]
    ]


def skipped(found: Imported) -> list[tuple[str, int, str | None]]:
    """Where something was skipped, by line."""
    return [(s.file, s.line, s.field) for s in sorted(found.skipped, key=lambda s: (s.file, s.line))]
