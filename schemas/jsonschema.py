"""JSON Schema (2020-12) of the records that come from outside, as `jsonform` takes them: for OpenAPI and for editors."""

from dataclasses import MISSING, fields
from typing import Any

from schemas import records
from schemas.store import SCHEMAS

_SCALARS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "boolean": {"type": "boolean"},
    "int": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "long": {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
    "double": {"type": "number"},
}


def json_schema(kind: type) -> dict[str, Any]:
    """The schema of a record's JSON form. What JSON may leave out is not required; null reads as left out there."""
    return _of(SCHEMAS[kind.__name__].tree)


def _of(tree: Any) -> dict[str, Any]:
    if isinstance(tree, list):
        return _of(tree[1])  # that it may be left out stands with the field
    if isinstance(tree, str):
        return dict(_SCALARS[tree])
    if tree["type"] == "record":
        return _record(tree)
    if tree["type"] == "array":
        return {"type": "array", "items": _of(tree["items"])}
    if tree["type"] == "map":
        return {"type": "object", "additionalProperties": {"type": "string"}}
    return {"type": "string", "format": "date-time"}


def _record(tree: dict[str, Any]) -> dict[str, Any]:
    optional = {f.name for f in fields(getattr(records, tree["name"])) if f.default is not MISSING or f.default_factory is not MISSING}
    shown = {f["name"]: _field(f, optional=f["name"] in optional) for f in tree["fields"]}
    needed = [name for name in shown if name not in optional]
    return {"type": "object", "description": tree["doc"], "properties": shown, "required": needed, "additionalProperties": False}


def _field(field: dict[str, Any], *, optional: bool) -> dict[str, Any]:
    told = {} if field.get("json") else _of(field["type"])
    if optional and isinstance(told.get("type"), str):
        told["type"] = [told["type"], "null"]
    if optional and field.get("default") is not None:
        told["default"] = field["default"]
    return {**told, "description": field["doc"].replace("as JSON text", "any JSON") if field.get("json") else field["doc"]}
