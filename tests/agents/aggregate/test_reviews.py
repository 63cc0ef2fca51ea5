"""SPEC 2.12, 3.11, 4.2, 4.9: what reviewers do to an agent's learning, every act from wherever it may stand."""

from dataclasses import replace
from typing import Any

import pytest

from agents.acts import DONE, STATE, VISIBILITY
from schemas.records import Reviewed
from tests.agents.aggregate.log import AGENT, IDS, KEY, START, Log, Table, known

HELD: dict[str, Any] = {"hold": "injection"}


def said(log: Log, act: str, reviewer: str = "mina", **changes: Any) -> list[Any]:
    review = Reviewed(
        source=log.source("reviews"),
        sender=0,
        org=log.org,
        agent=log.agent,
        subject=log.learning(),
        act=act,
        reviewer=reviewer,
        received_at=START,
    )
    log.offsets["reviews"] += 1
    return [replace(review, **changes)]


def clear(log: Log, table: Table) -> Table:
    return table.take(*(log.outcome(f"o-{n}") for n in range(3)))


# The way to each place where a learning may stand: what it is made with, and the acts.
WAYS: dict[tuple[str, str], tuple[dict[str, Any], tuple[str, ...]]] = {
    ("active", "shown"): ({}, ()),
    ("active", "hidden"): ({}, ("hide",)),
    ("active", "demoted"): ({}, ("demote",)),
    ("held", "shown"): (HELD, ()),
    ("held", "hidden"): (HELD, ("hide",)),
    ("held", "demoted"): (HELD, ("demote",)),
    ("rejected", "shown"): (HELD, ("reject",)),
    ("rejected", "hidden"): (HELD, ("reject", "hide")),
}


@pytest.mark.parametrize("act", ["hide", "unhide", "demote", "approve", "reject"])
@pytest.mark.parametrize("place", WAYS, ids="-".join)
def test_every_act_from_every_place(place: tuple[str, str], act: str) -> None:
    """SPEC 2.12: what the tables know is done; anything else is refused and makes no version."""
    log = Log()
    made, way = WAYS[place]
    table = known(log, **made).take(*(said(log, one) for one in way))
    before, place_of = table.newest(), f"reviews:{log.offsets['reviews']}"
    assert (before.state, before.visibility) == place
    table.take(said(log, act))
    state, visibility = place
    moved = (STATE.get((state, act), state), VISIBILITY.get((visibility, act), visibility))
    now = table.newest()
    assert (now.state, now.visibility) == moved
    if moved == place:
        assert (now, table.ends()[place_of, "review"]) == (before, ("refused", "not_possible"))
    else:
        assert (now.version, now.cause.what, now.cause.by) == (before.version + 1, DONE[act], "mina")
        assert table.ends()[place_of, "review"] == ("stored", None)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        pytest.param({"reviewer": "agent/a"}, "own", id="its author"),
        pytest.param({"wording": IDS.wording("something else", None)}, "another_wording", id="it was rewritten"),
        pytest.param({"subject": "ab" * 16}, "unknown_entry", id="no such learning"),
        pytest.param({"agent": "agent/b"}, "unknown_entry", id="another's"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], why: str) -> None:
    """SPEC 4.9: nobody acts on their own."""
    log = Log(agent="agent/a")
    table = known(log)
    versions = len(table.versions())
    table.take(said(log, "hide", **changes))
    assert (table.ends()["reviews:0", "review"], len(table.versions())) == (("refused", why), versions)


def test_a_hidden_one_loses_the_gate_at_once_and_returns_a_day_later() -> None:
    """SPEC 2.12, 6.1"""
    log = Log()
    table = clear(log, known(log))
    assert table.newest().crossing == "candidate"
    table.take(said(log, "hide"))
    assert (table.newest().crossing, table.sent("candidates")[-1].reason) == ("withdrawn", "state")
    table.take(said(log, "unhide"))
    assert table.newest().crossing == "withdrawn"
    assert table.wait(hours=23).newest().crossing == "withdrawn"
    assert table.wait(hours=2).newest().crossing == "candidate"


