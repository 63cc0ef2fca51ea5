"""The strict codec: Avro single-object encoding (Avro 1.12, "Single-object encoding") of the records.

A message is C3 01, the 64-bit fingerprint (CRC-64-AVRO, little endian) of the schema it was written with, and the body. fastavro alone
takes 2**40 as an int, 1.7 as 1, NaN, naive times and bytes behind the body; so a record is checked on its way to fastavro and on its
way back. `decode` returns a Problem where a message is not exactly one record of ours; it does not raise.

This is on the path of every message, so there are two ways. The short one, encoders.py and decoders.py, is code made of the schema, and
takes what is as it should be. All else goes the long way, by converters and fastavro, which says what is wrong, or that nothing is.
"""

import io
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from math import isfinite
from operator import attrgetter
from typing import Any, TypeVar

import fastavro

from schemas import records
from schemas.decoders import Decoder, decoder
from schemas.encoders import Encoder, Unusual, encoder
from schemas.problem import Problem
from schemas.store import SCHEMAS, WRITERS, Schema

MARKER = b"\xc3\x01"
HEADER_BYTES = 10
FIRST_TIME, LAST_TIME = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)

Record = TypeVar("Record")
Convert = Callable[[Any], Any]


class _Fault(Exception):
    """A value that its schema does not allow; the path to it grows on the way out."""

    def __init__(self, detail: str) -> None:
        self.path, self.detail = "", detail

    def under(self, part: str) -> "_Fault":
        self.path = part + self.path
        return self


def encode(record: Any) -> bytes:
    """The message of a record. Raises ValueError, naming the field, where the record holds what its schema does not."""
    schema = SCHEMAS[type(record).__name__]
    message = bytearray(MARKER + schema.fingerprint)
    try:
        _encoder(schema.name)(record, message)
    except (Unusual, UnicodeEncodeError):
        return _encode_slowly(schema, record)
    return bytes(message)


def _encode_slowly(schema: Schema, record: Any) -> bytes:
    try:
        plain = _writer(schema.name)(record)
    except _Fault as fault:
        raise ValueError(f"{schema.name}{fault.path}: {fault.detail}") from None
    out = io.BytesIO()
    out.write(MARKER + schema.fingerprint)
    fastavro.schemaless_writer(out, schema.parsed, plain)
    return out.getvalue()


def check(record: Any) -> Problem | None:
    """What keeps a record from being encoded, or None."""
    try:
        _writer(type(record).__name__)(record)
    except _Fault as fault:
        return _problem(fault)
    return None


def decode(message: bytes | None) -> Any | Problem:
    """The record in a message: an instance of one of `schemas.records`, or a Problem.

    Its code is `not_avro`, `unknown_schema`, `damaged` or `bad_value`.
    """
    if not message or message[:2] != MARKER or len(message) < HEADER_BYTES:
        return Problem("not_avro", None, "not a single-object encoded Avro message: it does not begin with C3 01 and a fingerprint")
    writer = WRITERS.get(message[2:HEADER_BYTES])
    if writer is None:
        return Problem("unknown_schema", None, f"no schema with fingerprint {message[2:HEADER_BYTES].hex()} is known")
    if writer is SCHEMAS[writer.name]:
        with suppress(Exception):  # a damaged body makes the decoder trip over whatever comes
            record, end = _decoder(writer.name)(message, HEADER_BYTES)
            if end == len(message):
                return record
    return _decode_slowly(writer, message)


def _decode_slowly(writer: Schema, message: bytes) -> Any | Problem:
    body = io.BytesIO(message)
    body.seek(HEADER_BYTES)
    try:
        plain = fastavro.schemaless_reader(body, writer.parsed, SCHEMAS[writer.name].parsed)
    except Exception as error:  # fastavro raises whatever a damaged body makes it trip over
        return Problem("damaged", None, f"the body is not a {writer.name}: {type(error).__name__}")
    if body.tell() != len(message):
        return Problem("damaged", None, f"{len(message) - body.tell()} bytes stand behind the record")
    try:
        return _reader(writer.name)(plain)
    except _Fault as fault:
        return _problem(fault)


def decode_as(kind: type[Record], message: bytes | None) -> Record | Problem:
    """The record in a message that must be a `kind`; another one is the Problem `wrong_record`."""
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


def _problem(fault: _Fault) -> Problem:
    return Problem("bad_value", fault.path.lstrip(".") or None, fault.detail)


@cache
def _encoder(name: str) -> Encoder:
    return encoder(SCHEMAS[name].tree)


@cache
def _decoder(name: str) -> Decoder:
    return decoder(SCHEMAS[name].tree)


@cache
def _writer(name: str) -> Convert:
    return _writer_of(SCHEMAS[name].tree)


