"""Schemas and records agree, and each schema says what it must: docs with units, and what may cross (SPEC 2.11)."""

import typing
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from datetime import datetime
from types import UnionType
from typing import Any

import pytest

from schemas import records
from schemas.store import SCHEMAS, Schema

PROMOTABLE = {
    "rule", "value", "tools", "memory_type", "kind", "environment", "applies_to", "trust", "confidence", "evidence_status", "validators",
}  # fmt: skip
"""SPEC 2.11, word for word: all else of a learning is private."""


def record_trees(tree: Any) -> Iterator[dict[str, Any]]:
    """The schemas of all records in a schema, itself first."""
    if isinstance(tree, list):
        for branch in tree:
            yield from record_trees(branch)
    elif isinstance(tree, dict):
        if tree["type"] == "record":
            yield tree
            for field in tree["fields"]:
                yield from record_trees(field["type"])
        elif tree["type"] == "array":
            yield from record_trees(tree["items"])


EVERY = [pytest.param(tree, id=f"{schema.name}-{tree['name']}") for schema in SCHEMAS.values() for tree in record_trees(schema.tree)]


@pytest.mark.parametrize("tree", EVERY)
def test_records_and_fields_have_docs(tree: dict[str, Any]) -> None:
    assert tree["doc"].endswith(".")
    for field in tree["fields"]:
        assert field.get("doc", "").strip().endswith("."), field["name"]


@pytest.mark.parametrize("tree", EVERY)
def test_times_and_durations_say_their_unit(tree: dict[str, Any]) -> None:
    for field in tree["fields"]:
        if "timestamp-millis" in str(field["type"]) and not list(record_trees(field["type"])):
            assert "UTC" in field["doc"], field["name"]
        if field["name"].endswith("_ms"):
            assert "millisecond" in field["doc"], field["name"]


@pytest.mark.parametrize("tree", EVERY)
def test_dataclasses_equal_their_schemas(tree: dict[str, Any]) -> None:
    cls = getattr(records, tree["name"])
    hints = typing.get_type_hints(cls)
    assert [f.name for f in fields(cls)] == [f["name"] for f in tree["fields"]]
    for ours, theirs in zip(fields(cls), tree["fields"], strict=True):
        assert _type(hints[ours.name]) == _avro(theirs["type"]), ours.name
        assert _default(ours) == _avro_default(theirs), ours.name


def _type(hint: Any) -> Any:
    """A type hint, spelt as `_avro` spells a schema."""
    if typing.get_origin(hint) in (typing.Union, UnionType):
        inner, none = typing.get_args(hint)
        assert none is type(None)
        return ("null", _type(inner))
    if typing.get_origin(hint) is tuple:
        return ("array", _type(typing.get_args(hint)[0]))
    if typing.get_origin(hint) is Mapping:
        return ("map", *typing.get_args(hint))
    return hint


_PYTHON = {"string": str, "int": int, "long": int, "double": float, "boolean": bool, "bytes": bytes}


def _avro(tree: Any) -> Any:
    if isinstance(tree, list):
        assert tree[0] == "null"
        return ("null", _avro(tree[1]))
    if isinstance(tree, str):
        return _PYTHON[tree]
    match tree["type"]:
        case "array":
            return ("array", _avro(tree["items"]))
        case "map":
            return ("map", str, _PYTHON[tree["values"]])
        case "record":
            return getattr(records, tree["name"])
    assert tree["logicalType"] == "timestamp-millis"
    return datetime


def _default(field: Any) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _avro_default(field: dict[str, Any]) -> Any:
    default = field.get("default", MISSING)
    return () if default == [] else default


def test_every_exported_record_stands_in_a_schema_and_every_schema_is_exported() -> None:
    assert set(records.__all__) == {tree["name"] for schema in SCHEMAS.values() for tree in record_trees(schema.tree)}


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=lambda s: s.name)
def test_schemas_have_one_namespace_and_fingerprints_of_their_own(schema: Schema) -> None:
    assert schema.tree["namespace"] == "tidegate"
    assert [s.name for s in SCHEMAS.values() if s.fingerprint == schema.fingerprint] == [schema.name]


def test_every_field_of_a_learning_says_whether_it_may_cross() -> None:
    """SPEC 2.11"""
    crossing = {field["name"]: field.get("crossing") for field in SCHEMAS["Learning"].tree["fields"]}
    assert set(crossing.values()) == {"promotable", "private"}, crossing
    assert {name for name, may in crossing.items() if may == "promotable"} == PROMOTABLE


@pytest.mark.parametrize("name", ["CandidateCleared", "SharedLearning"])
def test_what_crosses_has_no_private_field_of_a_learning(name: str) -> None:
    """SPEC 2.11: the pool's own figures and ids aside, a shared learning is made of promotable fields."""
    private = {field["name"] for field in SCHEMAS["Learning"].tree["fields"]} - PROMOTABLE
    of_the_pool = {
        "org", "space", "learning_id", "version", "revision", "prior", "applied", "helpful", "success_count", "failure_count",
        "independent", "state", "crossing", "visibility", "contradicts", "wording", "cause", "gate", "at",
    }  # fmt: skip
    assert {field["name"] for field in SCHEMAS[name].tree["fields"]} & private <= of_the_pool
