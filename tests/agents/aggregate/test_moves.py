"""SPEC 2.2, 5.4: a version says which outcome moved it by how much."""

import pytest

from schemas.records import Learning
from tests.agents.aggregate.log import KEY, Log, Table, known


def moves(version: Learning) -> list[tuple[str, str, float | None, float]]:
    """Outcome, result, weight and what confidence came to."""
    return [(m.outcome_id, m.result, m.weight and round(m.weight, 4), round(m.confidence_after, 4)) for m in version.moves]


def test_an_outcome_moves_by_its_weight() -> None:
    """SPEC 5.4: severity × causal confidence ÷ entries applied × surprise."""
    log = Log()
    table = known(log, confidence=0.7).take(
        log.outcome("o-1", "success"),
        log.outcome("o-2", "critical_failure", log.credit(), log.credit("elsewhere", part=1), causal_confidence=0.5),
    )
    first, second = table.versions()[1:]
    assert moves(first) == [("o-1", "success", 1.3, 0.8182)]
    (move,) = second.moves
    assert move.weight == pytest.approx(3 * 0.5 / 2 * (1 + first.confidence))
    assert (move.mass_success, move.mass_failure) == (second.mass_success, second.mass_failure)
    assert (move.confidence_before, move.confidence_after) == (first.confidence, second.confidence)


def test_early_outcomes_are_told_one_by_one() -> None:
    """SPEC 5.2: those that waited count in order, within the version that they waited for."""
    log = Log()
    table = Table().take(log.outcome("o-1", "success"), log.outcome("o-2", "failure"), log.run("r-1", {"confidence": 0.7}))
    (only,) = table.versions()
    assert moves(only) == [("o-1", "success", 1.3, 0.8182), ("o-2", "failure", 3.6364, 0.3655)]
    assert (only.cause.what, only.moves[0].confidence_before, only.moves[-1].confidence_after) == ("created", 0.7, only.confidence)


def test_an_amendment_has_no_weight_of_its_own() -> None:
    """SPEC 5.10: all that came after the one that it replaces is counted again."""
    log = Log()
    table = known(log, confidence=0.7).take(log.outcome("o-1", "failure"), log.outcome("o-2", "success"))
    table.take(log.outcome("a-1", "retracted", amends="o-1", credits=()))
    assert moves(table.newest()) == [("a-1", "retracted", None, 0.8182)]


@pytest.mark.parametrize("what", ["not applied", "replaced", "recalled"])
def test_what_moves_nothing_is_no_move(what: str) -> None:
    log = Log()
    table = known(log).take(log.run("r-2", {"rule": "another wording"}))
    if what == "recalled":
        table.take(log.recalled(KEY))
    else:
        table.take(log.outcome("o-1", "failure", log.credit(applied=False) if what == "not applied" else log.credit(version=1)))
    assert len(table.versions()) == 2 and not any(v.moves for v in table.versions())
