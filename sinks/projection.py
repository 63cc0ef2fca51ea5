"""From records to rows: which field of a record fills which column of a table, told once, as paths.

What a column needs follows from the field's Avro type: a text that may be null becomes an empty string, a record in a list becomes a tuple,
a time is kept within what DateTime64 can show.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

from schemas.records import Source
from schemas.store import SCHEMAS

EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
LATEST = datetime(2299, 12, 31, 23, 59, 59, 999000, tzinfo=UTC)
Row = tuple[Any, ...]
Read = Callable[[Any], Any]
OPTIONAL_TEXT = ["null", "string"]


@dataclass(frozen=True, slots=True)
class Computed:
    """A column that is no field: how it is made of a record and, where ClickHouse can do it too, of the record's columns in SQL."""

    read: Read
    sql: str | None = None


@dataclass(frozen=True, slots=True)
class Projection:
    """Rows of one table out of one kind of record.

    `columns`: column name to the path of the field ("cause.what"), or how it is computed. With `each`, the path of a list
    ("credits", "recalls.rows"), the record gives a row for each of its items; a path below a list ("recalls.at", "recalls.rows.rank")
    is read from the item that the row is for.
    """

    table: str
    kind: type
    columns: Mapping[str, str | Computed]
    each: str = ""
    rows: Callable[[Any], Iterator[Row]] = field(init=False)

    def __post_init__(self) -> None:
        lists = self.each.split(".") if self.each else []
        tree = Tree(SCHEMAS[self.kind.__name__].tree)
        levels: list[list[Read | None]] = []  # how each column is read from the record, from the outer item, from the inner one
        for depth in range(len(lists) + 1):
            levels.append([_at_depth(tree, path, lists, depth) for path in self.columns.values()])
        object.__setattr__(self, "rows", lambda record: _walk(record, lists, levels, (None,) * len(self.columns)))


def _at_depth(tree: "Tree", path: str | Computed, lists: Sequence[str], depth: int) -> Read | None:
    if isinstance(path, Computed):
        return path.read if depth == 0 else None
    steps = path.split(".")
    below = 0
    while below < len(lists) and steps[: below + 1] == list(lists[: below + 1]) and len(steps) > below + 1:
        below += 1
    return tree.read(path, below) if below == depth else None


def _walk(item: Any, lists: Sequence[str], levels: Sequence[Sequence[Read | None]], known: Row) -> Iterator[Row]:
    known = tuple(read(item) if read else value for read, value in zip(levels[0], known, strict=True))
    if not lists:
        yield known
        return
    for part in getattr(item, lists[0]):
        yield from _walk(part, lists[1:], levels[1:], known)


def fields(kind: type, leave_out: Sequence[str] = (), **more: str | Computed) -> dict[str, str | Computed]:
    """Columns named as the fields of a record, but for those left out, and more."""
    names = [f["name"] for f in SCHEMAS[kind.__name__].tree["fields"] if f["name"] not in leave_out]
    return {**{name: name for name in names}, **more}


def receipt(source: Source) -> str:
    """Receipt id of a raw record."""
    return f"{source.topic}:{source.partition}:{source.offset}"


def clamp(at: datetime) -> datetime:
    """A time within what DateTime64(3) shows: someone's "never" in the year 9999 is as good as 2299."""
    return min(max(at, EARLIEST), LATEST)


class Tree:
    """An Avro schema in which a record that was told once is known by its name."""

    def __init__(self, tree: Any) -> None:
        self.root = tree
        self._records: dict[str, Any] = {}
        self._learn(tree)

    def _learn(self, tree: Any) -> None:
        if isinstance(tree, list):
            for branch in tree:
                self._learn(branch)
        elif isinstance(tree, dict):
            if tree["type"] == "record":
                self._records[tree["name"]] = tree
            for part in [tree.get("items"), *(f["type"] for f in tree.get("fields", ()))]:
                self._learn(part)

    def type_of(self, tree: Any) -> Any:
        """A type, told in full."""
        return self._records.get(tree.removeprefix("tidegate."), tree) if isinstance(tree, str) else tree

    def step(self, tree: Any, name: str) -> Any:
        """Type of a field of a record, or of the records in a list."""
        tree = self.type_of(tree[1] if isinstance(tree, list) else tree)
        tree = self.type_of(tree["items"]) if tree["type"] == "array" else tree
        return self.type_of(next(f["type"] for f in tree["fields"] if f["name"] == name))

    def read(self, path: str, below: int = 0) -> Read:
        """How the field at `path` becomes a column's value, read from an item `below` so many lists."""
        steps = path.split(".")
        tree = self.root
        optional = False
        for name in steps[:-1]:
            tree = self.step(tree, name)
            optional |= isinstance(tree, list)
        tree = self.step(tree, steps[-1])
        rest = steps[below:]
        convert = self._convert(tree)
        if optional:
            empty = "" if tree in ("string", OPTIONAL_TEXT) else None
            whole, inner = attrgetter(rest[0]), attrgetter(".".join(rest[1:]))
            return lambda r: empty if (part := whole(r)) is None else convert(inner(part)) if convert else inner(part)
        get = attrgetter(".".join(rest))
        return get if convert is None else lambda r: convert(get(r))

    def _convert(self, tree: Any) -> Read | None:
        """What makes a column's value of a field's value; None: it is one already."""
        if tree == OPTIONAL_TEXT:
            return lambda v: "" if v is None else v
        if isinstance(tree, list):
            inner = self._convert(self.type_of(tree[1]))
            return None if inner is None else lambda v: None if v is None else inner(v)
        if isinstance(tree, str):
            return None
        if tree.get("logicalType") == "timestamp-millis":
            return clamp
        if tree["type"] == "array":
            item = self._convert(self.type_of(tree["items"]))
            return list if item is None else lambda v: [item(x) for x in v]
        if tree["type"] == "record":
            parts = [(attrgetter(f["name"]), self._convert(self.type_of(f["type"])) or (lambda x: x)) for f in tree["fields"]]
            return lambda v: tuple(convert(get(v)) for get, convert in parts)
        return dict if tree["type"] == "map" else None
