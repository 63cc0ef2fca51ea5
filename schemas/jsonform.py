"""Records as JSON: the names and forms that people and scripts write (DESIGN.md, "The forms on the wire").

The forms follow the schemas: a field may be left out where its schema has a default, and null there reads as left out; a field marked
`json` in its schema holds any JSON, kept as canonical JSON text. What is refused says where ("learnings[2].rule") and why, and never
holds a value.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache
from math import isfinite
from typing import Any, TypeVar

from schemas import codec, records
from schemas.problem import Problem
from schemas.store import SCHEMAS

Record = TypeVar("Record")

_NAMES = {"Principal": {"principal": "agent", "kind": None, "keys": None, "roles": None}}
"""Fields whose JSON name is another, or that have no JSON form: only agents are loaded as JSON."""
_NEEDED = {("Outcome", "credits"): lambda outcome: outcome.get("result") != "retracted"}
"""Fields that JSON must give although Avro has a default for them, and when: an outcome without credits must say so, but where it takes
an earlier one back."""
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})")
_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z_]{0,39}")
_TWICE = object()
NESTED = 256
"""Deepest JSON value: a parser elsewhere must be able to read what is kept inside of something else."""


class _Refused(Exception):
    def __init__(self, code: str, path: str, detail: str) -> None:
        self.problem = Problem(code, path.lstrip(".") or None, detail)


def canonical(x: object) -> str:
    """The one JSON text of a JSON value: keys sorted, no spaces. Raises ValueError for NaN and infinities."""
    return json.dumps(x, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def loads(text: str | bytes) -> object | Problem:
    """The value of a JSON text, strictly: UTF-8, no NaN, no lone surrogates, no key twice in an object, 256 levels."""
    value: object = _loads(text)
    if isinstance(value, Problem):
        return value
    try:
        _any_json(value, "").encode()
    except _Refused as refused:
        return refused.problem
    except UnicodeEncodeError:
        return Problem("bad_value", None, "holds a lone surrogate, which is no text")
    return value


def parse_line(kind: type[Record], text: str | bytes) -> Record | Problem:
    """The record in a JSON text, such as a line of a file."""
    value = _loads(text)
    return value if isinstance(value, Problem) else parse(kind, value)


def parse(kind: type[Record], obj: object) -> Record | Problem:
    """The record that a JSON value describes, or what is wrong with it and where."""
    try:
        record: Record = _reader(kind.__name__)(obj, "")
    except _Refused as refused:
        return refused.problem
    return codec.check(record) or record


def dump(record: Any) -> dict[str, Any]:
    """A record as a JSON object: the inverse of `parse`. Times are RFC 3339 in UTC with milliseconds.

    It does not raise: what another producer put into a field of JSON and is none comes as the text it is.
    """
    plain: dict[str, Any] = _writer(type(record).__name__)(record)
    return plain


def _loads(text: str | bytes) -> Any | Problem:
    try:
        return json.loads(text if isinstance(text, str) else text.decode(), object_pairs_hook=_object, parse_constant=_no_number)
    except UnicodeDecodeError:
        return Problem("not_json", None, "not UTF-8")
    except json.JSONDecodeError as error:
        return Problem("not_json", None, f"not JSON: {error.msg}, at character {error.pos + 1}")
    except RecursionError:
        return Problem("not_json", None, "nested too deep")
    except ValueError:  # NaN, an infinity, or a whole number of more digits than Python reads
        return Problem("not_json", None, "not JSON: holds a number that JSON or we do not have")


def _object(pairs: list[tuple[str, Any]]) -> Any:
    out = dict(pairs)
    return out if len(out) == len(pairs) else _TWICE


def _no_number(_: str) -> None:
    raise ValueError


@cache
def _reader(name: str) -> Callable[[Any, str], Any]:
    return _record_reader(SCHEMAS[name].tree)


def _reader_of(tree: Any) -> Callable[[Any, str], Any]:
    if isinstance(tree, list):
        return _reader_of(tree[1])  # null never comes here: it reads as left out
    if isinstance(tree, dict):
        if tree["type"] == "record":
            return _record_reader(tree)
        if tree["type"] == "array":
            return _array_reader(_reader_of(tree["items"]))
        return _map if tree["type"] == "map" else _time
    return _SCALARS[tree]


def _record_reader(tree: dict[str, Any]) -> Callable[[Any, str], Any]:
    cls = getattr(records, tree["name"])
    names = _NAMES.get(tree["name"], {})
    optional = {f.name for f in fields(cls) if f.default is not MISSING or f.default_factory is not MISSING}
    parts: dict[str, tuple[str, Callable[[Any, str], Any]]] = {}
    needed: dict[str, Callable[[dict[str, Any]], bool]] = {}
    for f in tree["fields"]:
        key = names.get(f["name"], f["name"])
        if key is None:
            continue
        parts[key] = f["name"], _any_json if f.get("json") else _reader_of(f["type"])
        if f["name"] not in optional:
            needed[key] = lambda _: True
        elif when := _NEEDED.get((tree["name"], f["name"])):
            needed[key] = when

    def read(v: Any, path: str) -> Any:
        if v is _TWICE:
            raise _Refused("bad_value", path, "an object with the same key twice")
        if not isinstance(v, dict):
            raise _Refused("bad_value", path, "not an object")
        # First, since what is missing may be there under a misspelt name.
        for key in v:
            if key not in parts:
                raise _unknown(key, path, parts)
        for key, when in needed.items():
            if v.get(key) is None and when(v):
                raise _Refused("missing", f"{path}.{key}", "is needed")
        found = {}
        for key, x in v.items():
            if x is not None:
                name, reader = parts[key]
                found[name] = reader(x, f"{path}.{key}")
        return cls(**found)

    return read


def _unknown(key: str, path: str, known: Iterable[str]) -> _Refused:
    # A key that could be a credential or a person's name is not said.
    if _PLAIN_KEY.fullmatch(key):
        near = get_close_matches(key, known, n=1)
        return _Refused("unknown_field", f"{path}.{key}", "is not a field of it" + (f"; did you mean {near[0]}?" if near else ""))
    return _Refused("unknown_field", path, "has a key that is not a field of it")


def _array_reader(item: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    def read(v: Any, path: str) -> Any:
        if not isinstance(v, list):
            raise _Refused("bad_value", path, "not a list")
        return tuple(item(x, f"{path}[{i}]") for i, x in enumerate(v))

    return read


def _any_json(v: Any, path: str) -> str:
    try:
        text = canonical(v)
    except TypeError:
        raise _Refused("bad_value", path, "an object in it has the same key twice") from None
    except ValueError:
        raise _Refused("bad_value", path, "holds a number that is not finite") from None
    except RecursionError:
        raise _Refused("bad_value", path, "nested too deep") from None
    if text.count("[") + text.count("{") > NESTED and _deeper(v, NESTED):
        raise _Refused("bad_value", path, "nested too deep")
    return text


def _deeper(value: Any, levels: int) -> bool:
    inside = [value]
    for _ in range(levels + 1):
        inside = [x for v in inside if isinstance(v, dict | list) for x in (v.values() if isinstance(v, dict) else v)]
    return bool(inside)


def _map(v: Any, path: str) -> dict[str, str]:
    if v is _TWICE:
        raise _Refused("bad_value", path, "an object with the same key twice")
    if not isinstance(v, dict):
        raise _Refused("bad_value", path, "not an object")
    if not all(isinstance(x, str) for x in v.values()):
        raise _Refused("bad_value", path, "a value in it is not a string")
    return v


def _time(v: Any, path: str) -> datetime:
    if not isinstance(v, str) or not _TIME.fullmatch(v):
        raise _Refused("bad_value", path, "not an RFC 3339 time with its offset from UTC, such as 2026-03-01T09:00:00Z")
    try:
        time = datetime.fromisoformat(v.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise _Refused("bad_value", path, "no such time") from None
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def _string(v: Any, path: str) -> str:
    if not isinstance(v, str):
        raise _Refused("bad_value", path, "not a string")
    return v


def _boolean(v: Any, path: str) -> bool:
    if not isinstance(v, bool):
        raise _Refused("bad_value", path, "not true or false")
    return v


def _whole(v: Any, path: str) -> int:
    # Programs that keep numbers as floats write 310.0 for 310.
    if isinstance(v, float) and v.is_integer():
        return int(v)
    if not isinstance(v, int) or isinstance(v, bool):
        raise _Refused("bad_value", path, "not a whole number")
    return v


def _double(v: Any, path: str) -> float:
    if not isinstance(v, int | float) or isinstance(v, bool):
        raise _Refused("bad_value", path, "not a number")
    try:
        return float(v)
    except OverflowError:
        raise _Refused("bad_value", path, "not a finite number") from None


_SCALARS: dict[str, Callable[[Any, str], Any]] = {
    "string": _string,
    "boolean": _boolean,
    "int": _whole,
    "long": _whole,
    "double": _double,
}


@cache
def _writer(name: str) -> Callable[[Any], Any]:
    return _writer_of(SCHEMAS[name].tree)


def _writer_of(tree: Any) -> Callable[[Any], Any]:
    if isinstance(tree, list):
        inner = _writer_of(tree[1])
        return lambda v: None if v is None else inner(v)
    if not isinstance(tree, dict):
        return lambda v: v
    if tree["type"] == "array":
        item = _writer_of(tree["items"])
        return lambda v: [item(x) for x in v]
    if tree["type"] == "map":
        return dict
    if tree.get("logicalType") == "timestamp-millis":
        return _rfc3339
    names = _NAMES.get(tree["name"], {})
    parts = [(names.get(f["name"], f["name"]), f["name"], _json_value if f.get("json") else _writer_of(f["type"])) for f in tree["fields"]]
    return lambda v: {key: write(getattr(v, name)) for key, name, write in parts if key is not None}


def _rfc3339(v: datetime) -> str:
    return v.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _json_value(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):
        return text


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError
    return number
