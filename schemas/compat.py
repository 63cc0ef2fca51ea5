"""Whether a schema reads what another wrote, by Avro 1.12's resolution rules, and whether it reads it as the same thing.

Avro's rules alone take a time for a number and one default for another: a changed logicalType, precision or scale resolves without a
word, and so does a changed default or a symbol's. Those are differences here too.
"""

from collections.abc import Iterator
from typing import Any

_PROMOTIONS = {
    "int": {"long", "float", "double"},
    "long": {"float", "double"},
    "float": {"double"},
    "string": {"bytes"},
    "bytes": {"string"},
}
"""What a reader may take a primitive that was written as."""
_MEANING = ("logicalType", "precision", "scale")


def differences(reader: Any, writer: Any, path: str = "") -> Iterator[str]:
    """Why `reader` cannot read what `writer` wrote, each as "path: reason"; none where it can.

    Both are schemas as JSON with every record written out (`schemas.store.Schema.tree`).
    """
    if isinstance(writer, list):
        yield from _from_union(reader, writer, path)
    elif isinstance(reader, list):
        if all(any(differences(branch, writer, path)) for branch in reader):
            yield f"{path}: no branch reads {_kind(writer)}"
    elif _kind(reader) != _kind(writer):
        if _kind(reader) not in _PROMOTIONS.get(_kind(writer), ()) or _meaning(reader) != _meaning(writer):
            yield f"{path}: {_kind(writer)} was written, {_kind(reader)} is read"
    elif _meaning(reader) != _meaning(writer):
        yield f"{path}: {_meaning(writer)} was written, {_meaning(reader)} is read"
    else:
        yield from _same_kind(reader, writer, path)


def _from_union(reader: Any, writer: list[Any], path: str) -> Iterator[str]:
    for branch in writer:
        if isinstance(reader, list) and (same := _same_branch(reader, branch)) is not None:
            yield from differences(same, branch, path)
        else:
            yield from differences(reader, branch, path)


def _same_branch(reader: list[Any], branch: Any) -> Any:
    """The branch that a union has for this one by kind and name, so that what differs inside it is said rather than that it differs."""
    return next((b for b in reader if _kind(b) == _kind(branch) and _name(b) == _name(branch)), None)


def _same_kind(reader: Any, writer: Any, path: str) -> Iterator[str]:
    match _kind(reader):
        case "record":
            yield from _record(reader, writer, path)
        case "array":
            yield from differences(reader["items"], writer["items"], f"{path}[]")
        case "map":
            yield from differences(reader["values"], writer["values"], f"{path}{{}}")
        case "enum":
            yield from _enum(reader, writer, path)
        case "fixed":
            if (_name(reader), reader["size"]) != (_name(writer), writer["size"]):
                yield f"{path}: fixed of another name or size"


def _record(reader: dict[str, Any], writer: dict[str, Any], path: str) -> Iterator[str]:
    if _name(writer) not in _names(reader):
        yield f"{path}: record {_name(writer)} was written, {_name(reader)} is read"
        return
    written = {field["name"]: field for field in writer["fields"]}
    for field in reader["fields"]:
        here = f"{path}.{field['name']}"
        old = next((written[name] for name in _names(field) if name in written), None)
        if old is None:
            if "default" not in field:
                yield f"{here}: a new field without a default"
            continue
        yield from differences(field["type"], old["type"], here)
        if "default" in old and ("default" not in field or not _equal(field["default"], old["default"])):
            yield f"{here}: its default has changed"


def _enum(reader: dict[str, Any], writer: dict[str, Any], path: str) -> Iterator[str]:
    if _name(writer) not in _names(reader):
        yield f"{path}: enum {_name(writer)} was written, {_name(reader)} is read"
    gone = [symbol for symbol in writer["symbols"] if symbol not in reader["symbols"]]
    if gone and "default" not in reader:
        yield f"{path}: symbols {', '.join(gone)} are gone"
    if "default" in writer and reader.get("default") != writer["default"]:
        yield f"{path}: the symbol for those unknown has changed"


def _equal(one: Any, other: Any) -> bool:
    # To Python 1 == 1.0 == True.
    return type(one) is type(other) and one == other


def _kind(tree: Any) -> str:
    return str(tree["type"]) if isinstance(tree, dict) else str(tree)


def _meaning(tree: Any) -> dict[str, Any]:
    return {key: tree[key] for key in _MEANING if key in tree} if isinstance(tree, dict) else {}


def _name(tree: Any) -> str | None:
    """Name without namespace, which is what resolution compares."""
    return tree["name"].rpartition(".")[2] if isinstance(tree, dict) and "name" in tree else None


def _names(tree: dict[str, Any]) -> list[str]:
    return [name.rpartition(".")[2] for name in [tree["name"], *tree.get("aliases", [])]]