def test_an_author_does_not_undo_it_by_another_wording() -> None:
    log = Log()
    table = known(log).take(said(log, "hide"), log.run("r-2", {"rule": "check the status first, always"}))
    assert (table.newest().version, table.newest().visibility) == (3, "hidden")


def test_outcomes_of_a_hidden_one_count_and_cross_nothing() -> None:
    """SPEC 2.12"""
    log = Log()
    table = clear(log, known(log).take(said(log, "hide")))
    assert (table.newest().applied, table.newest().crossing, table.sent("candidates")) == (3, "none", [])


def test_nobody_clears_what_is_hard() -> None:
    """SPEC 4.2: it waits until it is rejected or expires."""
    log = Log()
    table = known(log, hold="github_token", hold_hard=True).take(said(log, "approve"))
    assert (table.ends()["reviews:0", "review"], table.newest().state) == (("refused", "hard"), "held")
    assert table.take(said(log, "reject")).newest().state == "rejected"


def test_what_turns_out_hard_nobody_clears() -> None:
    """SPEC 4.2: the same masked wording, brought again with a credential in it, while a person could still have released it."""
    log = Log()
    table = known(log, **HELD).take(log.run("r-2", {"hold": "github_token", "hold_hard": True}), said(log, "approve"))
    assert (table.ends()["reviews:0", "review"], table.newest().state, table.newest().hold) == (("refused", "hard"), "held", "github_token")
    assert table.take(log.run("r-3", HELD), said(log, "approve")).newest().state == "held"
    assert table.wait(days=30).newest().state == "expired"


@pytest.mark.parametrize(("hold", "state"), [(HELD, "active"), ({"hold": "github_token", "hold_hard": True}, "held")])
@pytest.mark.parametrize("way_back", ["written again", "rolled back"])
def test_a_released_wording_stays_released_after_another(way_back: str, hold: dict[str, Any], state: str) -> None:
    """SPEC 2.8, 4.3: a person settled what was found in it; what is hard was not theirs to settle."""
    log = Log()
    table = known(log, **HELD).take(said(log, "approve"), log.run("r-2", {"rule": "look first"}))
    table.take(log.run("r-3", hold) if way_back == "written again" else log.rollback(1, **hold))
    assert (table.newest().rule, table.newest().state) == ("check the status first", state)


def test_a_released_wording_is_not_held_again_and_a_rejected_one_does_not_come_back() -> None:
    """SPEC 2.12"""
    log = Log()
    released = known(log, **HELD).take(said(log, "approve"), log.run("r-2", HELD))
    assert released.newest().state == "active"
    log = Log()
    rejected = known(log, **HELD).take(said(log, "reject"), log.run("r-2", HELD))
    assert (rejected.newest().state, rejected.ends()["runs:1", "learning:0"]) == ("rejected", ("refused", "rejected"))
    assert rejected.take(log.run("r-3", {"rule": "look first"})).newest().state == "active"


def test_what_was_decided_and_why_goes_to_the_restricted_chain() -> None:
    """SPEC 4.4, 4.9: content and reason of what was rejected are kept."""
    log = Log()
    table = known(log, **HELD).take(said(log, "reject", reason="an order"))
    decision = table.sent("decisions")[-1]
    assert (decision.decision, decision.chain, decision.actor) == ("rejected", "restricted", "mina")
    assert decision.texts == {"rule": "check the status first", "reason": "an order"}
    log = Log()
    table = known(log).take(said(log, "hide"), said(log, "unhide"), said(log, "demote"))
    assert table.decisions() == [("hidden", "restricted"), ("unhidden", "restricted"), ("demoted", "restricted")]