def _writer_of(tree: Any) -> Convert:
    """What makes a value of a record into what fastavro writes, or raises _Fault."""
    if isinstance(tree, list):
        return _nullable(_writer_of(tree[1]))
    if isinstance(tree, str):
        return _STRICT[tree]
    if tree["type"] == "array":
        return _array(_writer_of(tree["items"]), tuple, list)
    if tree["type"] == "map":
        return _map
    if tree["type"] == "record":
        return _record_writer(tree)
    return _time


def _record_writer(tree: dict[str, Any]) -> Convert:
    cls: type = getattr(records, tree["name"])
    names = [f["name"] for f in tree["fields"]]
    values = attrgetter(*names) if len(names) > 1 else lambda v: (getattr(v, names[0]),)
    parts = [(f["name"], _writer_of(f["type"])) for f in tree["fields"]]

    def write(v: Any) -> dict[str, Any]:
        if not isinstance(v, cls):
            raise _Fault(f"not a {cls.__name__}")
        plain = dict(zip(names, values(v), strict=True))
        for name, part in parts:
            try:
                plain[name] = part(plain[name])
            except _Fault as fault:
                raise fault.under(f".{name}") from None
        return plain

    return write


@cache
def _reader(name: str) -> Convert:
    return _record_reader(SCHEMAS[name].tree)


def _reader_of(tree: Any) -> Convert | None:
    """What makes a value that fastavro read into a record's, or raises _Fault; None where it is that already."""
    if isinstance(tree, list):
        inner = _reader_of(tree[1])
        return inner and _nullable(inner)
    if isinstance(tree, str):
        return _UNSURE.get(tree)
    if tree["type"] == "array":
        item = _reader_of(tree["items"])
        return _array(item, list, tuple) if item else tuple
    if tree["type"] == "record":
        return _record_reader(tree)
    return _time if tree.get("logicalType") == "timestamp-millis" else None


def _record_reader(tree: dict[str, Any]) -> Convert:
    cls: type = getattr(records, tree["name"])
    parts = [(f["name"], part) for f in tree["fields"] if (part := _reader_of(f["type"]))]

    def read(plain: dict[str, Any]) -> Any:
        for name, part in parts:
            try:
                plain[name] = part(plain[name])
            except _Fault as fault:
                raise fault.under(f".{name}") from None
        return cls(**plain)

    return read


def _nullable(inner: Convert) -> Convert:
    return lambda v: None if v is None else inner(v)


def _array(item: Convert, given: type[list[Any]] | type[tuple[Any, ...]], made: Callable[[list[Any]], Any]) -> Convert:
    def array(v: Any) -> Any:
        if not isinstance(v, given):
            raise _Fault(f"not a {given.__name__}")
        out: list[Any] = []
        for x in v:
            try:
                out.append(item(x))
            except _Fault as fault:
                raise fault.under(f"[{len(out)}]") from None
        return made(out)

    return array


def _string(v: Any) -> str:
    if not isinstance(v, str):
        raise _Fault("not a string")
    if not v.isascii():
        try:
            v.encode()
        except UnicodeEncodeError:
            raise _Fault("holds a lone surrogate, which is no text") from None
    return v


def _int(v: Any) -> int:
    if -0x80000000 <= _long(v) < 0x80000000:
        return v  # type: ignore[no-any-return]
    raise _Fault("does not fit 32 bits")


def _long(v: Any) -> int:
    if not isinstance(v, int) or isinstance(v, bool):
        raise _Fault("not a whole number")
    if -0x8000000000000000 <= v < 0x8000000000000000:
        return v
    raise _Fault("does not fit 64 bits")


def _double(v: Any) -> float:
    if not isinstance(v, float):
        raise _Fault("not a float")
    if not isfinite(v):
        raise _Fault("not a finite number")
    return v


def _boolean(v: Any) -> bool:
    if not isinstance(v, bool):
        raise _Fault("not true or false")
    return v


def _bytes(v: Any) -> bytes:
    if not isinstance(v, bytes):
        raise _Fault("not bytes")
    return v


def _time(v: Any) -> datetime:
    if not isinstance(v, datetime):
        raise _Fault("not a time")
    if v.utcoffset() is None:
        raise _Fault("a time without an offset from UTC")
    if not FIRST_TIME <= v <= LAST_TIME:
        raise _Fault("not between the years 1970 and 9999")
    return v


def _map(v: Any) -> Mapping[str, str]:
    # Its keys come from outside, so a fault does not say which one it is.
    if not isinstance(v, Mapping):
        raise _Fault("not a map")
    for key, value in v.items():
        _string(key)
        _string(value)
    return v


_STRICT: dict[str, Convert] = {
    "string": _string,
    "int": _int,
    "long": _long,
    "double": _double,
    "boolean": _boolean,
    "bytes": _bytes,
}
_UNSURE: dict[str, Convert] = {"int": _int, "double": _double}
"""What fastavro may read wrongly: its int has 64 bits, its double may be NaN."""
