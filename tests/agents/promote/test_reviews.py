"""SPEC 4.6, 4.8, 4.9: what reviewers do to a shared learning."""

from itertools import count
from typing import Any

import pytest

from schemas.codec import decode
from schemas.records import Receipt, Reviewed, SharedLearning
from tests.agents.promote.events import ORG, RULES, SPACE, START, Pool, cleared, source, withdrawn

MEMORY, SKILL = (cleared("agent/1", RULES["A"], 1, kind=kind) for kind in ("memory", "skill"))
_places = count(1_000)


def said(act: str, of: Any = MEMORY, reviewer: str = "mina", **changes: Any) -> Reviewed:
    fields: dict[str, Any] = {"org": ORG, "space": SPACE, "wording": of.wording, "subject": of.shared_id} | changes
    place = next(_places)
    return Reviewed(source=source(place), sender=0, act=act, reviewer=reviewer, received_at=START, **fields)


def stands(pool: Pool) -> tuple[str, str, str]:
    newest: SharedLearning = pool.newest("shared")[MEMORY.shared_id]
    return newest.state, newest.crossing, newest.visibility


def ends(pool: Pool) -> list[tuple[str, str | None]]:
    records = [decode(o.value) for o in pool.sent if o.topic == "receipts"]
    return [(r.end, r.reason) for r in records if isinstance(r, Receipt)]


@pytest.mark.parametrize(
    ("way", "standing", "decisions"),
    [
        pytest.param([MEMORY, said("hide")], ("active", "promoted", "hidden"), ["hidden"], id="hidden"),
        pytest.param([MEMORY, said("hide"), said("unhide")], ("active", "promoted", "shown"), ["hidden", "unhidden"], id="shown again"),
        pytest.param([MEMORY, said("demote")], ("active", "promoted", "demoted"), ["demoted"], id="demoted"),
        pytest.param([MEMORY, said("hide"), said("demote")], ("active", "promoted", "demoted"), ["hidden", "demoted"], id="both"),
        pytest.param([MEMORY, said("object")], ("active", "objected", "shown"), ["objected"], id="objected"),
        pytest.param([MEMORY, said("object"), said("retract")], ("active", "promoted", "shown"), ["objected", "returned"], id="retracted"),
        pytest.param(
            [MEMORY, said("object"), said("object", reviewer="ola"), said("retract")],
            ("active", "objected", "shown"),
            ["objected", "objected", "retracted"],
            id="one of two objections is open",
        ),
        pytest.param(
            [MEMORY, said("object"), withdrawn(MEMORY, 2)], ("active", "withdrawn", "shown"), ["objected", "withdrawn"], id="gone"
        ),
        pytest.param([SKILL, said("approve", SKILL)], ("active", "promoted", "shown"), ["promoted"], id="a skill that a person signed"),
        pytest.param(
            [SKILL, said("object", SKILL), said("retract", SKILL)],
            ("active", "awaiting_signatures", "shown"),
            ["objected", "retracted"],
            id="a skill back in the queue",
        ),
        pytest.param([SKILL, said("reject", SKILL)], ("rejected", "withdrawn", "shown"), ["rejected"], id="a skill that was rejected"),
        pytest.param([MEMORY, said("reject")], ("rejected", "withdrawn", "shown"), ["rejected", "withdrawn"], id="rejected"),
        pytest.param(
            [SKILL, said("approve", SKILL, "agent/2"), cleared("agent/2", RULES["A"], 2, kind="skill")],
            ("active", "awaiting_signatures", "shown"),
            ["promoted", "withdrawn"],
            id="a skill whose signer brought it too",
        ),
    ],
)
def test_what_an_act_comes_to(way: list[Any], standing: tuple[str, str, str], decisions: list[str]) -> None:
    """SPEC 4.8: an open objection holds promotion until it is retracted. SPEC 4.6: a person signs what needs a signature."""
    pool = Pool()
    pool.take(way[0])
    made = len(pool.decisions())
    pool.take(*way[1:])
    assert (stands(pool), [d.decision for d in pool.decisions()[made:]]) == (standing, decisions)
    assert set(ends(pool)) == {("stored", None)}


@pytest.mark.parametrize(
    ("way", "why"),
    [
        pytest.param([said("hide", reviewer="agent/1")], "own", id="its donor"),
        pytest.param([cleared("agent/2", RULES["A"], 2), said("approve", reviewer="agent/2")], "own", id="a corroborator"),
        pytest.param([said("hide", wording="ab" * 8)], "another_wording", id="of another wording"),
        pytest.param([said("hide", space="department/x")], "unknown_entry", id="of another pool"),
        pytest.param([said("hide", subject="ab" * 16)], "unknown_entry", id="of nothing"),
        pytest.param([said("unhide")], "not_possible", id="shown already"),
        pytest.param([said("approve")], "not_possible", id="nothing waits for it"),
        pytest.param([said("retract")], "not_possible", id="nobody objects"),
        pytest.param([said("object"), said("retract", reviewer="ola")], "not_possible", id="another's objection"),
        pytest.param([said("object"), said("object")], "not_possible", id="objected already"),
        pytest.param([said("demote"), said("unhide")], "not_possible", id="demoted for good"),
        pytest.param([said("reject"), said("reject")], "not_possible", id="rejected already"),
    ],
)
def test_what_is_refused(way: list[Any], why: str) -> None:
    """SPEC 4.6, 4.9: nobody acts on what they brought, and what can't be done makes no version."""
    pool = Pool()
    pool.take(MEMORY, *way[:-1])
    before = stands(pool), pool.newest("shared")[MEMORY.shared_id].version
    pool.take(way[-1])
    assert ends(pool)[-1] == ("refused", why)
    assert (stands(pool), pool.newest("shared")[MEMORY.shared_id].version) == before


def test_a_rejected_wording_stays_out_whoever_brings_it() -> None:
    """SPEC 2.12"""
    pool = Pool()
    pool.take(MEMORY, said("reject"), cleared("agent/2", RULES["A"], 2), cleared("agent/3", RULES["A"], 3))
    assert stands(pool) == ("rejected", "withdrawn", "shown")


def test_the_journal_is_told_who_and_why() -> None:
    """SPEC 4.9, 6.8: content and reason of what was rejected, in the restricted chain; reasons as texts, which can be erased."""
    pool = Pool()
    pool.take(MEMORY, said("hide", reason="looks odd"), said("reject", reason="is wrong"))
    hidden, rejected, gone = pool.decisions()[-3:]
    assert (hidden.chain, hidden.actor, hidden.texts) == ("public", "mina", {"reason": "looks odd"})
    assert (rejected.chain, rejected.texts) == ("restricted", {"rule": RULES["A"], "reason": "is wrong"})
    assert (gone.chain, gone.decision, gone.actor, gone.texts) == ("public", "withdrawn", "promote", {})
    assert rejected.decision_id != gone.decision_id


def test_a_review_that_comes_again_changes_nothing() -> None:
    """SPEC 5.2"""
    pool = Pool()
    hide, show = said("hide"), said("unhide")
    pool.take(MEMORY, hide, show)
    assert pool.take(hide, show) == []
    assert stands(pool) == ("active", "promoted", "shown")
