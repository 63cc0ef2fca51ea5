"""Avro by column: the messages of a batch are decoded side by side, a field of all of them at a time, in numpy.

fastavro makes a dict a message, about 10 µs; here a step is a few array operations for the whole batch, so that a message of ten fields
takes under 1 µs. All that Avro has is read, maps too. Nothing is assumed about the bytes: each message has its own bounds, and what does
not end exactly at its end, or has a branch, a count, a length or a truth value that can't be, is left out and told as odd; it costs its
neighbours nothing. An odd message is for the codec to judge, which says what is wrong with it. For a few messages the codec is faster.

Binary encoding: Avro 1.12, "Binary Encoding". The ground is one array of all bodies; `at` is where each message has got to. A message
that went wrong is sent behind the end of all, whence it never comes back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.codec import HEADER_BYTES, LAST_TIME, MARKER
from schemas.store import Schema

WORTH_IT = 64
"""Messages from which on it is faster than the codec."""
_VALUE_BYTES = 10
"""Most that a value moves a message that is lost: a number's."""
_LONGEST = 0x7FFFFFFFFFFFFFFF
_LAST_TIME = int(LAST_TIME.timestamp() * 1000)

Whole = NDArray[np.int64]


class Bodies:
    """The bytes of a batch's messages, one behind the other, with room behind the last."""

    def __init__(self, messages: Sequence[bytes], room: int) -> None:
        self.bytes = b"".join([*messages, bytes(room)])
        self.data = np.frombuffer(self.bytes, np.uint8)

    @cached_property
    def latin(self) -> str:
        """The same, a character a byte."""
        return self.bytes.decode("latin-1")

    @cached_property
    def high(self) -> NDArray[np.int32]:
        """How many bytes up to each place, with it, are not ASCII."""
        return np.cumsum(self.data >> 7, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Text:
    """A column of strings, or of bytes: where each stands."""

    bodies: Bodies
    starts: Whole
    lengths: Whole

    @property
    def beyond_ascii(self) -> Whole:
        """Which rows are not ASCII."""
        high, before = self.bodies.high, self.starts - 1  # there is a byte before each: its length
        return np.flatnonzero(high.take(before + self.lengths) != high.take(before))

    def strings(self) -> list[str]:
        """The values as text."""
        latin = self.bodies.latin
        out = [latin[begin:end] for begin, end in self._spans()]
        for row in self.beyond_ascii.tolist():
            out[row] = out[row].encode("latin-1").decode()
        return out

    def blobs(self) -> list[bytes]:
        """The values as bytes."""
        ground = self.bodies.bytes
        return [ground[begin:end] for begin, end in self._spans()]

    def matrix(self, width: int) -> NDArray[np.uint8]:
        """The first `width` bytes of each value, a row each. Raises ValueError where one is shorter."""
        if self.lengths.size and int(self.lengths.min()) < width:
            raise ValueError(f"a value has fewer than {width} bytes")
        return self.bodies.data.take(self.starts[:, None] + np.arange(width))

    def _spans(self) -> Iterator[tuple[int, int]]:
        return zip(self.starts.tolist(), (self.starts + self.lengths).tolist(), strict=True)


@dataclass(frozen=True, slots=True)
class Nullable:
    """A column that may be null. `rows`: which rows are not, ascending; `values`: of those."""

    rows: Whole
    values: "Column"


@dataclass(frozen=True, slots=True)
class Many:
    """A column of arrays or maps, laid flat. `rows`: whose item each is, ascending; `items`: in order, of a map key and value."""

    rows: Whole
    items: "Column"


Record = dict[str, "Column"]
Column = NDArray[Any] | Text | Nullable | Many | Record
"""Of a record its fields by name; of numbers, truth values and enums (their index) an array."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What was read. `odd`: which messages were not, ascending; a row is a message that was, in order."""

    record: Record
    rows: list[int]
    odd: list[int]


def read(schema: Schema, messages: Sequence[bytes | None]) -> Columns:
    """Messages that were written with a schema; those that were not, or are damaged, are odd."""
    head = MARKER + schema.fingerprint
    rows = [number for number, message in enumerate(messages) if message is not None and message.startswith(head)]
    record, whole = _Ground([messages[n] for n in rows], schema.tree).read()  # type: ignore[misc]
    if not whole.all():
        rows = [number for number, good in zip(rows, whole.tolist(), strict=True) if good]
        record, _ = _Ground([messages[n] for n in rows], schema.tree).read()  # type: ignore[misc]
    taken = set(rows)
    return Columns(record, rows, [n for n in range(len(messages)) if n not in taken])


def _values_in(tree: Any) -> int:
    """How many values a schema has, at most one item an array."""
    if isinstance(tree, list):
        return 1 + _values_in(tree[1])
    if isinstance(tree, str):
        return 1
    if tree["type"] == "record":
        return sum(_values_in(field["type"]) for field in tree["fields"])
    return 3 + _values_in(tree.get("items") or tree.get("values") or "long")


class _Ground:
    def __init__(self, messages: Sequence[bytes], tree: dict[str, Any]) -> None:
        self._tree = tree
        # A message that is lost goes on behind the end, value by value, until the schema's end: there must be bytes to read.
        room = _VALUE_BYTES * (1 + _values_in(tree))
        self._bodies = Bodies(messages, room)
        self._data = self._bodies.data
        lengths = np.fromiter(map(len, messages), np.int64, len(messages))
        self._ends = np.cumsum(lengths)
        self._begins = self._ends - lengths + HEADER_BYTES
        self._lost = self._data.size - room + 1  # behind the end of every message

    def read(self) -> tuple[Record, NDArray[np.bool_]]:
        """The fields, and which messages are whole."""
        record, at = self._record(self._tree, self._begins.copy(), np.arange(len(self._ends)))
        return record, at == self._ends

    def _record(self, tree: dict[str, Any], at: Whole, of: Whole) -> tuple[Record, Whole]:
        out: Record = {}
        for field in tree["fields"]:
            out[field["name"]], at = self._value(field["type"], at, of)
        return out, at

    def _value(self, tree: Any, at: Whole, of: Whole) -> tuple[Column, Whole]:
        """A value of each message `of`, which have got to `at`; and where they have got to behind it."""
        if isinstance(tree, list):
            return self._nullable(tree, at, of)
        kind = tree if isinstance(tree, str) else tree["type"]
        match kind:
            case "record":
                return self._record(tree, at, of)
            case "array":
                return self._many(tree["items"], at, of)
            case "map":
                pair = {"type": "record", "fields": [{"name": "key", "type": "string"}, {"name": "value", "type": tree["values"]}]}
                return self._many(pair, at, of)
            case "string" | "bytes":
                text, at = self._text(at)
                return text, self._lose(at, self._no_text(text)) if kind == "string" else at
            case "double":
                return self._double(at)
            case "boolean":
                return self._boolean(at)
            case "int" | "long":
                values, at = self._long(at)
                if kind == "int":
                    at = self._lose(at, values != values.astype(np.int32))
                elif tree != "long":
                    at = self._lose(at, (values < 0) | (values > _LAST_TIME))
                return values, at
            case "enum":
                values, at = self._long(at)
                return values, self._lose(at, (values < 0) | (values >= len(tree["symbols"])))
        raise TypeError(f"{kind} is not in our schemas")

    def _lose(self, at: Whole, which: NDArray[np.bool_]) -> Whole:
        return np.where(which, self._lost, at) if which.any() else at

    def _long(self, at: Whole) -> tuple[Whole, Whole]:
        byte = self._data.take(at)
        value, at = (byte & 0x7F).astype(np.int64), at + 1
        more = np.flatnonzero(byte > 0x7F)
        shift = 7
        while more.size and shift < 70:
            byte = self._data.take(at[more])
            value[more] |= (byte & 0x7F).astype(np.int64) << shift
            at[more] += 1
            more = more[byte > 0x7F]
            shift += 7
        at[more] = self._lost
        return (value >> 1) & _LONGEST ^ -(value & 1), at

    def _text(self, at: Whole) -> tuple[Text, Whole]:
        lengths, at = self._long(at)
        wrong = (lengths < 0) | (lengths > self._lost - at)
        if wrong.any():
            lengths, at = np.where(wrong, 0, lengths), self._lose(at, wrong)
        return Text(self._bodies, at, lengths), at + lengths

    def _no_text(self, text: Text) -> NDArray[np.bool_]:
        wrong = np.zeros(text.starts.size, np.bool_)
        for row in text.beyond_ascii.tolist():
            begin = int(text.starts[row])
            try:
                self._bodies.bytes[begin : begin + int(text.lengths[row])].decode()
            except UnicodeDecodeError:
                wrong[row] = True
        return wrong

    def _double(self, at: Whole) -> tuple[NDArray[np.float64], Whole]:
        values = self._data.take(at[:, None] + np.arange(8)).view("<f8").ravel()
        return values, self._lose(at + 8, ~np.isfinite(values))

    def _boolean(self, at: Whole) -> tuple[NDArray[np.bool_], Whole]:
        values = self._data.take(at)
        return values == 1, self._lose(at + 1, values > 1)

    def _nullable(self, branches: list[Any], at: Whole, of: Whole) -> tuple[Nullable, Whole]:
        branch, at = self._long(at)
        at = self._lose(at, (branch != 0) & (branch != 1))
        there = np.flatnonzero(branch == 1)
        values, at[there] = self._value(branches[1], at[there], of[there])
        return Nullable(there, values), at

    def _many(self, item: Any, at: Whole, of: Whole) -> tuple[Many, Whole]:
        at, ends = at.copy(), self._ends[of]
        parts: list[tuple[Whole, Column]] = []
        open_ = np.arange(at.size)
        while open_.size:  # blocks, until an empty one
            count, at[open_] = self._long(at[open_])
            sized = np.flatnonzero(count < 0)  # its size in bytes stands behind a negative count
            if sized.size:
                _, at[open_[sized]] = self._long(at[open_[sized]])
                count = np.abs(count)
            wrong = (count < 0) | (count > ends[open_] - at[open_])  # an item takes a byte at least
            at[open_[wrong]] = self._lost
            going = ~wrong & (count > 0)
            open_, count = open_[going], count[going]
            left, turn = open_, 0
            while left.size:
                values, at[left] = self._value(item, at[left], of[left])
                parts.append((left, values))
                turn += 1
                short = at[open_] >= ends[open_]  # the end of the array is to come yet
                at[open_[short]] = self._lost
                left = open_[(count > turn) & ~short]
            open_ = open_[at[open_] < self._lost]
        nothing = (open_, self._value(item, at[:0], of[:0])[0])
        return _laid_flat(parts or [nothing]), at


def _laid_flat(parts: list[tuple[Whole, Column]]) -> Many:
    """Items of many rows, as they were met: the first of each, then the second of those that have two, and so on."""
    rows = np.concatenate([rows for rows, _ in parts])
    order = np.argsort(rows, kind="stable")
    return Many(rows[order], _take(_joined([values for _, values in parts], [rows.size for rows, _ in parts]), order))


def _joined(columns: list[Any], sizes: list[int]) -> Column:
    """Columns of one kind, one behind the other; `sizes`: how many rows each has."""
    first = columns[0]
    if len(columns) == 1:
        return first  # type: ignore[no-any-return]
    if isinstance(first, dict):
        return {name: _joined([c[name] for c in columns], sizes) for name in first}
    if isinstance(first, Text):
        return Text(first.bodies, np.concatenate([c.starts for c in columns]), np.concatenate([c.lengths for c in columns]))
    if isinstance(first, Nullable | Many):
        befores = np.cumsum([0, *sizes[:-1]])
        rows = np.concatenate([c.rows + before for c, before in zip(columns, befores, strict=True)])
        if isinstance(first, Nullable):
            return Nullable(rows, _joined([c.values for c in columns], [c.rows.size for c in columns]))
        return Many(rows, _joined([c.items for c in columns], [c.rows.size for c in columns]))
    return np.concatenate(columns)


def _take(column: Any, order: Whole) -> Column:
    """The rows of a column in another order."""
    if isinstance(column, dict):
        return {name: _take(c, order) for name, c in column.items()}
    if isinstance(column, Text):
        return Text(column.bodies, column.starts[order], column.lengths[order])
    if isinstance(column, Nullable | Many):
        place = np.empty(order.size, np.int64)
        place[order] = np.arange(order.size)
        rows = place[column.rows]
        within = np.argsort(rows, kind="stable")
        if isinstance(column, Nullable):
            return Nullable(rows[within], _take(column.values, within))
        return Many(rows[within], _take(column.items, within))
    taken: NDArray[Any] = column[order]
    return taken
