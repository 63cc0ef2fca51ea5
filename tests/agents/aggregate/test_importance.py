"""SPEC 2.2, 5.8: importance from dimensions."""

from typing import Any

import pytest

from agents.aggregate.core import Aggregate
from agents.aggregate.gate import GatePolicy
from agents.aggregate.importance import importance
from tests.agents.aggregate.log import KEY, SECRET, Log, Table

PROCEDURE = {"memory_type": "procedure", "value": '{"goal":"refund","steps":["ask","check","act","tell"]}'}


def judged(table: Table, entry_key: str = KEY) -> dict[str, float]:
    return {d.name: round(d.figure, 4) for d in table.newest(entry_key).dimensions}


@pytest.mark.parametrize(
    ("learning", "known"),
    [
        ({}, {}),
        ({"entry_key": "a/risk-late"}, {"severity": 0.9}),
        ({"entry_key": "a/task-summary-1"}, {"severity": 0.2}),
        (PROCEDURE, {"effort": 0.5}),
        ({**PROCEDURE, "value": '["no steps"]'}, {}),
        ({**PROCEDURE, "memory_type": "fact"}, {}),
        ({"importance": 0.3, "entry_key": "a/risk-late"}, {}),
    ],
)
def test_what_the_record_itself_tells(learning: dict[str, Any], known: dict[str, float]) -> None:
    """What is not known is left out; what an author gave is not judged."""
    table = Table().take(Log().run("r-1", learning))
    newest = table.newest(learning.get("entry_key", KEY))
    assert judged(table, newest.entry_key) == known
    assert newest.importance == (learning.get("importance") if not known else importance(1.0, known))


def test_novelty_is_against_the_agent_s_own() -> None:
    """The share of a wording's words that none of the agent's had before; another agent's do not count."""
    rules = ("check orders twice", "check orders again", "check orders twice", "never promise delivery dates")
    log, other = Log(), Log(agent="agent/b")
    table = Table().take(*(log.run(f"r-{n}", {"entry_key": f"k/{n}", "rule": rule}) for n, rule in enumerate(rules)))
    table.take(other.run("r-1", {"entry_key": "k/other", "rule": rules[0]}))
    assert [judged(table, f"k/{n}").get("novelty") for n in (0, 1, 2, 3, "other")] == [None, 0.3333, 0.0, 1.0, None]


def test_use_and_evidence_move_it() -> None:
    """Each use adds to reuse; what outcomes make of confidence moves all of it, as it moves the tier."""
    log = Log()
    table = Table().take(log.run("r-1", {"confidence": 0.7}), log.recalled(KEY, KEY, KEY), log.outcome("o-1"))
    once = table.newest()
    assert judged(table) == {"reuse": 0.75}
    assert once.importance == importance(once.confidence, {"reuse": 0.75})
    table.take(log.outcome("o-2", "critical_failure"))
    assert judged(table)["reuse"] > 0.75 and (table.newest().importance or 1) < (once.importance or 0)


@pytest.mark.parametrize(
    ("confidence", "known", "comes_to"),
    [(0.8, {}, None), (0.8, {"a": 0.5}, 0.8), (0.8, {"a": 0.0}, 0.4), (0.5, {"a": 1.0, "b": 0.5}, 0.625), (0.9, {"a": 1.0}, 1.0)],
)
def test_importance_is_confidence_moved_by_the_dimensions(confidence: float, known: dict[str, float], comes_to: float | None) -> None:
    """SPEC 5.8: where nothing is known there is none, and confidence stands in."""
    assert importance(confidence, known) == (comes_to if comes_to is None else pytest.approx(comes_to))


def test_another_evaluator_may_be_given() -> None:
    core = Aggregate(SECRET, GatePolicy(), lambda learning, figures, recalls: {"length": len(learning.rule or "") / 100})
    log, table = Log(), Table()
    result = core.step(3, table.write(log.run("r-1", {"rule": "x" * 50})), table.values.get)
    table.out += result.out
    assert (judged(table), table.newest().importance) == ({"length": 0.5}, 1.0)
