"""The strict codec: Avro single-object encoding (Avro 1.12, "Single-object encoding") of the records.

A message is C3 01, the 64-bit fingerprint (CRC-64-AVRO, little endian) of the schema it was written with, and the body. fastavro alone
takes 2**40 as an int, 1.7 as 1, NaN, naive times and bytes behind the body; so a record is checked before it is encoded and after it
was decoded. `decode` returns a Problem where a message is not exactly one record of ours; it does not raise.
"""

import io
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import cache
from math import isfinite
from typing import Any, TypeVar

import fastavro
import fastavro.schema

from schemas import records
from schemas.problem import Problem
from schemas.store import SCHEMAS, WRITERS

MARKER = b"\xc3\x01"
HEADER_BYTES = 10
_INT, _LONG = 1 << 31, 1 << 63
_YEARS = (datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC))

Record = TypeVar("Record")
Fault = tuple[str, str]  # path of the field, what is wrong with it


def encode(record: Any) -> bytes:
    """The message of a record. Raises ValueError, naming the field, where the record holds what its schema does not."""
    name = type(record).__name__
    schema = SCHEMAS[name]
    fault = _checker(name)(record, "")
    if fault:
        raise ValueError(f"{name}{fault[0]}: {fault[1]}")
    out = io.BytesIO()
    out.write(MARKER + schema.fingerprint)
    fastavro.schemaless_writer(out, schema.parsed, _to_plain(record))
    return out.getvalue()


def check(record: Any) -> Problem | None:
    """What keeps a record from being encoded, or None."""
    fault = _checker(type(record).__name__)(record, "")
    return Problem("bad_value", fault[0].lstrip("."), fault[1]) if fault else None


def decode(message: bytes | None) -> Any | Problem:
    """The record in a message: an instance of one of `schemas.records`, or a Problem (`unknown_schema`, `damaged`, `bad_value`)."""
    if not message or message[:2] != MARKER or len(message) < HEADER_BYTES:
        return Problem("not_avro", None, "not a single-object encoded Avro message: it does not begin with C3 01 and a fingerprint")
    writer = WRITERS.get(message[2:HEADER_BYTES])
    if writer is None:
        return Problem("unknown_schema", None, f"no schema with fingerprint {message[2:HEADER_BYTES].hex()} is known")
    body = io.BytesIO(message)
    body.seek(HEADER_BYTES)
    try:
        plain = fastavro.schemaless_reader(body, writer.parsed, SCHEMAS[writer.name].parsed)
    except Exception as error:  # fastavro raises whatever a damaged body makes it trip over
        return Problem("damaged", None, f"the body is not a {writer.name}: {type(error).__name__}")
    if body.tell() != len(message):
        return Problem("damaged", None, f"{len(message) - body.tell()} bytes stand behind the record")
    record = _reader(writer.name)(plain)
    return check(record) or record


def decode_as(kind: type[Record], message: bytes | None) -> Record | Problem:
    """The record in a message that must be a `kind`."""
    record = decode(message)
    if isinstance(record, Problem | kind):
        return record
    return Problem("wrong_record", None, f"a {type(record).__name__} where a {kind.__name__} is expected")


def load(kind: type[Record], message: bytes) -> Record:
    """The record in bytes that this program wrote itself (a table's value). Raises ValueError where they are damaged."""
    record = decode_as(kind, message)
    if isinstance(record, Problem):
        raise ValueError(f"stored {kind.__name__}: {record.code} {record.detail}")
    return record


def _to_plain(value: Any) -> Any:
    if is_dataclass(value):
        return {f.name: _to_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, tuple):
        return [_to_plain(v) for v in value]
    return value


@cache
def _reader(name: str) -> Callable[[Any], Any]:
    return _reader_of(SCHEMAS[name].tree, {})


