"""The way by columns gives what the way by rows gives, and takes nothing that rows would not."""

import struct
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from schemas.records import Cause, Dimension, ExposedRow, Floor, Step
from sinks import columns, writer
from sinks.batch import Message
from sinks.processors import processors
from sinks.writer import Writer
from tests.sinks import records as r

FAR = datetime(9999, 12, 30, tzinfo=UTC)
RECORDS = (
    r.learning(),
    r.learning(
        "Größe 🛟 'quoted' \\ and\ttabbed",
        version=2,
        value='{"a":[1,"b"]}',
        ttl_at=FAR,
        importance=0.25,
        dimensions=(Dimension(name="novelty", figure=0.5),),
        environment={"os": "linux", "lang": "py"},
        goal_phrases=("a", ""),
        cause=Cause(what="outcome", id="o-1", by=r.OTHER, confidence_before=0.5, confidence_after=0.6),
        floor=Floor(stated="shareable", floored_to="sensitive", reason="phone"),
        gate=(),
        moves=(r.move("o-1", 0.5, 0.6), r.move("o-2", 0.6, 0.5, weight=None)),
    ),
    r.learning(None, entry_key="a/held", state="held", floor=Floor(stated="a", floored_to="b", reason="c", lifted_by="d")),
    r.counter(r.learning()),
    r.member(r.shared(), verdict="yes"),
    r.member(r.shared(), r.OTHER, present=False),
    r.outcome(credits=(r.credit(r.learning()), r.credit(r.shared(), 1, version=3, wording="00" * 8)), recall_ids=("q-1",)),
    r.outcome("o-2", 1, score=0.75, amends="o-1", verified_by=None),
    r.agent_changed(),
    r.episode(),
    r.episode("r-2", steps=(Step(at=FAR, duration_ms=3, call_id="c", input="{}"),), started_at=datetime(1970, 1, 1, tzinfo=UTC)),
    r.claim(value=None),
    r.finding(),
    r.exposure(ExposedRow(ref="x", own=True, subject="aa" * 16, rank=1)),
    r.decision(figures={"applied": "3"}),
    r.journal_entry(),
    r.journal_text(),
    r.checkpoint(),
    r.journal_key(),
    r.countersignature(r.journal_entry()),
    r.journal_key("countersign", endorsed_by="22" * 8, endorsement="aa" * 64),
    r.dead_letter(excerpt="…"),
    r.receipt(reason="why"),
)
WRITTEN = {p.table for of in processors(r.SECRET).values() for p in of.projections}
TABLES = sorted(WRITTEN - {"pool_arrivals"} | {"pool_rows", "postings", "wordings"})  # of the former the latter is made
ROWS, COLUMNS = 1_000_000, 1


def dump(client: Client) -> dict[str, Any]:
    """All rows of all tables."""
    return {table: client.query(f"SELECT * FROM {table} ORDER BY ALL").result_rows for table in TABLES}


def empty_again(client: Client) -> None:
    """Forget all rows."""
    for table in TABLES:
        client.command(f"TRUNCATE TABLE {table}")


@pytest.fixture
def by_columns(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets from how many messages on ClickHouse decodes them."""
    return lambda number: monkeypatch.setattr(writer, "COLUMNS_FROM", number)


def test_both_ways_give_the_same_rows(client: Client, by_columns: Callable[[int], None], caplog: pytest.LogCaptureFixture) -> None:
    batch = r.messages(*RECORDS)
    by_columns(ROWS)
    assert Writer(client, processors(r.SECRET)).write(batch) == []
    rows = dump(client)
    empty_again(client)
    by_columns(COLUMNS)
    with caplog.at_level("INFO"):
        assert Writer(client, processors(r.SECRET)).write(batch) == []
    assert "goes by rows" not in caplog.text
    assert dump(client) == rows


def test_which_ways_are_by_columns() -> None:
    """What only Python can compute, and lists of lists, go by rows."""
    slow = {p.table for of in processors(r.SECRET).values() for p in of.projections if not columns.ColumnInsert.fits(p)}
    assert slow == {"shared", "pool", "principals", "exposures"}


def _swapped(message: bytes, old: bytes, new: bytes) -> bytes:
    assert message.count(old) == 1
    return message.replace(old, new)


GOOD = r.messages(*(r.learning(entry_key=f"a/{n}", prior=0.123) for n in range(40)))
BAD = GOOD[20].value or b""
DAMAGE = [
    pytest.param(BAD[:-1], "damaged", id="cut by a byte"),
    pytest.param(BAD[: len(BAD) // 2], "damaged", id="cut in half"),
    pytest.param(BAD[:10], "damaged", id="no body"),
    pytest.param(BAD + b"\0", "damaged", id="a byte too many"),
    pytest.param(BAD + BAD[10:], "damaged", id="a second record behind"),
    pytest.param(BAD[:10] + bytes([BAD[10] ^ 4]) + BAD[11:], "damaged", id="a flipped bit in a length"),
    pytest.param(BAD[:10] + bytes(range(200)), "damaged", id="another body"),
    pytest.param(_swapped(BAD, struct.pack("<d", 0.123), struct.pack("<d", float("nan"))), "bad_value", id="not a number"),
    pytest.param(_swapped(BAD, b"a/20", b"a/\xff0"), "damaged", id="no text"),
    pytest.param(r.messages(r.learning(validators=-1))[0].value, "refused_by_store", id="a number that its column does not hold"),
    pytest.param(r.messages(r.learning(org=""))[0].value, "refused_by_store", id="a constraint"),
    pytest.param(b"", "not_avro", id="nothing"),
]


@pytest.mark.parametrize(("value", "code"), DAMAGE)
def test_a_bad_message_is_told_and_the_rest_lands(client: Client, by_columns: Callable[[int], None], value: bytes, code: str) -> None:
    by_columns(COLUMNS)
    batch: list[Message] = [*GOOD[:20], replace(GOOD[20], value=value), *GOOD[21:]]
    refusals = Writer(client, processors(r.SECRET)).write(batch)
    assert [(refusal.message.offset, refusal.problem.code) for refusal in refusals] == [(20, code)]
    for table in ("entries", "learnings", "wordings"):
        assert client.query(f"SELECT count() FROM {table} FINAL").result_rows == [(39,)], table


def test_a_replay_in_other_batches(client: Client, by_columns: Callable[[int], None]) -> None:
    by_columns(COLUMNS)
    found = Writer(client, processors(r.SECRET))
    found.write(r.messages(*RECORDS))
    before = {table: client.query(f"SELECT * FROM {table} FINAL ORDER BY ALL").result_rows for table in TABLES}
    by_columns(ROWS)
    for message in r.messages(*RECORDS):
        found.write([message])
    assert {table: client.query(f"SELECT * FROM {table} FINAL ORDER BY ALL").result_rows for table in TABLES} == before
