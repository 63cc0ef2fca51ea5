"""The short way of the codec does what the long way does: the same bytes, the same records, the same problems."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas import codec, records
from schemas.encoders import Unusual, encoder
from schemas.records import Receipt, Source, Tick
from schemas.store import SCHEMAS
from tests.schemas.strategies import values

NAMES = sorted(SCHEMAS)
AT = datetime(2026, 3, 1, tzinfo=UTC)


def shortly(record: Any) -> bytes:
    """The message by the short way. Raises where it is not for it."""
    schema = SCHEMAS[type(record).__name__]
    out = bytearray(codec.MARKER + schema.fingerprint)
    codec._encoder(schema.name)(record, out)
    return bytes(out)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_both_ways(name: str) -> None:
    """Whatever a record holds that its schema allows: the short way takes it, and nothing tells its bytes from fastavro's."""
    schema = SCHEMAS[name]

    @settings(max_examples=20, deadline=None)
    @given(values(schema.tree))
    def same(record: Any) -> None:
        message = codec._encode_slowly(schema, record)
        assert shortly(record) == message
        assert codec._decoder(name)(message, codec.HEADER_BYTES) == (record, len(message))
        assert codec._decode_slowly(schema, message) == record

    same()


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_any_bytes_the_same_both_ways(data: st.DataObject) -> None:
    """Bytes changed anywhere, cut or added: the codec says what the long way alone says."""
    name = data.draw(st.sampled_from(["OutcomeReported", "Run", "LearningState", "TopRanks", "Saved"]))
    body = bytearray(codec.encode(data.draw(values(SCHEMAS[name].tree))))
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(codec.HEADER_BYTES, len(body) - 1))] = data.draw(st.integers(0, 255))
    body = body[: data.draw(st.integers(codec.HEADER_BYTES, len(body)))] + data.draw(st.binary(max_size=2))
    assert codec.decode(bytes(body)) == codec._decode_slowly(SCHEMAS[name], bytes(body))


RECEIPT = Receipt(id="i", org="o", agent="a", part="run", end="stored", at=AT, revision=1)
SOURCE = Source(topic="runs", epoch="e", partition=0, offset=0, index=0)


@pytest.mark.parametrize(
    "record",
    [
        replace(RECEIPT, org=7),  # type: ignore[arg-type]
        replace(RECEIPT, org="\ud800"),
        replace(RECEIPT, revision=True),
        replace(RECEIPT, revision=1.0),  # type: ignore[arg-type]
        replace(RECEIPT, at=AT.replace(tzinfo=None)),
        replace(RECEIPT, at=datetime(1969, 1, 1, tzinfo=UTC)),
        replace(SOURCE, partition=2**31),
        replace(SOURCE, offset=2**63),
    ],
)
def test_what_is_not_allowed_is_not_for_the_short_way(record: Any) -> None:
    """And the long way says what is wrong."""
    with pytest.raises((Unusual, UnicodeEncodeError)):
        codec._encoder("Receipt")(record, bytearray()) if isinstance(record, Receipt) else source(record)
    if isinstance(record, Receipt):
        with pytest.raises(ValueError, match="Receipt"):
            codec.encode(record)


def source(record: Source) -> None:
    """Write a source as part of a record that has one."""
    tree = next(f["type"] for f in SCHEMAS["OutcomeReported"].tree["fields"] if f["name"] == "source")
    encoder(tree)(record, bytearray())


def test_a_time_of_another_zone_is_the_same_time() -> None:
    """Unusual, and allowed."""
    east = timezone(timedelta(hours=9))
    assert codec.encode(Tick(at=AT.astimezone(east))) == codec.encode(Tick(at=AT))


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_tells_all_that_its_record_holds(name: str) -> None:
    """The short way sets the slots that the schema names: there are no others, and a constructor that did more would be passed over."""
    cls = getattr(records, name)
    assert {field["name"] for field in SCHEMAS[name].tree["fields"]} == set(cls.__slots__) == {field.name for field in fields(cls)}
    assert not hasattr(cls, "__post_init__")
