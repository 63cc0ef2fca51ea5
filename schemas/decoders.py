"""Decoders made of source text, one a record's schema: the short way back of schemas/codec.py, as encoders.py is the short way there.

They take a body that holds just what our encoders write, and give the record. Whatever else a body holds (a branch or a truth value that
there is not, a count of a block with its size, a number that does not fit) raises Unusual, a body that ends too early whatever Python
raises there; the codec then goes its long way, which knows what is wrong, if anything is. A record's slots are set one by one: that is all
that its constructor does, which takes three times as long. All text that is compiled comes from our own schemas.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import isfinite
from struct import Struct
from typing import Any

from schemas import records
from schemas.encoders import Unusual

Decoder = Callable[[bytes, int], tuple[Any, int]]

_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
_LAST_MILLISECOND = int(_LAST.timestamp() * 1000)
_MOST_BYTES = 10


def _long(message: bytes, at: int, n: int) -> tuple[int, int]:
    """The rest of a number whose first byte is `n`, still in zigzag; and where it ends. Raises Unusual beyond 64 bits."""
    n &= 0x7F
    for place in range(1, _MOST_BYTES):
        byte = message[at]
        at += 1
        n |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            if n >> 64:
                raise Unusual
            return n, at
    raise Unusual


def _time(n: int) -> datetime:
    if n & 1 or n >> 1 > _LAST_MILLISECOND:
        raise Unusual
    return _FIRST + timedelta(milliseconds=n >> 1)


_GLOBALS: dict[str, Any] = {
    "Unusual": Unusual,
    "isfinite": isfinite,
    "long": _long,
    "new": object.__new__,
    "time": _time,
    "unpack": Struct("<d").unpack_from,
}
_NUMBER = ("n = m[i]", "i += 1", "if n > 127: n, i = long(m, i, n)")


def decoder(tree: dict[str, Any]) -> Decoder:
    """The decoder of a record: takes a message and where the body begins, gives the record and where it ends."""
    source = _Source()
    source.function("decode", tree)
    scope = dict(source.scope)
    exec("\n".join(source.lines), scope)
    made: Decoder = scope["decode"]
    return made


class _Source:
    """Source text of a decoder and of those of the records in it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.scope = dict(_GLOBALS)
        self._names = 0

    def function(self, name: str, tree: dict[str, Any]) -> None:
        """A function that reads a record; the functions that it calls come before it."""
        cls = self.scope[tree["name"]] = getattr(records, tree["name"])
        for slot in cls.__slots__:
            self.scope[f"set_{tree['name']}_{slot}"] = getattr(cls, slot).__set__
        body = [f"def {name}(m, i):"]
        places = {}
        for field in tree["fields"]:
            places[field["name"]] = x = self._name("x")
            body += self._value(field["type"], x, " ")
        body += [f" r = new({tree['name']})", *(f" set_{tree['name']}_{field}(r, {x})" for field, x in places.items()), " return r, i"]
        self.lines += body

    def _name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"

    def _value(self, tree: Any, x: str, indent: str) -> list[str]:
        """Lines that read a value into variable `x`."""
        if isinstance(tree, list):
            return [
                f"{indent}n = m[i]",
                f"{indent}i += 1",
                f"{indent}if n == 2:",
                *self._value(tree[1], x, indent + " "),
                f"{indent}elif n: raise Unusual",
                f"{indent}else: {x} = None",
            ]
        kind = tree if isinstance(tree, str) else tree["type"]
        match kind:
            case "record":
                name = self._name("decode")
                self.function(name, tree)
                return [f"{indent}{x}, i = {name}(m, i)"]
            case "array":
                item = self._name("x")
                inner = [*self._value(tree["items"], item, indent + "  "), f"{indent}  {x}.append({item})"]
                return [*self._many(x, "[]", inner, indent), f"{indent}{x} = tuple({x})"]
            case "map":
                key, value = self._name("x"), self._name("x")
                inner = [*self._value("string", key, indent + "  "), *self._value(tree["values"], value, indent + "  ")]
                return self._many(x, "{}", [*inner, f"{indent}  {x}[{key}] = {value}"], indent)
        return [indent + line for line in _scalar(tree, kind, x)]

    def _many(self, x: str, empty: str, inner: list[str], indent: str) -> list[str]:
        number = [indent + line for line in _NUMBER]
        return [
            f"{indent}{x} = {empty}",
            *number,
            f"{indent}while n:",
            f"{indent} if n & 1: raise Unusual",
            f"{indent} for _ in range(n >> 1):",
            *inner,
            *(f" {line}" for line in number),
        ]


def _scalar(tree: Any, kind: str, x: str) -> list[str]:
    if kind in ("string", "bytes"):
        value = "m[i:e].decode()" if kind == "string" else "m[i:e]"
        return [*_NUMBER, "if n & 1: raise Unusual", "e = i + (n >> 1)", f"{x} = {value}", "i = e"]
    if kind == "boolean":
        return ["n = m[i]", "i += 1", "if n > 1: raise Unusual", f"{x} = n == 1"]
    if kind == "double":
        return [f"{x}, = unpack(m, i)", "i += 8", f"if not isfinite({x}): raise Unusual"]
    if tree in ("int", "long"):
        check = [f"if not -0x80000000 <= {x} < 0x80000000: raise Unusual"] if kind == "int" else []
        return [*_NUMBER, f"{x} = n >> 1 ^ -(n & 1)", *check]
    return [*_NUMBER, f"{x} = time(n)"]
