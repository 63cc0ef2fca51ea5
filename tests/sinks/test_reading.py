"""SPEC 2.10, 5.6: what is computed at read comes out the same in SQL and in Python."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from clickhouse_connect.driver.client import Client

from schemas.decay import TYPE_FACTOR, decayed, half_life
from schemas.provenance import TIERS, provenance_tier
from sinks import reading
from sinks.ask import Ask
from sinks.recall import Recall
from sinks.writer import Writer
from tests.sinks import records as r

HALF_LIFE = 30.0
AGES = (timedelta(0), timedelta(hours=5), timedelta(days=400), timedelta(days=-3))  # clocks differ: of tomorrow is of now
LEARNINGS = [*product(TYPE_FACTOR, (0, 9), (0, 3), AGES)]


@pytest.fixture
def decays(client: Client) -> Iterator[Client]:
    """A client of a database in which confidence decays."""
    reading.tell(client, HALF_LIFE)
    yield client
    reading.tell(client, None)


def test_confidence_decays_alike_in_views_and_in_recall(decays: Client, writer: Writer) -> None:
    """SPEC 5.6: by type, recalls, outcomes and age; the evidence that was recorded stays."""
    now = datetime.now(UTC)
    learnings = [
        r.learning(entry_key=f"k/{n}", memory_type=kind, recall_count=recalls, success_count=outcomes, confidence=0.8, at=now - age)
        for n, (kind, recalls, outcomes, age) in enumerate(LEARNINGS)
    ]
    writer.write(r.messages(*learnings, r.agent_changed()))
    right = {
        f"k/{n}": decayed(0.8, age / timedelta(days=1), half_life(HALF_LIFE, kind, recalls, outcomes))
        for n, (kind, recalls, outcomes, age) in enumerate(LEARNINGS)
    }
    found = decays.query("SELECT entry_key, confidence FROM v_learnings").named_results()
    views = {row["entry_key"]: row["confidence"] for row in found}
    recall = Recall(decays, r.SECRET, HALF_LIFE).answer(Ask(org=r.ORG, agent=r.AGENT, text="refund status", limit=100))
    assert views == pytest.approx(right, abs=1e-4)
    assert {row["entry_key"]: row["confidence"] for row in recall.rows} == pytest.approx(right, abs=1e-4)
    assert decays.query("SELECT DISTINCT confidence FROM v_entry_versions").result_rows == [(0.8,)]


def test_a_pool_s_confidence_decays_as_what_nobody_recalled(decays: Client, writer: Writer) -> None:
    """SPEC 7.8."""
    age = timedelta(days=45)
    writer.write(r.messages(r.shared(memory_type="belief", success_count=1, at=datetime.now(UTC) - age), r.agent_changed(r.OTHER)))
    right = decayed(0.9, 45, half_life(HALF_LIFE, "belief", 0, 1))
    recall = Recall(decays, r.SECRET, HALF_LIFE).answer(Ask(org=r.ORG, agent=r.OTHER, text="refund status"))
    assert decays.query("SELECT confidence FROM v_pool").result_rows[0][0] == pytest.approx(right, abs=1e-4)
    assert [row["confidence"] for row in recall.rows] == [pytest.approx(right, abs=1e-4)]


def test_no_half_life_no_decay(client: Client, writer: Writer) -> None:
    """SPEC 5.6: off by default."""
    reading.tell(client, None)
    writer.write(r.messages(r.learning(confidence=0.8), r.shared(), r.agent_changed()))
    assert [client.query(f"SELECT confidence FROM {view}").result_rows for view in ("v_learnings", "v_pool")] == [[(0.8,)], [(0.9,)]]
    assert [
        row["confidence"] for row in Recall(client, r.SECRET).answer(Ask(org=r.ORG, agent=r.AGENT, text="refund", scope="own")).rows
    ] == [0.8]


def test_provenance(client: Client, writer: Writer) -> None:
    """SPEC 2.10."""
    reading.tell(client, None)
    cases = [(f"{prefix}one", outcomes) for prefix, *_ in TIERS for outcomes in (0, 2)]
    writer.write(r.messages(*(r.learning(agent=agent, entry_key=f"k/{n}", failure_count=n) for agent, n in cases)))
    for view in ("v_learnings", "v_entry_versions"):
        told = client.query(f"SELECT agent, failure_count, provenance_tier FROM {view}").result_rows
        assert {(agent, n): tier for agent, n, tier in told} == {(agent, n): provenance_tier(agent, n) for agent, n in cases}