def _reader_of(tree: Any, seen: dict[str, Callable[[Any], Any]]) -> Callable[[Any], Any]:
    if isinstance(tree, list):
        inner = _reader_of(tree[1], seen)
        return lambda v: None if v is None else inner(v)
    kind = tree if isinstance(tree, str) else tree["type"]
    if kind == "array":
        item = _reader_of(tree["items"], seen)
        return lambda v: tuple(item(x) for x in v)
    if kind == "record":
        cls = getattr(records, tree["name"])
        parts = {f["name"]: _reader_of(f["type"], seen) for f in tree["fields"]}

        def read(v: Any) -> Any:
            return cls(**{k: part(v[k]) for k, part in parts.items()})

        seen["tidegate." + tree["name"]] = read
        return read
    return seen.get(kind, lambda v: v)


@cache
def _checker(name: str) -> Callable[[Any, str], Fault | None]:
    return _checker_of(SCHEMAS[name].tree, {})


def _checker_of(tree: Any, seen: dict[str, Callable[[Any, str], Fault | None]]) -> Callable[[Any, str], Fault | None]:
    if isinstance(tree, list):
        inner = _checker_of(tree[1], seen)
        return lambda v, path: None if v is None else inner(v, path)
    kind = tree if isinstance(tree, str) else tree["type"]
    if kind == "array":
        item = _checker_of(tree["items"], seen)

        def array(v: Any, path: str) -> Fault | None:
            if not isinstance(v, tuple):
                return path, "not a tuple"
            return next((f for i, x in enumerate(v) if (f := item(x, f"{path}[{i}]"))), None)

        return array
    if kind == "record":
        cls = getattr(records, tree["name"])
        parts = [(f["name"], _checker_of(f["type"], seen)) for f in tree["fields"]]

        def record(v: Any, path: str) -> Fault | None:
            if not isinstance(v, cls):
                return path, f"not a {cls.__name__}"
            return next((f for k, part in parts if (f := part(getattr(v, k), f"{path}.{k}"))), None)

        seen["tidegate." + tree["name"]] = record
        return record
    if isinstance(tree, dict) and tree.get("logicalType") == "timestamp-millis":
        return _time
    return seen.get(kind) or _PRIMITIVES[kind]


def _string(v: Any, path: str) -> Fault | None:
    if not isinstance(v, str):
        return path, "not a string"
    try:
        v.encode()
    except UnicodeEncodeError:
        return path, "holds a lone surrogate, which is no text"
    return None


def _whole(limit: int, bits: int) -> Callable[[Any, str], Fault | None]:
    def whole(v: Any, path: str) -> Fault | None:
        if not isinstance(v, int) or isinstance(v, bool):
            return path, "not a whole number"
        return None if -limit <= v < limit else (path, f"does not fit {bits} bits")

    return whole


def _double(v: Any, path: str) -> Fault | None:
    if not isinstance(v, float):
        return path, "not a float"
    return None if isfinite(v) else (path, "not a finite number")


def _boolean(v: Any, path: str) -> Fault | None:
    return None if isinstance(v, bool) else (path, "not true or false")


def _time(v: Any, path: str) -> Fault | None:
    if not isinstance(v, datetime):
        return path, "not a time"
    if v.tzinfo is None:
        return path, "a time without an offset from UTC"
    return None if _YEARS[0] <= v <= _YEARS[1] else (path, "not between the years 1970 and 9999")


def _map(v: Any, path: str) -> Fault | None:
    if not isinstance(v, Mapping):
        return path, "not a map"
    return next((f for k, x in v.items() if (f := _string(k, path) or _string(x, f"{path}.{k}"))), None)


def _bytes(v: Any, path: str) -> Fault | None:
    return None if isinstance(v, bytes) else (path, "not bytes")


_PRIMITIVES: dict[str, Callable[[Any, str], Fault | None]] = {
    "string": _string,
    "int": _whole(_INT, 32),
    "long": _whole(_LONG, 64),
    "double": _double,
    "boolean": _boolean,
    "map": _map,
    "bytes": _bytes,
}
