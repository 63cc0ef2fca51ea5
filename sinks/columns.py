"""The fast way into chDB: ClickHouse itself decodes a batch's Avro, column by column, and makes the rows in SQL.

The messages are re-framed as an object container file, and not decoded in Python. Each has a mark behind it, which the file's schema tells
as a last field: behind a body of the wrong length the mark is not where it should be. What a projection tells as paths becomes the SELECT.
Anything odd about a batch fails it whole: the writer then takes the way by rows, which says which message it was.
"""

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache, cached_property
from typing import Any

from schemas.codec import HEADER_BYTES
from schemas.store import SCHEMAS
from sinks.projection import EARLIEST, LATEST, OPTIONAL_TEXT, Computed, Projection, Tree

_WHOLE = re.compile(r"U?Int\d+|Nullable\(U?Int\d+\)")
_SYNC = bytes(range(16))
_MARK = b"tidegate"
_END = "end_of_message"


class ColumnInsert:
    """How one projection's rows are made of Avro by ClickHouse. `types`: columns of its table to their types."""

    def __init__(self, projection: Projection, types: Mapping[str, str]) -> None:
        self._projection = projection
        self._types = types
        self._tree = Tree(SCHEMAS[projection.kind.__name__].tree)

    @staticmethod
    def fits(projection: Projection) -> bool:
        """Whether ClickHouse can make the rows: nothing in them is computed in Python alone, and they are not lists of lists."""
        return "." not in projection.each and all(not isinstance(c, Computed) or c.sql for c in projection.columns.values())

    def statement(self, file: str, token: str) -> str:
        """INSERT … SELECT out of a container file."""
        columns = ", ".join(f"`{name}`" for name in self._projection.columns)
        join = f" ARRAY JOIN `{self._projection.each}` AS each" if self._projection.each else ""
        return (
            f"INSERT INTO {self._projection.table} ({columns}) SETTINGS insert_deduplication_token = {_quoted(token)}"
            f" SELECT {self._select} FROM file({_quoted(file)}, 'Avro'){join} WHERE NOT throwIf(NOT ({self._sound}))"
        )

    @cached_property
    def _select(self) -> str:
        # A number that the column does not hold is an error, as it is by rows; a plain cast would wrap it round.
        return ", ".join(
            f"accurateCast({sql}, '{self._types[name]}')" if _WHOLE.fullmatch(self._types[name]) else sql
            for name, sql in ((name, self._column(path)) for name, path in self._projection.columns.items())
        )

    @cached_property
    def _sound(self) -> str:
        """What the codec would not take, for the fields that a record holds itself: NaN, and bytes that are no text."""
        checks = {"double": "isFinite", "string": "isValidUTF8"}
        told = [f"{checks[f['type']]}(`{f['name']}`)" for f in self._tree.root["fields"] if f["type"] in ("double", "string")]
        return " AND ".join([*told, f"{_END} = unhex('{_MARK.hex()}')"])

    def _column(self, path: str | Computed) -> str:
        if isinstance(path, Computed):
            assert path.sql is not None
            return path.sql
        steps = path.split(".")
        tree: Any = self._tree.root
        sql, optional = "", False
        for number, name in enumerate(steps):
            tree = self._tree.step(tree, name)
            last = number == len(steps) - 1
            if number == 0:
                sql = "each" if name == self._projection.each and not last else f"`{name}`"
            else:
                sql = f"tupleElement({sql}, '{name}')"
            optional |= isinstance(tree, list) and not last
        return f"ifNull({sql}, '')" if optional and tree == "string" else self._convert(tree, sql)

    def _convert(self, tree: Any, sql: str) -> str:
        if tree == OPTIONAL_TEXT:
            return f"ifNull({sql}, '')"
        if isinstance(tree, list):
            # `least` and `greatest` pass over nulls.
            inner = self._convert(self._tree.type_of(tree[1]), sql)
            return sql if inner == sql else f"if(isNull({sql}), NULL, {inner})"
        if isinstance(tree, str):
            return sql
        if tree.get("logicalType") == "timestamp-millis":
            return f"least(greatest({sql}, {_time(EARLIEST)}), {_time(LATEST)})"
        if tree["type"] == "array" and isinstance(item := self._tree.type_of(tree["items"]), dict) and item["type"] == "record":
            parts = (self._convert(self._tree.type_of(f["type"]), f"tupleElement(x, '{f['name']}')") for f in item["fields"])
            return f"arrayMap(x -> tuple({', '.join(parts)}), {sql})"
        return sql


@contextmanager
def avro_file(kind: type, messages: Sequence[bytes]) -> Iterator[str]:
    """Path of a container file of messages that were written with the newest schema of a record, for as long as it is needed."""
    with tempfile.NamedTemporaryFile(suffix=".avro") as file:
        file.write(container(kind, messages))
        file.flush()
        yield file.name


def container(kind: type, messages: Sequence[bytes]) -> bytes:
    """Single-object encoded messages, one at least, as an object container file of one block."""
    bodies = _MARK.join([message[HEADER_BYTES:] for message in messages])
    return b"".join([_header(kind), _long(len(messages)), _long(len(bodies) + len(_MARK)), bodies, _MARK, _SYNC])


def distinct(fields: Iterable[str], file: str) -> str:
    """SELECT that tells what some fields of the records in a container file hold, each combination once."""
    return f"SELECT DISTINCT {', '.join(fields)} FROM file({_quoted(file)}, 'Avro')"


def current(kind: type) -> bytes:
    """Fingerprint of the newest schema of a record: messages written with an older one are not for ClickHouse to read."""
    return SCHEMAS[kind.__name__].fingerprint


@cache
def _header(kind: type) -> bytes:
    tree = SCHEMAS[kind.__name__].tree
    end = {"name": _END, "type": {"type": "fixed", "name": "EndOfMessage", "size": len(_MARK)}}
    schema = json.dumps({**tree, "fields": [*tree["fields"], end]}).encode()
    return b"".join([b"Obj\x01", _long(2), _text(b"avro.schema"), _text(schema), _text(b"avro.codec"), _text(b"null"), b"\0", _SYNC])


def _time(at: datetime) -> str:
    return f"toDateTime64('{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}', 3, 'UTC')"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _text(data: bytes) -> bytes:
    return _long(len(data)) + data


def _long(n: int) -> bytes:
    """Avro's variable-length zigzag of a whole number that is not negative."""
    n <<= 1
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)
