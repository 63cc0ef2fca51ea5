"""What commands print: what was asked for on stdout, everything else on stderr (INTERFACES, "Commands")."""

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Protocol

import orjson

_GLANCE_SECONDS = 0.05
_PIPE_WIDTH = 100_000
"""Columns of a table that no terminal shows: lines are not wrapped."""


def json_line(row: Mapping[str, Any]) -> None:
    """One object as one line."""
    try:
        line = orjson.dumps(row, default=str, option=orjson.OPT_UTC_Z).decode()
    except orjson.JSONEncodeError:  # a lone surrogate, or a whole number of more than 64 bits
        line = json.dumps(row, default=str)
    sys.stdout.write(line + "\n")


def rows(found: Iterable[Mapping[str, Any]], columns: Sequence[str], *, as_json: bool) -> int:
    """Rows as JSON lines, whole, or as a table of some columns; where there are none, nothing. Gives their number."""
    if as_json:
        number = 0
        for row in found:
            json_line(row)
            number += 1
        return number
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, box=box.SIMPLE_HEAD if sys.stdout.isatty() else None, header_style="bold", pad_edge=False)
    for row in found:
        table.add_row(*(Text(plain(row.get(c)), overflow="fold") for c in columns))
    if table.row_count:
        Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH).print(table)
    return table.row_count


def plain(value: Any) -> str:
    """A value for people. Control and direction characters are shown, not obeyed: texts come from anybody."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    if isinstance(value, datetime):
        return value.isoformat(" ", "milliseconds").replace("+00:00", "Z")
    if isinstance(value, dict | list | tuple):
        value = orjson.dumps(value, default=str).decode()
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(value))


def say(text: str) -> None:
    """A line on stderr."""
    print(text, file=sys.stderr)


def of_line(file: str, line: int, field: str | None, error: str) -> None:
    """What is wrong with a line of input, as one line on stderr."""
    where = f"line {line}" if file == "-" else f"{file}:{line}"
    say(f"{where}: {field}: {error}" if field else f"{where}: {error}")


def counted(number: int, noun: str) -> str:
    """A number of things: "1 file", "2 files"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class Progress(Protocol):
    """Work that is being watched."""

    def show(self, what: str, done: int, total: int | None) -> None:
        """What is being done, how much of it is done, and of how much."""


class _Quiet:
    def show(self, what: str, done: int, total: int | None) -> None:
        """Nobody looks."""


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar on stderr where that is a terminal; else nothing is shown."""
    if not sys.stderr.isatty():
        yield _Quiet()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        class Shown:
            next_at = 0.0

            def show(self, what: str, done: int, total: int | None) -> None:
                if time.monotonic() >= self.next_at:  # some work comes in a hundred thousand steps
                    bar.update(task, description=what, completed=done, total=total)
                    self.next_at = time.monotonic() + _GLANCE_SECONDS

        yield Shown()
