"""What may be asked of the embedded engine from outside: one statement that reads, and writes no file."""

import re
from dataclasses import dataclass
from typing import Any

READS = ("SELECT", "WITH", "SHOW", "DESCRIBE", "EXISTS", "EXPLAIN")
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.|``)*`|"(?:[^"\\]|\\.|"")*\"""", re.DOTALL)
_OUTFILE = re.compile(r"\bINTO\s+OUTFILE\b", re.IGNORECASE)
_FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that may run, and the format that it asks for itself. `selects`: it is a SELECT, whose answer can be streamed."""

    sql: str
    format: str | None
    selects: bool


class Refused(Exception):
    """A statement that may not run; the text says why."""


def read(handle: Any, sql: str) -> Statement:
    """The one statement in `sql`, as ClickHouse's own parser tells it. Raises Refused, and chdb's error where it is no SQL.

    `readonly` alone is not enough: under it chDB still runs `INTO OUTFILE` and `KILL`, and a second statement behind a semicolon.
    """
    whole = str(handle.query("SELECT formatQuerySingleLine({sql:String})", "TSVRaw", params={"sql": _escaped(sql)})).rstrip("\n")
    bare = _QUOTED.sub("''", whole).lstrip("( ")
    if not bare.startswith(READS):
        raise Refused(f"this endpoint reads only: a statement begins with one of {', '.join(READS)}")
    if _OUTFILE.search(bare):
        raise Refused("this endpoint writes no files: INTO OUTFILE is refused")
    found = _FORMAT.search(bare)
    return Statement(sql, found[1] if found else None, bare.startswith(("SELECT", "WITH")))


def _escaped(text: str) -> str:
    """A text as a query parameter carries it (TabSeparated's escapes)."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r").replace("\0", "\\0")
