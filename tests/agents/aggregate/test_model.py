"""SPEC 2 and 5 whole: the core and a plain recount of the same events agree, whatever happened (issue D)."""

import os
from typing import Any

from hypothesis import given, settings

from agents.aggregate.gate import CHECKS
from schemas.codec import decode
from schemas.records import Learning
from tests.agents.aggregate.history import histories, history
from tests.agents.aggregate.model import Model

EXAMPLES = int(os.environ.get("TIDEGATE_TEST_HISTORIES", "300"))


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


def modelled(model: Model, learning_id: str) -> tuple[Any, ...]:
    learning = model.learnings[learning_id]
    applied, helpful, s, f, es, ef, confidence, status, verified, state, crossing, privacy, wording, gate = learning.shown
    read = confidence if state != "archived" else None
    trust = "agent_verified" if verified else "recorded"
    return learning.version, applied, helpful, s, f, es, ef, read, status, trust, state, crossing, privacy, wording, gate


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories)
def test_core_and_model_agree(steps: list[Any]) -> None:
    table, model = history(steps), Model()
    for record in table.records:
        table.step([record])
        model.take(record.at, decode(record.value))
        newest = {v.learning_id: v for v in table.sent("entries")}
        assert {id_: shown(v) for id_, v in newest.items()} == {id_: modelled(model, id_) for id_ in model.learnings}
    recalls = {c.learning_id: c.recall_count for c in table.sent("counters")}
    assert recalls == {id_: learning.recalls for id_, learning in model.learnings.items() if learning.recalls}
