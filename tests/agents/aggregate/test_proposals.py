"""SPEC 2.8, 2.9, 2.12, 3.11, 4.2: what a write to a key does."""

from dataclasses import replace
from typing import Any

import pytest

from tests.agents.aggregate.log import AGENT, IDS, START, Log, known


def test_made() -> None:
    log = Log()
    newest = known(log, confidence=0.7, privacy="sensitive", tools=("t",), importance=0.5).newest()
    assert (newest.version, newest.revision, newest.state, newest.crossing, newest.visibility) == (1, 1, "active", "none", "shown")
    assert (newest.evidence_status, newest.trust, newest.confidence, newest.prior) == ("untested", "recorded", 0.7, 0.7)
    assert (newest.cause.what, newest.cause.id, newest.cause.by, newest.cause.confidence_before) == ("created", "r-1", AGENT, None)
    assert (newest.learning_id, newest.home_space, newest.tier, newest.recall_count) == (log.learning(), "commons", 1, 0)
    assert newest.privacy == "sensitive" and newest.floor is None


def test_an_identical_restatement_inherits_evidence() -> None:
    """SPEC 2.9, 5.9: and brings none, whoever had recalled what."""
    log = Log()
    table = known(log, confidence=0.7).take(log.outcome("o-1"), log.run("r-2", {"confidence": 0.1, "cue": "another cue"}))
    newest = table.newest()
    assert (newest.version, newest.cause.what, newest.run_id, newest.cue) == (3, "restated", "r-2", "another cue")
    assert (newest.applied, newest.prior, round(newest.confidence, 4)) == (1, 0.7, 0.8182)


def test_the_prior_is_frozen_at_the_first_outcome_only() -> None:
    """SPEC 5.4."""
    log = Log()
    assert known(log, confidence=0.7).take(log.run("r-2", {"confidence": 0.1})).newest().confidence == 0.1


@pytest.mark.parametrize("changed", [{"rule": "another"}, {"value": '"another"'}])
def test_a_changed_rule_or_value_starts_untested(changed: dict[str, Any]) -> None:
    log = Log()
    table = known(log).take(log.outcome("o-1"), log.run("r-2", changed))
    newest = table.newest()
    assert (newest.version, newest.cause.what, newest.applied, newest.evidence_status) == (3, "rewritten", 0, "untested")
    table.take(log.run("r-3", {}), log.outcome("a-1", "failure", amends="o-1"))
    assert (table.newest().applied, table.newest().wording) == (1, IDS.wording("check the status first", None))
    assert table.newest().failure_count == 1  # the wording is as it was, what it had earned under it is not


@pytest.mark.parametrize(
    ("first", "second", "privacy"),
    [
        ({"floor": "sensitive"}, {}, "sensitive"),
        ({}, {"floor": "sensitive"}, "sensitive"),
        ({"floor": "agent_specific"}, {"floor": "sensitive"}, "sensitive"),
        ({"floor": "sensitive"}, {"rule": "another"}, "shareable"),
        ({"privacy": "sensitive"}, {}, "shareable"),
        ({"privacy": "sensitive", "floor": "agent_specific"}, {}, "agent_specific"),
    ],
)
def test_a_restatement_keeps_the_stricter_floor(first: dict[str, Any], second: dict[str, Any], privacy: str) -> None:
    """SPEC 3.11: what the author states may loosen, the floor may not."""
    log = Log()
    assert known(log, **first).take(log.run("r-2", second)).newest().privacy == privacy


@pytest.mark.parametrize(("rule", "days"), [("masked", 30), (None, 7)])
def test_held_until_it_expires(rule: str | None, days: int) -> None:
    """SPEC 4.2, 3.10."""
    log = Log()
    table = known(log, rule=rule, hold="github_token", hold_hard=True)
    assert (table.newest().state, table.newest().hold, table.newest().rule) == ("held", "github_token", rule)
    assert table.ends()["runs:0", "learning:0"] == ("held", "github_token")
    table.take(*(log.outcome(f"o-{n}") for n in range(3)))
    assert (table.newest().applied, table.newest().crossing) == (3, "none")  # it counts and crosses nothing (SPEC 2.12)
    table.wait(days=days, seconds=-10)
    assert table.newest().state == "held"
    table.wait(seconds=10)
    assert (table.newest().state, table.newest().cause.what, table.newest().hold) == ("expired", "expired", None)
    assert table.decisions() == [("held", "restricted"), ("expired", "restricted")]


def test_a_held_wording_stays_held_for_the_time_it_had() -> None:
    log = Log()
    table = known(log, hold="override").wait(days=29).take(log.run("r-2", {"hold": "override"}))
    assert table.decisions() == [("held", "restricted")]
    table.wait(days=2)
    assert table.newest().state == "expired"


