"""SPEC 2 and 5 whole: the core and a plain recount of the same events agree, whatever happened (issue D)."""

import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.aggregate.gate import CHECKS
from schemas.records import Learning
from tests.agents.aggregate.history import histories, history
from tests.agents.aggregate.model import Model

EXAMPLES = int(os.environ.get("TIDEGATE_TEST_HISTORIES", "300"))
"""CI runs 10,000 (.ci/run)."""


def shown(version: Learning) -> tuple[Any, ...]:
    """What the model shows of a learning, of a version's record."""
    confidence = round(version.confidence, 9) if version.state != "archived" else None
    gate = {c.condition: c.holds for c in version.gate}
    assert list(gate) == list(CHECKS) and gate["binding"]
    return (
        version.version,
        version.applied,
        version.helpful,
        version.success_count,
        version.failure_count,
        round(version.mass_success, 9),
        round(version.mass_failure, 9),
        confidence,
        version.evidence_status,
        version.trust,
        version.state,
        version.crossing,
        version.privacy,
        version.wording,
        tuple(gate[name] for name in ("privacy", "state", "enabled", "trust", "applied", "ratio")),
    )


def check_moves(versions: list[Learning]) -> None:
    """What outcomes moved leads, step by step, from each version's figures to the next one's."""
    confidence = mass = 0.0
    for before, version in zip([None, *versions], versions, strict=False):
        if before is None or before.wording != version.wording or not before.applied:
            confidence, mass = version.prior, 0.0
        for move in version.moves:
            assert move.confidence_before == confidence
            added = move.mass_success + move.mass_failure - 0.8 * mass
            assert move.weight is None or move.weight == pytest.approx(added)
            confidence, mass = move.confidence_after, move.mass_success + move.mass_failure
        assert version.state == "archived" or version.confidence == confidence


def modelled(version: int, shown: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same of the model's."""
    applied, helpful, s, f, es, ef, confidence, status, verified, state, crossing, privacy, wording, gate = shown
    read = confidence if state != "archived" else None
    trust = "agent_verified" if verified else "recorded"
    return version, applied, helpful, s, f, es, ef, read, status, trust, state, crossing, privacy, wording, gate


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories, st.integers(1, 40))
def test_core_and_model_agree(steps: list[Any], batch: int) -> None:
    """Every version of every learning, and how often each was recalled; `batch`: records that the core takes at a time."""
    table, model = history(steps), Model()
    for start in range(0, len(table.records), batch):
        table.step(table.records[start : start + batch])
    for record, event in zip(table.records, table.events, strict=True):
        model.take(record.at, event)
    versions: dict[str, list[Learning]] = {}
    for version in table.sent("entries"):
        versions.setdefault(version.learning_id, []).append(version)
    assert {learning_id: [shown(v) for v in each] for learning_id, each in versions.items()} == {
        learning_id: [modelled(n, at) for n, at in enumerate(learning.versions, 1)] for learning_id, learning in model.learnings.items()
    }
    for each in versions.values():
        check_moves(each)
    recalls = {c.learning_id: c.recall_count for c in table.sent("counters")}
    assert recalls == {id_: learning.recalls for id_, learning in model.learnings.items() if learning.recalls}
