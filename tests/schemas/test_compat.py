"""Today's schemas read every released one (DESIGN, "The forms on the wire"), and each way in which one could not is seen."""

import copy
import io
from pathlib import Path
from typing import Any

import fastavro
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas import codec, records
from schemas.compat import differences
from schemas.store import HERE, SCHEMAS, WRITERS, read_schema
from tests.schemas.strategies import values

RELEASED = [pytest.param(path, id=f"{path.parent.name}-{path.stem}") for path in sorted((HERE / "released").glob("*/*.avsc"))]


@pytest.mark.parametrize("path", RELEASED)
def test_todays_schemas_read_every_released_one(path: Path) -> None:
    released = read_schema(path)
    assert released.name in SCHEMAS, "a released record is gone"
    assert list(differences(SCHEMAS[released.name].tree, released.tree)) == []
    assert WRITERS[released.fingerprint].name == released.name


@pytest.mark.parametrize("path", RELEASED)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_messages_of_released_schemas_are_decoded(path: Path, data: st.DataObject) -> None:
    released = read_schema(path)
    out = io.BytesIO()
    fastavro.schemaless_writer(out, released.parsed, data.draw(values(released.tree, plain=True)))
    assert isinstance(codec.decode(codec.MARKER + released.fingerprint + out.getvalue()), getattr(records, released.name))


def test_what_producers_write_today_is_released() -> None:
    released = {read_schema(path).fingerprint for path in sorted((HERE / "released").glob("*/*.avsc"))}
    assert {SCHEMAS[name].fingerprint for name in ("Run", "Outcome", "Principal")} <= released


BASE: dict[str, Any] = {
    "type": "record",
    "name": "Thing",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "count", "type": "int", "default": 1},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "maybe", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}], "default": None},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "colour", "type": {"type": "enum", "name": "Colour", "symbols": ["RED", "BLUE"], "default": "RED"}},
        {"name": "shape", "type": {"type": "enum", "name": "Shape", "symbols": ["ROUND", "FLAT"]}},
        {"name": "hash", "type": {"type": "fixed", "name": "Hash", "size": 8}},
        {"name": "labels", "type": {"type": "map", "values": "string"}, "default": {}},
        {
            "name": "parts",
            "type": {"type": "array", "items": {"type": "record", "name": "Part", "fields": [{"name": "weight", "type": "float"}]}},
            "default": [],
        },
    ],
}


def field(name: str, /, **changed: Any) -> dict[str, Any]:
    tree = copy.deepcopy(BASE)
    found = next(f for f in tree["fields"] if f["name"] == name)
    found.update(changed)
    return tree


def without(name: str, key: str | None = None) -> dict[str, Any]:
    tree = copy.deepcopy(BASE)
    if key is None:
        tree["fields"] = [f for f in tree["fields"] if f["name"] != name]
    else:
        del next(f for f in tree["fields"] if f["name"] == name)[key]
    return tree


def added(**new: Any) -> dict[str, Any]:
    return {**BASE, "fields": [*BASE["fields"], new]}


def named(name: str, **more: Any) -> dict[str, Any]:
    return {**BASE, "name": name, **more}


def part(kind: str, name: str = "weight") -> dict[str, Any]:
    fields = [{"name": name, "type": kind}]
    return field("parts", type={"type": "array", "items": {"type": "record", "name": "Part", "fields": fields}})


def time(kind: str) -> dict[str, Any]:
    return {"type": "long", "logicalType": kind}


def decimal(precision: int, scale: int) -> dict[str, Any]:
    return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}


def enum(name: str, *symbols: str, **more: Any) -> dict[str, Any]:
    return {"type": "enum", "name": name, "symbols": list(symbols), **more}


@pytest.mark.parametrize(
    "reader",
    [
        BASE,
        named("org.example.Thing"),
        named("Item", aliases=["Thing"]),
        without("labels"),
        added(name="new", type="string", default=""),
        field("id", doc="another doc"),
        field("id", name="key", aliases=["id"]),
        field("id", type=["null", "string"]),
        field("id", type="bytes"),
        field("count", type="long"),
        field("count", type="double"),
        part("double"),
        field("shape", type=enum("Shape", "ROUND", "FLAT", "LONG")),
        field("shape", type=enum("Shape", "ROUND", default="ROUND")),
        field("maybe", type=["null", time("timestamp-millis"), "string"]),
        field("at", default=0),
    ],
)  # fmt: skip
def test_what_resolves_to_the_same_thing_is_compatible(reader: dict[str, Any]) -> None:
    assert list(differences(reader, BASE)) == []


@pytest.mark.parametrize(
    ("reader", "where"),
    [
        (named("Item"), ""),
        (added(name="new", type="string"), ".new"),
        (field("id", name="key"), ".key"),
        (field("id", type="long"), ".id"),
        (field("id", type=["null", "long"]), ".id"),
        (field("count", type="boolean"), ".count"),
        (field("count", default=2), ".count"),
        (field("count", default=1.0), ".count"),
        (field("count", default=True), ".count"),
        (without("count", "default"), ".count"),
        (field("labels", default={"k": "v"}), ".labels"),
        (field("at", type="long"), ".at"),
        (field("at", type="double"), ".at"),
        (field("at", type=time("timestamp-micros")), ".at"),
        (field("at", type=time("local-timestamp-millis")), ".at"),
        (field("count", type=time("timestamp-millis")), ".count"),
        (field("maybe", type=time("timestamp-millis")), ".maybe"),
        (field("maybe", type=["null", "long"]), ".maybe"),
        (field("maybe", type=["null", time("timestamp-micros")]), ".maybe"),
        (field("price", type="bytes"), ".price"),
        (field("price", type=decimal(9, 3)), ".price"),
        (field("price", type=decimal(12, 2)), ".price"),
        (field("colour", type=enum("Colour", "RED", "BLUE", default="BLUE")), ".colour"),
        (field("colour", type=enum("Colour", "RED", "BLUE")), ".colour"),
        (field("shape", type=enum("Shape", "ROUND")), ".shape"),
        (field("shape", type=enum("Form", "ROUND", "FLAT")), ".shape"),
        (field("shape", type="string"), ".shape"),
        (field("hash", type={"type": "fixed", "name": "Hash", "size": 16}), ".hash"),
        (field("hash", type={"type": "fixed", "name": "Digest", "size": 8}), ".hash"),
        (field("labels", type={"type": "map", "values": "long"}), ".labels{}"),
        (field("labels", type={"type": "array", "items": "string"}), ".labels"),
        (part("long"), ".parts[].weight"),
        (part("float", "mass"), ".parts[].mass"),
    ],
)
def test_each_kind_of_change_that_breaks_readers_is_seen(reader: dict[str, Any], where: str) -> None:
    assert [difference.partition(": ")[0] for difference in differences(reader, BASE)] == [where]


@pytest.mark.parametrize(
    ("reader", "writer"),
    [("int", "long"), ("float", "double"), ("long", "float"), ("null", "string"), (["null", "int"], ["null", "string"])],
)
def test_values_do_not_shrink(reader: Any, writer: Any) -> None:
    assert len(list(differences(reader, writer))) == 1