def test_a_held_wording_may_be_written_anew() -> None:
    log = Log()
    table = known(log, hold="override").take(log.run("r-2", {"rule": "clean"}))
    assert (table.newest().state, table.newest().hold) == ("active", None)
    table.take(log.run("r-3", {"rule": "worse", "hold": "override"}))
    assert table.newest().state == "held"
    assert [name for name, _ in table.decisions()] == ["held", "superseded", "held"]


def test_time_to_live() -> None:
    """SPEC 2.9, 5.11: archived by stream time, confidence reads 0.0, evidence stays and goes on counting."""
    log = Log()
    table = known(log, ttl_at=START.replace(hour=1)).take(log.outcome("o-1")).wait(minutes=58)
    assert table.newest().state == "active"
    table.wait(minutes=2)
    assert (table.newest().state, table.newest().confidence, table.newest().cause.what) == ("archived", 0.0, "ttl")
    table.take(log.outcome("o-2"))
    assert (table.newest().applied, table.newest().confidence, round(table.newest().mass_success, 4)) == (2, 0.0, 1.8)
    table.take(log.run("r-2", {}))
    assert (table.newest().state, table.newest().applied, table.newest().confidence) == ("active", 2, 1.0)


def test_a_time_to_live_in_the_past_archives_at_once() -> None:
    log = Log()
    table = known(log, ttl_at=START.replace(year=2020)).take(log.outcome("o-1"))
    assert [(v.version, v.state, v.confidence) for v in table.versions()] == [(1, "archived", 0.0), (2, "archived", 0.0)]
    assert table.newest().applied == 1


def test_it_lives_by_events_as_by_ticks() -> None:
    """SPEC 5.11: any record moves stream time on; the version of an event holds all that it changed."""
    log = Log()
    table = known(log, ttl_at=START.replace(hour=1))
    table.at = START.replace(hour=2)
    table.take(log.outcome("o-1"))
    assert [(v.version, v.state, v.cause.what, v.applied) for v in table.versions()] == [
        (1, "active", "created", 0),
        (2, "archived", "outcome", 1),
    ]


def test_recalls_are_counted_without_a_version() -> None:
    """SPEC 2.8, 7.8."""
    log = Log()
    table = known(log).take(log.recalled("support/pattern-check", "support/pattern-check", "never"), log.recalled("support/pattern-check"))
    assert [(c.recall_count, c.revision, c.tier) for c in table.sent("counters")] == [(2, 2, 1), (3, 3, 1)]
    assert len(table.versions()) == 1
    table.take(log.outcome("o-1"))
    assert (table.newest().recall_count, table.newest().revision) == (3, 4)


def rollback(log: Log, to: int, **learning: Any) -> list[Any]:
    """A rollback is a write that carries an old version's wording, scanned anew; it comes from no run."""
    (event,) = log.run("-", {"rollback_to": to} | learning)[1:]
    return [replace(event, run_id=None)]


def test_rollback_makes_the_old_wording_the_newest() -> None:
    """SPEC 2.8."""
    log = Log()
    table = known(log).take(log.outcome("o-1"), log.run("r-2", {"rule": "another"}), rollback(log, 2))
    newest = table.newest()
    assert (newest.version, newest.rule, newest.cause.what, newest.cause.id) == (4, "check the status first", "rolled_back", "2")
    assert (newest.applied, newest.evidence_status) == (0, "untested")
    table.take(rollback(log, 3, rule="another"), rollback(log, 5, rule="another"))
    assert (table.newest().version, table.newest().rule) == (6, "another")


@pytest.mark.parametrize(
    ("to", "learning", "reason"),
    [(0, {}, "unknown_version"), (3, {}, "unknown_version"), (1, {"rule": "never said"}, "another_wording"), (2, {}, "another_wording")],
)
def test_a_rollback_is_to_a_wording_that_there_was(to: int, learning: dict[str, Any], reason: str) -> None:
    log = Log()
    table = known(log).take(log.run("r-2", {"rule": "another"}), rollback(log, to, **learning))
    assert table.ends()["runs:2", "learning:0"] == ("refused", reason)
    assert table.newest().version == 2


def test_a_rollback_brings_back_what_was_archived() -> None:
    log = Log()
    table = known(log, ttl_at=START.replace(hour=1)).take(log.outcome("o-1")).wait(hours=2).take(rollback(log, 2))
    assert (table.newest().state, table.newest().applied) == ("active", 1)


def test_a_floor_stays_with_its_wording() -> None:
    """SPEC 3.11: another wording in between does not wash it off, and a late child reaches it there too."""
    log = Log()
    table = known(log, floor="sensitive").take(log.run("r-2", {"rule": "another"}))
    assert table.newest().privacy == "shareable"
    table.take(log.run("r-3", {}))
    assert table.newest().privacy == "sensitive"
    table.take(log.run("r-4", parent_run_id="r-2", floor="agent_specific", floor_reason="card"), log.run("r-5", {"rule": "another"}))
    assert table.newest().privacy == "agent_specific" and table.newest().floor
