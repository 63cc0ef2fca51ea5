"""Encoders made of source text, one a record's schema: what passes all checks is written at once, a field after another.

They are the short way of schemas/codec.py, several times as fast as its checks and fastavro one behind the other, and write the same
bytes. They say nothing of a value that is not allowed, or only unusual (a subclass of a type, a time in another zone): they raise Unusual,
and the codec goes its long way, which knows what to say. All text that is compiled comes from our own schemas.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from math import isfinite
from struct import Struct
from typing import Any

from schemas import records

Encoder = Callable[[Any, bytearray], None]


class Unusual(Exception):
    """Not for the short way."""


def _number(n: int) -> bytes:
    """Avro's int and long: zigzag, seven bits a byte, lowest first. Raises Unusual beyond 64 bits."""
    if not -0x8000000000000000 <= n < 0x8000000000000000:
        raise Unusual
    n = n << 1 if n >= 0 else ~(n << 1)
    if 1 << 35 <= n < 1 << 42:  # a time of our days, in milliseconds
        return bytes((n & 127 | 128, n >> 7 & 127 | 128, n >> 14 & 127 | 128, n >> 21 & 127 | 128, n >> 28 & 127 | 128, n >> 35))
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


_SMALL = 4_096
_NUMBERS = [_number(n) for n in range(_SMALL)]


def _milliseconds(t: datetime) -> bytes:
    since = t - _FIRST
    return _number((since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000)


_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
_GLOBALS: dict[str, Any] = {
    "Unusual": Unusual,
    "UTC": UTC,
    "datetime": datetime,
    "first": _FIRST,
    "last": _LAST,
    "isfinite": isfinite,
    "pack": Struct("<d").pack,
    "number": _number,
    "numbers": _NUMBERS,
    "milliseconds": _milliseconds,
}


def encoder(tree: dict[str, Any]) -> Encoder:
    """The encoder of a record, which adds the body to `out`. Raises Unusual or UnicodeEncodeError for what is not for it."""
    source = _Source()
    source.function("encode", tree)
    scope = dict(source.scope)
    exec("\n".join(source.lines), scope)
    made: Encoder = scope["encode"]
    return made


class _Source:
    """Source text of an encoder and of those of the records in it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.scope = dict(_GLOBALS)
        self._names = 0

    def _name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"

    def function(self, name: str, tree: dict[str, Any]) -> None:
        """A function that writes a record; the functions that it calls come before it."""
        self.scope[tree["name"]] = getattr(records, tree["name"])
        body = [f"def {name}(v, out):", f" if type(v) is not {tree['name']}: raise Unusual"]
        for field in tree["fields"]:
            body += [f" x = v.{field['name']}", *self._value(field["type"], "x", " ")]
        self.lines += body

    def _value(self, tree: Any, x: str, indent: str) -> list[str]:
        """Lines that write the value of variable `x`."""
        if isinstance(tree, list):
            inner = self._value(tree[1], x, indent + " ")
            return [f"{indent}if {x} is None: out.append(0)", f"{indent}else:", f"{indent} out.append(2)", *inner]
        kind = tree if isinstance(tree, str) else tree["type"]
        match kind:
            case "record":
                name = self._name("encode")
                self.function(name, tree)
                return [f"{indent}{name}({x}, out)"]
            case "array":
                item = self._name("x")
                return self._many(x, "tuple", f"for {item} in {x}:", self._value(tree["items"], item, indent + "  "), indent)
            case "map":
                key, value = self._name("x"), self._name("x")
                inner = [*self._value("string", key, indent + "  "), *self._value(tree["values"], value, indent + "  ")]
                return self._many(x, "dict", f"for {key}, {value} in {x}.items():", inner, indent)
        return [indent + line for line in _scalar(tree, kind, x)]

    def _many(self, x: str, type_: str, loop: str, inner: list[str], indent: str) -> list[str]:
        return [
            f"{indent}if type({x}) is not {type_}: raise Unusual",
            f"{indent}if {x}:",
            f"{indent} out += number(len({x}))",
            f"{indent} {loop}",
            *inner,
            f"{indent}out.append(0)",
        ]


def _scalar(tree: Any, kind: str, x: str) -> list[str]:
    if kind == "string":
        refuse, data = f"type({x}) is not str", f"{x}.encode()"
    elif kind == "bytes":
        refuse, data = f"type({x}) is not bytes", x
    elif kind == "boolean":
        return [f"if type({x}) is not bool: raise Unusual", f"out.append({x})"]
    elif kind == "double":
        return [f"if type({x}) is not float or not isfinite({x}): raise Unusual", f"out += pack({x})"]
    elif tree in ("int", "long"):
        refuse = f"type({x}) is not int" + (f" or not -0x80000000 <= {x} < 0x80000000" if kind == "int" else "")
        return [f"if {refuse}: raise Unusual", f"out += numbers[{x}] if 0 <= {x} < {_SMALL} else number({x})"]
    else:
        refuse = f"type({x}) is not datetime or {x}.tzinfo is not UTC or not first <= {x} <= last"
        return [f"if {refuse}: raise Unusual", f"out += milliseconds({x})"]
    return [
        f"if {refuse}: raise Unusual",
        f"b = {data}",
        "n = len(b)",
        f"out += numbers[n] if n < {_SMALL} else number(n)",
        "out += b",
    ]
