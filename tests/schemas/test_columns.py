"""Avro by column gives what the codec gives; what is damaged is odd and costs its neighbours nothing."""

import random
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas import columns
from schemas.codec import FIRST_TIME, HEADER_BYTES, decode, encode
from schemas.columns import Column, Many, Nullable, Text
from schemas.problem import Problem
from schemas.records import Tick
from schemas.store import SCHEMAS
from tests.schemas.strategies import values

NAMES = sorted(SCHEMAS)
OUTCOME = "OutcomeReported"


def plain(tree: Any, column: Column, rows: int) -> list[Any]:
    """A column as values: dicts, lists, times."""
    match column:
        case dict():
            kinds = {f["name"]: f["type"] for f in tree["fields"]}
            parts = {name: plain(kinds[name], part, rows) for name, part in column.items()}
            return [{name: part[row] for name, part in parts.items()} for row in range(rows)]
        case Nullable():
            there = dict(zip(column.rows.tolist(), plain(tree[1], column.values, column.rows.size), strict=True))
            return [there.get(row) for row in range(rows)]
        case Many():
            of_map = tree["type"] == "map"
            pair = {"fields": [{"name": "key", "type": "string"}, {"name": "value", "type": tree.get("values")}]}
            items = plain(pair if of_map else tree["items"], column.items, column.rows.size)
            out: list[list[Any]] = [[] for _ in range(rows)]
            for row, item in zip(column.rows.tolist(), items, strict=True):
                out[row].append(item)
            return [{i["key"]: i["value"] for i in each} for each in out] if of_map else out
        case Text():
            return column.blobs() if tree == "bytes" else column.strings()
    told = column.tolist()
    if isinstance(tree, dict) and tree.get("logicalType"):
        return [FIRST_TIME + timedelta(milliseconds=ms) for ms in told]
    return [tree["symbols"][i] for i in told] if isinstance(tree, dict) else told


def as_plain(value: Any) -> Any:
    """A record of ours as values."""
    if hasattr(value, "__dataclass_fields__"):
        return {name: as_plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, tuple):
        return [as_plain(item) for item in value]
    return value


def check(name: str, messages: list[bytes]) -> columns.Columns:
    """What is read is what the codec reads; whatever it refuses is odd."""
    found = columns.read(SCHEMAS[name], messages)
    assert sorted([*found.rows, *found.odd]) == list(range(len(messages)))
    decoded = [decode(message) for message in messages]
    assert plain(SCHEMAS[name].tree, found.record, len(found.rows)) == [as_plain(decoded[n]) for n in found.rows]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_what_the_codec_reads(name: str) -> None:
    """Every record of ours, whatever it holds."""

    @settings(max_examples=12, deadline=None)
    @given(st.lists(values(SCHEMAS[name].tree), max_size=5))
    def same(records: list[Any]) -> None:
        assert check(name, [encode(record) for record in records]).odd == []

    same()


def samples(number: int) -> list[bytes]:
    """Outcomes, the same every time."""
    out: list[bytes] = []

    @settings(max_examples=1, database=None, derandomize=True, deadline=None)
    @given(st.lists(values(SCHEMAS[OUTCOME].tree), min_size=number, max_size=number))
    def draw(records: list[Any]) -> None:
        out[:] = [encode(record) for record in records]

    draw()
    return out


DAMAGE = {
    "a byte short": lambda m: m[:-1],
    "half": lambda m: m[: len(m) // 2],
    "no body": lambda m: m[:HEADER_BYTES],
    "a byte too many": lambda m: m + b"\0",
    "a second record behind": lambda m: m + m[HEADER_BYTES:],
    "a length that is wrong": lambda m: m[:HEADER_BYTES] + bytes([m[HEADER_BYTES] ^ 4]) + m[HEADER_BYTES + 1 :],
    "noise": lambda m: m[:HEADER_BYTES] + random.Random(1).randbytes(200),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_costs_one_message(kind: str) -> None:
    """Issue B 4: none of seven kinds of damage goes by in silence, and none moves a neighbour."""
    messages = samples(9)
    messages[4] = DAMAGE[kind](messages[4])
    assert isinstance(decode(messages[4]), Problem)
    assert check(OUTCOME, messages).odd == [4]


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_any_bytes(data: st.DataObject) -> None:
    """Bytes changed anywhere: what is still read is what the codec reads, and the rest is odd."""
    name = data.draw(st.sampled_from([OUTCOME, "Run", "LearningState", "Tick"]))
    messages = [encode(record) for record in data.draw(st.lists(values(SCHEMAS[name].tree), min_size=1, max_size=4))]
    which = data.draw(st.integers(0, len(messages) - 1))
    body = bytearray(messages[which])
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    messages[which] = bytes(body)
    assert set(check(name, messages).odd) <= {which}


def test_what_another_schema_wrote_is_odd() -> None:
    messages = [None, b"", b"\xc3\x01", *samples(1)]
    found = columns.read(SCHEMAS[OUTCOME], messages)
    assert (found.rows, found.odd) == ([3], [0, 1, 2])


def test_a_number_of_more_than_64_bits_is_odd() -> None:
    """A varint that does not end; and one that the codec takes and we do not is odd too, never another number."""
    head = encode(Tick(at=FIRST_TIME))[:HEADER_BYTES]
    assert columns.read(SCHEMAS["Tick"], [head + b"\xff" * 20, head + b"\x80" * 9 + b"\x01"]).rows == []


def test_the_beginning_of_texts_as_a_matrix() -> None:
    text = columns.read(SCHEMAS[OUTCOME], samples(3)).record["content"]
    assert isinstance(text, Text)
    width = int(np.min(text.lengths))
    assert [bytes(row) for row in text.matrix(width)] == [blob[:width] for blob in text.blobs()]
    with pytest.raises(ValueError, match="fewer than"):
        text.matrix(width + 1)
