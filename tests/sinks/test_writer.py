"""The batch writer: every record becomes its rows; a replay changes nothing; one that is refused does not stop the rest."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import OperationalError

from schemas.ids import Ref
from schemas.partition import log_hash
from schemas.records import Cause, ExposedRow, Floor
from sinks.batch import Message
from sinks.processors import processors
from sinks.writer import Unavailable, Writer
from tests.sinks import records as r

ALL_KINDS = (
    r.learning(),
    r.counter(r.learning()),
    r.shared(),
    r.member(r.shared()),
    r.outcome(credits=(r.credit(r.learning()), r.credit(r.shared(), 1))),
    r.agent_changed(),
    r.identity(),
    r.episode(),
    r.claim(),
    r.finding(),
    r.exposure(ExposedRow(ref="x", own=True, subject="aa" * 16, rank=1), ExposedRow(ref="y", own=False, subject="bb" * 16, rank=2)),
    r.decision(),
    r.journal_entry(),
    r.journal_text(),
    r.checkpoint(),
    r.journal_key(),
    r.countersignature(r.journal_entry()),
    r.dead_letter(),
    r.request(at=datetime.now(UTC).replace(microsecond=0)),  # rows go after a week
    r.erased(),
    r.receipt(),
)
TABLES = {
    "entries": 1,
    "learnings": 1,
    "counters": 1,
    "shared": 1,
    "pool": 1,
    "pool_members": 1,
    "outcomes": 1,
    "credits": 2,
    "principals": 1,
    "identities": 1,
    "identity_keys": 1,
    "episodes": 1,
    "claims": 1,
    "findings": 1,
    "exposures": 2,
    "decisions": 1,
    "journal": 1,
    "journal_texts": 1,
    "journal_checkpoints": 1,
    "journal_keys": 1,
    "journal_countersignatures": 1,
    "dead_letters": 1,
    "erased": 1,
    "requests": 1,
    "receipts": 1,
    "wordings": 2,
}


def _counts(client: Client) -> dict[str, int]:
    return {table: client.query(f"SELECT count() FROM {table} FINAL").result_rows[0][0] for table in TABLES}


def _row(client: Client, table: str) -> dict[str, Any]:
    return next(iter(client.query(f"SELECT * FROM {table} FINAL").named_results()))


def test_every_kind_of_record_has_its_tables(client: Client, writer: Writer) -> None:
    assert writer.write(r.messages(*ALL_KINDS)) == []
    assert _counts(client) == TABLES
    assert {type(record) for record in ALL_KINDS} == {p.kind for of in processors(r.SECRET).values() for p in of.projections}


@pytest.mark.parametrize(
    "again",
    [
        pytest.param(lambda w, ms: w.write(ms), id="the same batch"),
        pytest.param(lambda w, ms: [w.write([m]) for m in ms], id="in other batches"),
        pytest.param(lambda w, ms: w.write([replace(m, offset=m.offset + 100) for m in ms]), id="at other offsets"),
    ],
)
def test_a_replay_changes_nothing(client: Client, writer: Writer, again: Callable[[Writer, list[Message]], object]) -> None:
    batch = r.messages(*ALL_KINDS)
    writer.write(batch)
    before = {table: client.query(f"SELECT * FROM {table} FINAL ORDER BY ALL").result_rows for table in TABLES}
    postings = client.query("SELECT count(), sum(w) FROM postings").result_rows
    again(writer, batch)
    assert {table: client.query(f"SELECT * FROM {table} FINAL ORDER BY ALL").result_rows for table in TABLES} == before
    assert client.query("SELECT count(), sum(w) FROM postings").result_rows == postings


def test_readers_keep_the_highest_revision_whatever_the_order(client: Client, writer: Writer) -> None:
    """SPEC 2.8."""
    writer.write(r.messages(r.learning(version=2, confidence=0.4)))
    writer.write(r.messages(r.learning(version=1, confidence=1.0), first_offset=1))
    assert _row(client, "learnings")["confidence"] == 0.4
    assert _counts(client)["entries"] == 2


def test_columns_of_a_learning(client: Client, writer: Writer) -> None:
    """Nulls become empty texts, nested records become columns, the year 9999 the latest time that ClickHouse shows."""
    writer.write(
        r.messages(
            r.learning(
                None,
                ttl_at=datetime(9999, 12, 30, tzinfo=UTC),
                environment={"os": "linux"},
                cause=Cause(what="outcome", id="o-1", by=None, confidence_before=0.5, confidence_after=0.6),
                floor=Floor(stated="shareable", floored_to="sensitive", reason="phone"),
                gate=r.gate(),
            )
        )
    )
    row = _row(client, "entries")
    assert (row["rule"], row["value"], row["session"]) == ("", "", "")
    assert (row["cause"], row["cause_id"], row["cause_by"], row["confidence_before"]) == ("outcome", "o-1", "", 0.5)
    assert (row["floor_stated"], row["floored_to"], row["floor_reason"], row["floor_lifted_by"]) == ("shareable", "sensitive", "phone", "")
    assert row["ttl_at"] == datetime(2299, 12, 31, 23, 59, 59, 999000, tzinfo=UTC)
    assert row["environment"] == {"os": "linux"}
    assert client.query("SELECT candidate FROM entries").result_rows == [(True,)]


def test_columns_of_events(client: Client, writer: Writer) -> None:
    writer.write(r.messages(*ALL_KINDS))
    assert _row(client, "outcomes")["receipt"] == "outcomes:0:0"
    credits = list(client.query("SELECT * FROM credits FINAL ORDER BY part").named_results())
    assert [(c["own"], c["entry_key"], c["version"]) for c in credits] == [(True, r.learning().entry_key, None), (False, "", None)]
    exposures = list(client.query("SELECT * FROM exposures FINAL ORDER BY rank").named_results())
    assert [(e["recall_id"], e["scope"], e["rank"], e["ref"]) for e in exposures] == [("q-1", "every", 1, "x"), ("q-1", "every", 2, "y")]
    steps = _row(client, "episodes")["steps"]
    found = [(s["kind"], s["tool"], s["at"], s["exit_code"]) for s in steps]
    assert found == [("message", "", None, None), ("tool", "orders.get", r.AT, 1)]


def test_a_pools_ref_opens_to_what_it_names(client: Client, writer: Writer) -> None:
    """SPEC 2.13."""
    shared = r.shared()
    writer.write(r.messages(shared))
    ref = r.IDS.read_ref(_row(client, "pool")["ref"])
    assert ref == Ref(own=False, log=log_hash(r.ORG, "service"), subject=shared.shared_id, wording=shared.wording)


def test_of_an_agent_the_newest_change_stands(client: Client, writer: Writer) -> None:
    writer.write(r.messages(r.agent_changed(home_space="commons", offset=2)))
    writer.write(r.messages(r.agent_changed(home_space="service", offset=1), first_offset=9))  # delivered again
    assert _row(client, "principals")["home_space"] == "commons"


REFUSED = [
    pytest.param(r.learning(org=""), "refused_by_store", id="a constraint"),
    pytest.param(r.counter(r.learning(), tier=300), "refused_by_store", id="a number that its column does not hold"),
    pytest.param(r.shared(validators=-1), "refused_by_store", id="a negative count"),
]


@pytest.mark.parametrize(("bad", "code"), REFUSED)
def test_one_refused_row_does_not_stop_the_rest(client: Client, writer: Writer, bad: Any, code: str) -> None:
    good = [r.learning(entry_key=f"support/pattern-{i}") for i in range(20)]
    batch = r.messages(*good[:13], bad, *good[13:], r.counter(r.learning()), r.shared())
    refusals = writer.write(batch)
    assert [(refusal.message, refusal.problem.code) for refusal in refusals] == [(batch[13], code)]
    counts = _counts(client)
    assert (counts["entries"], counts["learnings"], counts["counters"], counts["shared"]) == (20, 20, 1, 1)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        pytest.param(b"{}", "not_avro", id="not Avro"),
        pytest.param(b"\xc3\x01" + b"\0" * 8, "unknown_schema", id="an unknown schema"),
        pytest.param(r.messages(r.receipt())[0].value[:-3], "damaged", id="cut"),  # type: ignore[index]
    ],
)
def test_what_cannot_be_read_is_refused(writer: Writer, value: bytes, code: str) -> None:
    bad = Message("receipts", 0, 1, 0, value)
    refusals = writer.write([*r.messages(r.receipt()), bad])
    assert [(refusal.message, refusal.problem.code) for refusal in refusals] == [(bad, code)]


def test_tombstones_and_other_kinds_are_passed_over(client: Client, writer: Writer) -> None:
    other = replace(r.messages(r.episode())[0], topic="learnings")
    assert writer.write([Message("episodes", 0, 0, 0, None), other]) == []
    assert set(_counts(client).values()) == {0}


def test_a_clickhouse_that_is_not_ready_refuses_nothing(empty: Client) -> None:
    """Only what ClickHouse says of the data is the message's fault: here it has no tables yet."""
    with pytest.raises(Unavailable):
        Writer(empty, processors(r.SECRET)).write(r.messages(r.receipt()))


def test_a_connection_that_breaks_refuses_nothing(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(client, "data_insert", broken)
    with pytest.raises(Unavailable):
        Writer(client, processors(r.SECRET)).write(r.messages(r.receipt()))


def test_texts_come_back_whole(client: Client, writer: Writer) -> None:
    rule = "Größe prüfen; 🛟 don't use \\n or\ttabs 'as is'\nnew line"
    writer.write(r.messages(r.learning(rule)))
    assert _row(client, "learnings")["rule"] == rule
