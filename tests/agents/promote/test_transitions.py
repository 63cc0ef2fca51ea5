"""SPEC 2.12: from where to where a shared learning may cross, walked whole."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from agents.binding.batch import Incoming
from agents.promote.pool import RUNGS, TRANSITIONS
from schemas.codec import decode
from schemas.records import SharedLearning
from tests.agents.promote.events import RULES, Pool, cleared, credited, withdrawn
from tests.agents.promote.test_exactly_once import logs
from tests.agents.promote.test_reviews import said

MEMORY, SKILL = (cleared("agent/1", RULES["A"], 1, kind=kind) for kind in ("memory", "skill"))


def again(original: Any, at: int) -> Any:
    return replace(original, source=replace(original.source, offset=at))


# The way to each transition: the last record makes it.
WAYS: dict[tuple[str, str], list[Any]] = {
    ("none", "promoted"): [MEMORY],
    ("none", "awaiting_signatures"): [SKILL],
    ("promoted", "withdrawn"): [MEMORY, withdrawn(MEMORY, 2)],
    ("withdrawn", "promoted"): [MEMORY, withdrawn(MEMORY, 2), again(MEMORY, 3)],
    ("awaiting_signatures", "withdrawn"): [SKILL, withdrawn(SKILL, 2)],
    ("withdrawn", "awaiting_signatures"): [SKILL, withdrawn(SKILL, 2), again(SKILL, 3)],
    ("awaiting_signatures", "promoted"): [SKILL, said("approve", SKILL)],
    ("promoted", "awaiting_signatures"): [SKILL, said("approve", SKILL, "agent/2"), cleared("agent/2", RULES["A"], 2, kind="skill")],
    ("promoted", "objected"): [MEMORY, said("object")],
    ("objected", "promoted"): [MEMORY, said("object"), said("retract")],
    ("awaiting_signatures", "objected"): [SKILL, said("object", SKILL)],
    ("objected", "awaiting_signatures"): [SKILL, said("object", SKILL), said("retract", SKILL)],
    ("objected", "withdrawn"): [MEMORY, said("object"), withdrawn(MEMORY, 2)],
    ("withdrawn", "objected"): [MEMORY, said("object"), withdrawn(MEMORY, 2), again(MEMORY, 3)],
}


@pytest.mark.parametrize(("before", "after"), TRANSITIONS)
def test_each_transition_and_its_decision(before: str, after: str) -> None:
    pool = Pool()
    *way, last = WAYS[before, after]
    pool.take(*way)
    decisions = len(pool.decisions())
    crossed = [r.crossing for r in pool.newest("shared").values()] or ["none"]
    pool.take(last)
    assert (crossed, [r.crossing for r in pool.newest("shared").values()]) == ([before], [after])
    assert [d.decision for d in pool.decisions()[decisions:]] == [d for d in [TRANSITIONS[before, after]] if d]


@settings(max_examples=60, deadline=None)
@given(log=logs())
def test_no_other_transition(log: list[Incoming]) -> None:
    """Versions count from 1 without a gap, revisions rise, each version but by a transition of the table."""
    pool = Pool()
    pool.step(log)
    versions: dict[str, list[SharedLearning]] = {}
    for message in pool.sent:
        record = decode(message.value)
        if isinstance(record, SharedLearning):
            versions.setdefault(record.shared_id, []).append(record)
    for history in versions.values():
        assert [v.version for v in history] == list(range(1, len(history) + 1))
        assert all(a.revision < b.revision for a, b in pairwise(history))
        crossings = ["none", *(v.crossing for v in history)]
        assert {(a, b) for a, b in pairwise(crossings) if a != b} <= TRANSITIONS.keys()
        assert all(v.trust in RUNGS for v in history)


def test_a_withdrawn_one_counts_and_crosses_nothing() -> None:
    """SPEC 2.12: outcomes for a withdrawn one count."""
    pool = Pool()
    pool.take(MEMORY, withdrawn(MEMORY, 2), credited("agent/2", MEMORY, 3, "unknown"))
    copy = pool.newest("shared")[MEMORY.shared_id]
    assert (copy.applied, copy.crossing) == (1, "withdrawn")