@pytest.mark.parametrize(
    ("floor", "reason", "end", "privacy"),
    [
        ("agent_specific", "a made-up person", ("stored", None), "shareable"),
        ("agent_specific", None, ("refused", "reason_needed"), "agent_specific"),
        ("sensitive", "a made-up key", ("refused", "hard"), "sensitive"),
        ("none", "nothing", ("refused", "not_possible"), "shareable"),
    ],
)
def test_a_person_s_floor_may_be_lifted_from_a_wording(floor: str, reason: str | None, end: tuple[str, str | None], privacy: str) -> None:
    """SPEC 3.11: with a reason; never a credential's; and for that wording alone."""
    log = Log()
    given = {"floor": floor, "floor_reason": None if floor == "none" else "phone"}
    table = known(log, **given).take(said(log, "lift", reason=reason))
    assert (table.ends()["reviews:0", "review"], table.newest().privacy) == (end, privacy)
    table.take(log.run("r-2", {"rule": "another one", **given}))
    assert table.newest().privacy == (floor if floor != "none" else "shareable")


def back(log: Log, version: int, reviewer: str = "mina", **learning: Any) -> list[Any]:
    """A reviewer's rollback."""
    return [
        replace(one, reviewer=reviewer, reason="it was right", source=replace(one.source, topic="reviews"))
        for one in log.rollback(version, **learning)
    ]


def test_a_reviewer_rolls_back() -> None:
    """SPEC 2.8, 4.9: as its author would, and the journal says who and why."""
    log = Log()
    table = known(log).take(log.run("r-2", {"rule": "look first"}), back(log, 1))
    now = table.newest()
    assert (now.rule, now.version, now.cause.what, now.cause.by) == ("check the status first", 3, "rolled_back", "mina")
    decision = table.sent("decisions")[-1]
    assert (decision.decision, decision.actor, decision.texts) == ("rolled_back", "mina", {"reason": "it was right"})
    assert table.ends()["reviews:0", "review"] == ("stored", None)


@pytest.mark.parametrize(
    ("reviewer", "version", "why"), [("agent/a", 1, "own"), ("mina", 9, "unknown_version"), ("mina", 2, "another_wording")]
)
def test_a_rollback_that_is_refused(reviewer: str, version: int, why: str) -> None:
    """SPEC 2.8, 4.9: nobody acts on their own."""
    log = Log(agent="agent/a")
    table = known(log).take(log.run("r-2", {"rule": "look first"}), back(log, version, reviewer))
    assert (table.ends()["reviews:0", "review"], table.newest().rule) == (("refused", why), "look first")


def test_a_banned_agent_writes_no_learnings_until_the_ban_ends() -> None:
    """SPEC 4.9: its next writes; what it wrote stays, and a reviewer may still roll it back."""
    log = Log()
    ban = {"subject": log.agent}
    table = known(log).take(said(log, "ban", reason="repeats orders", **ban), log.run("r-2", {"rule": "look first"}), log.outcome("o-1"))
    assert table.ends()["runs:1", "learning:0"] == ("refused", "banned")
    assert (table.newest().rule, table.newest().applied) == ("check the status first", 1)
    assert table.take(said(log, "unban", **ban), log.run("r-3", {"rule": "look first"})).newest().rule == "look first"
    told = [(d.decision, d.actor, d.subject, d.chain, d.texts) for d in table.sent("decisions")]
    assert told == [
        ("banned", "mina", log.agent, "restricted", {"reason": "repeats orders"}),
        ("unbanned", "mina", log.agent, "restricted", {}),
    ]


@pytest.mark.parametrize(
    ("acts", "reviewer", "why"), [(["ban"], AGENT, "own"), (["ban", "ban"], "mina", "not_possible"), (["unban"], "mina", "not_possible")]
)
def test_a_ban_that_is_refused(acts: list[str], reviewer: str, why: str) -> None:
    log = Log()
    table = known(log).take(*(said(log, act, reviewer, subject=log.agent) for act in acts))
    assert table.ends()[f"reviews:{len(acts) - 1}", "review"] == ("refused", why)


def test_a_review_that_comes_again_changes_nothing() -> None:
    """SPEC 5.2"""
    log = Log()
    table = known(log)
    review = said(log, "hide")
    table.take(review, said(log, "unhide"), review)
    assert (table.newest().visibility, len(table.versions()), KEY) == ("shown", 3, table.newest().entry_key)
    assert table.wait(days=1).newest().visibility == "shown"
