"""Records as Avro single-object encoding, from their JSON form; the schemas are copies of the service's."""

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from math import isfinite
from typing import Any

import fastavro
import fastavro.schema

_MARKER = b"\xc3\x01"
_FILES = {"runs": "run.avsc", "outcomes": "outcome.avsc"}
_WHOLE = {"int": 31, "long": 63}
"""Bits of the numbers, without their sign."""

Convert = Callable[[Any, str], Any]


class Unfit(ValueError):
    """A field that the schema does not allow: `field` is its path, the message what is wrong."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field.lstrip(".")


def encode(topic: str, record: dict[str, Any]) -> bytes:
    """The message of a run or an outcome. Raises Unfit."""
    header, parsed, convert = _schema(topic)
    out = io.BytesIO()
    out.write(header)
    fastavro.schemaless_writer(out, parsed, convert(record, ""))
    return out.getvalue()


@cache
def _schema(topic: str) -> tuple[bytes, Any, Convert]:
    tree = json.loads((files("tidegate_client") / "avsc" / _FILES[topic]).read_text())
    canonical = fastavro.schema.to_parsing_canonical_form(tree)
    fingerprint = bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))
    return _MARKER + fingerprint, fastavro.parse_schema(tree), _converter(tree, False)


def _converter(tree: Any, is_json: bool) -> Convert:
    if is_json:
        return _json
    if isinstance(tree, list):
        return _converter(tree[1], False)  # null never comes here: it is left out
    if isinstance(tree, str):
        return _SCALARS[tree]
    if tree["type"] == "record":
        return _record(tree)
    if tree["type"] == "array":
        return _array(_converter(tree["items"], False))
    return _map if tree["type"] == "map" else _time


def _record(tree: dict[str, Any]) -> Convert:
    converters = {f["name"]: _converter(f["type"], f.get("json", False)) for f in tree["fields"]}
    defaults = {f["name"]: f["default"] for f in tree["fields"] if "default" in f}

    def convert(value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            raise Unfit(path, "not an object")
        for name in value:
            if name not in converters:
                raise Unfit(f"{path}.{name}", "is not a field of it")
        made = {}
        for name, converter in converters.items():
            if value.get(name) is not None:
                made[name] = converter(value[name], f"{path}.{name}")
            elif name in defaults:
                made[name] = defaults[name]
            else:
                raise Unfit(f"{path}.{name}", "is needed")
        return made

    return convert


def _array(item: Convert) -> Convert:
    def convert(value: Any, path: str) -> Any:
        if not isinstance(value, list):
            raise Unfit(path, "not a list")
        return [item(v, f"{path}[{i}]") for i, v in enumerate(value)]

    return convert


def _map(value: Any, path: str) -> Any:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise Unfit(path, "not an object of texts")
    return value


def _json(value: Any, path: str) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _time(value: Any, path: str) -> datetime:
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise Unfit(path, "not a time") from None
    if at.tzinfo is None:
        raise Unfit(path, "a time without its offset from UTC")
    at = at.astimezone(UTC)
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise Unfit(path, "not a text")
    return value


def _boolean(value: Any, path: str) -> bool:
    if not isinstance(value, bool):
        raise Unfit(path, "not true or false")
    return value


def _whole(bits: int) -> Convert:
    def convert(value: Any, path: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not -(1 << bits) <= value < 1 << bits:
            raise Unfit(path, f"not a whole number of {bits + 1} bits")
        return value

    return convert


def _double(value: Any, path: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise Unfit(path, "not a finite number")
    return float(value)


_SCALARS: dict[str, Convert] = {
    "string": _text,
    "boolean": _boolean,
    "double": _double,
    **{name: _whole(bits) for name, bits in _WHOLE.items()},
}
