"""What may be asked of the embedded engine from outside: one statement that reads the engine's tables, and nothing beside them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sinks import allowed
from sinks.allowed import Functions
from sinks.door import SYSTEM

FILES = "default"
"""The engine's database whose tables are the files of the machine."""
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.|``)*`|"(?:[^"\\]|\\.|"")*\"""", re.DOTALL)
_OUTFILE = re.compile(r"\bINTO\s+OUTFILE\b", re.IGNORECASE)
_FORMAT = re.compile(r"\bFORMAT\s+(\w+)\s*$")
_KINDS = re.compile(
    r"SelectWithUnionQuery|DescribeQuery|Exists\w+|Show\w+|Explain EXPLAIN( AST| SYNTAX| QUERY TREE| PIPELINE| ESTIMATE)?(?= \()"
)
"""How the syntax tree of a statement begins that reads."""
_FUNCTION = re.compile(r"^ *Function (\S+)", re.MULTILINE)
_TABLE = re.compile(r"^ *(?:Table)?Identifier (.*?)(?: \(|$)", re.MULTILINE)
_APPLY = re.compile(r"\bAPPLY\b(?: (\w+)(?! ->))?")
_SETTINGS = re.compile(r"\bSETTINGS\b((?: \w+ = (?:''|[-+.\w]+),?)*)(?=\)| FORMAT | UNION | INTERSECT | EXCEPT |$)|\bSETTINGS\b")
_RESOLVED = re.compile(r"^ *TABLE id: \d+,.*?\btable_name: ([^,\n]+)", re.MULTILINE)
_TABLE_FUNCTION = re.compile(r"\btable_function_name: (\w+)")
_NAME = re.compile(r"(\w+) =")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that may run, and the format that it asks for itself. `selects`: it is a SELECT, whose answer can be streamed."""

    sql: str
    format: str | None
    selects: bool


class Refused(Exception):
    """A statement that may not run; the text says why."""


def read(handle: Any, sql: str, params: Mapping[str, str], functions: Functions, views: frozenset[str] | None = None) -> Statement:
    """The one statement in `sql`, as ClickHouse's own parser tells it. Raises Refused, and chdb's error where it is no SQL.

    `views`: all that it may name; None: any table.

    `readonly` alone is not enough: under it chDB still runs `INTO OUTFILE` and `KILL`, a second statement behind a semicolon, and reads
    any file and address. What the syntax tree hides (APPLY, settings, SHOW … WHERE) is looked for in the text as the parser writes it.
    """
    whole = str(handle.query("SELECT formatQuerySingleLine({sql:String})", "TSVRaw", params={"sql": _escaped(sql)})).rstrip("\n")
    bare = _QUOTED.sub("''", whole).lstrip("( ")
    if _OUTFILE.search(bare):
        raise Refused("this endpoint writes no files: INTO OUTFILE is refused")
    if not bare.startswith(("SELECT", "WITH", "SHOW", "DESCRIBE", "EXISTS", "EXPLAIN")):
        raise Refused("this endpoint reads only: a statement is a SELECT, SHOW, DESCRIBE, EXISTS or EXPLAIN")
    tree = str(handle.query(f"EXPLAIN AST {sql}", "TSVRaw", params=dict(params)))
    if not _KINDS.match(tree):
        raise Refused("this endpoint reads only: a statement is a SELECT, SHOW, DESCRIBE, EXISTS or EXPLAIN")
    _look(tree, bare, functions)
    if views is not None:
        if not tree.startswith("SelectWithUnionQuery"):
            raise Refused("this key asks with SELECT alone")
        _of_views(str(handle.query(f"EXPLAIN QUERY TREE run_passes = 1 {_FORMAT.sub('', whole)}", "TSVRaw", params=dict(params))), views)
    found = _FORMAT.search(bare)
    return Statement(sql, found[1] if found else None, bare.startswith(("SELECT", "WITH")))


def _look(tree: str, bare: str, functions: Functions) -> None:
    used = [*_FUNCTION.findall(tree), *(name or "in APPLY" for name in _APPLY.findall(bare))]
    if strange := next((name for name in used if name not in functions), None):
        raise Refused(
            f"function {strange} is none that may be used here: what reads files, addresses or the server's own affairs is refused"
        )
    if any(name.partition(".")[0] == FILES for name in _TABLE.findall(tree)):
        raise Refused(f"database {FILES} holds no tables of Tidegate: it is refused")
    if bare.startswith("SHOW") and " WHERE " in bare:
        raise Refused("SHOW … WHERE is refused: ask system.tables or system.columns")
    for clause in _SETTINGS.finditer(bare):
        if clause[1] is None:
            raise Refused("a SETTINGS clause holds numbers and texts only")
        if other := next((name for name in _NAME.findall(clause[1]) if not allowed.setting(name)), None):
            raise Refused(f"setting {other} is none that may be changed here")


def _of_views(resolved: str, views: frozenset[str]) -> None:
    """Names as the engine resolves them, so that no alias, CTE or IN hides a table."""
    if "view" in _TABLE_FUNCTION.findall(resolved):
        raise Refused("table function view hides what it reads: it is refused")
    for name in _RESOLVED.findall(resolved):
        if name not in SYSTEM and name.rpartition(".")[2] not in views:
            raise Refused(f"{name} is none that this key may read: it reads {', '.join(sorted(views))}")


def _escaped(text: str) -> str:
    """A text as a query parameter carries it (TabSeparated's escapes)."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r").replace("\0", "\\0")
