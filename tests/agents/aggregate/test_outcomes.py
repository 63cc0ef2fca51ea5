"""SPEC 5.1-5.5, 5.7: what outcomes move."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from schemas.ids import agent_log
from schemas.records import PoolCredited
from tests.agents.aggregate.log import AGENT, IDS, KEY, ORG, START, Log, known

RESULTS = {"S": "success", "m": "minor_failure", "F": "failure", "C": "critical_failure"}


@pytest.mark.parametrize(
    ("prior", "results", "pinned"),
    [
        (0.7, "SSSSFF", [0.8182, 0.8579, 0.8780, 0.8901, 0.6157, 0.3995]),
        (0.7, "F", [0.2593]),
        (1.0, "F", [0.3333]),
        (1.0, "C", [0.2500]),
        (0.7, "SSSSSSSSSSFFF", [0.9136, 0.6731, 0.4514, 0.3451]),
        (1.0, "SSSSSSSSSSFFF", [1.0, 0.7358, 0.4892, 0.3785]),
    ],
)
def test_pinned_confidence(prior: float, results: str, pinned: list[float]) -> None:
    """SPEC 5.4: the last figures of each history, a version an outcome."""
    log = Log()
    table = known(log, confidence=prior).take(*(log.outcome(f"o-{n}", RESULTS[letter]) for n, letter in enumerate(results)))
    assert [round(v.confidence, 4) for v in table.versions()[-len(pinned) :]] == pinned
    assert table.newest().version == 1 + len(results)


@pytest.mark.parametrize(
    ("prior", "results", "status"),
    [
        (1.0, "", "untested"),
        (1.0, "FSSS", "contested"),
        (1.0, "SSSSSSSSF", "validated"),
        (0.3, "S", "validated"),
        (0.7, "F", "discredited"),
        (0.7, "FSS", "contested"),
    ],
)
def test_evidence_status(prior: float, results: str, status: str) -> None:
    """SPEC 5.5."""
    log = Log()
    table = known(log, confidence=prior).take(*(log.outcome(f"o-{n}", RESULTS[letter]) for n, letter in enumerate(results)))
    assert table.newest().evidence_status == status


def test_a_version_tells_what_made_it() -> None:
    log = Log()
    newest = known(log, confidence=0.7).take(log.outcome("o-1", "failure")).newest()
    assert (newest.cause.what, newest.cause.id, newest.cause.by) == ("outcome", "o-1", AGENT)
    assert (newest.cause.confidence_before, round(newest.cause.confidence_after, 4)) == (0.7, 0.2593)
    assert (newest.applied, newest.helpful, newest.success_count, newest.failure_count) == (1, 0, 0, 1)
    assert (newest.trust, newest.independent, newest.revision) == ("agent_verified", 0, 2)


@pytest.mark.parametrize(
    ("credit", "outcome", "figures"),
    [
        ({}, {}, (1, 1, 1, 0)),
        ({"helpful": "no"}, {}, (1, 0, 1, 0)),
        ({"helpful": "unknown"}, {}, (1, 0, 1, 0)),
        ({"applied": False}, {}, (0, 0, 0, 0)),
        ({"helpful": "yes"}, {"result": "minor_failure"}, (1, 1, 0, 1)),
        ({"version": 1}, {}, (1, 1, 1, 0)),
        ({"wording": IDS.wording("check the status first", None)}, {}, (1, 1, 1, 0)),
        ({"wording": IDS.wording("never said", None)}, {}, (0, 0, 0, 0)),
    ],
)
def test_what_a_credit_moves(credit: dict[str, Any], outcome: dict[str, Any], figures: tuple[int, ...]) -> None:
    """SPEC 5.1, 5.3."""
    log = Log()
    table = known(log).take(log.outcome("o-1", outcome.get("result", "success"), log.credit(**credit)))
    newest = table.newest()
    assert (newest.applied, newest.helpful, newest.success_count, newest.failure_count) == figures
    assert table.ends()["outcomes:0", "credit:0"][0] == "stored"


def test_weight_is_split_among_the_entries_applied() -> None:
    """SPEC 5.4: a pool's row counts as an entry, one not applied does not; causal confidence scales."""
    log = Log()
    first = log.credit(helpful="no")
    idle = log.credit("other", part=1, applied=False)
    table = known(log, confidence=0.7).take(log.run("r-2", {"entry_key": "other"}))
    table.take(log.outcome("o-1", "failure", first, idle, log.pool_credit(part=2), causal_confidence=0.5))
    assert table.newest().mass_failure == pytest.approx(2 * 0.5 / 2 * 1.7)


def test_verified_and_independent() -> None:
    """SPEC 5.7: anyone's word makes it agent_verified, only another principal's makes it independent."""
    log = Log()
    table = known(log).take(log.outcome("o-1", verified_by=None))
    assert (table.newest().trust, table.newest().independent) == ("recorded", 0)
    table.take(log.outcome("o-2", verified_by="human"), log.outcome("o-3", attested_by="ci"))
    assert (table.newest().trust, table.newest().independent) == ("agent_verified", 1)


def test_a_repeat_is_a_duplicate_and_another_content_a_conflict() -> None:
    """SPEC 5.2, 5.10."""
    log = Log()
    table = known(log).take(log.outcome("o-1"), log.outcome("o-1"), log.outcome("o-1", "failure"))
    assert table.newest().applied == 1
    assert table.ends()["outcomes:1", "credit:0"] == ("duplicate", "duplicate")
    assert table.ends()["outcomes:2", "credit:0"] == ("dead_lettered", "conflict")
    assert table.dead() == [("outcomes:2", "message", "conflict")]


def test_a_credit_to_a_replaced_wording_moves_nothing_and_makes_no_version() -> None:
    """SPEC 5.1."""
    log = Log()
    table = known(log).take(log.run("r-2", {"rule": "another"}))
    old = IDS.wording("check the status first", None)
    table.take(log.outcome("o-1", "success", log.credit(version=1)), log.outcome("o-2", "success", log.credit(wording=old)))
    assert (table.newest().version, table.newest().applied) == (2, 0)
    assert table.ends()["outcomes:0", "credit:0"] == table.ends()["outcomes:1", "credit:0"] == ("stored", "wording_replaced")
    table.take(log.outcome("o-3", "success", log.credit(version=2)))
    assert (table.newest().version, table.newest().applied, table.newest().revision) == (3, 1, 5)


def test_an_outcome_touches_each_learning_once() -> None:
    log = Log()
    table = known(log).take(log.run("r-2", {"entry_key": "b"}))
    table.take(log.outcome("o-1", "success", log.credit(), log.credit("b", part=1)))
    assert [table.newest(k).version for k in (KEY, "b")] == [2, 2]
    assert {part for id_, part in table.ends() if id_ == "outcomes:0"} == {"credit:0", "credit:1"}


def test_without_credits_the_outcome_itself_has_a_receipt() -> None:
    log = Log()
    table = known(log).take(log.outcome("o-1", "success", credits=(), parts=1))
    assert table.ends()["outcomes:0", "outcome"] == ("stored", None)


def test_a_ref_to_the_pool_goes_to_the_pool_alone() -> None:
    """SPEC 6.5."""
    log = Log()
    credit = log.pool_credit(part=1, helpful="no")
    table = known(log).take(log.outcome("o-1", "failure", log.credit(helpful="no"), credit, causal_confidence=0.5))
    (sent,) = table.sent("candidates")
    assert isinstance(sent, PoolCredited)
    assert (sent.shared_id, sent.wording, sent.helpful, sent.result, sent.entries) == (credit.subject, credit.wording, "no", "failure", 2)
    assert (sent.voter, sent.outcome) == (IDS.agent(AGENT), IDS.outcome(AGENT, "o-1"))
    assert (sent.receipt, sent.agent_log, sent.verified) == ("outcomes:0:0#credit:1", agent_log(ORG, AGENT), True)
    assert table.out[-1].log != credit.log
    assert next(o.log for o in table.out if o.topic == "candidates") == credit.log
    assert table.ends()["outcomes:0", "credit:1"] == ("stored", None)


def test_another_agents_learning_is_no_subject() -> None:
    log, other = Log(), Log(agent="agent/b")
    table = known(log).take(replace(other.outcome("o-1", "success", log.credit())[0]))
    assert table.newest().applied == 0
    assert table.ends()["outcomes:0", "credit:0"] == ("refused", "bad_ref")


def test_late_outcome_and_the_window_of_ids() -> None:
    """SPEC 5.2: 4,096 are kept; one older by its own time than all of them is never guessed at."""
    log = Log()
    table = known(log)

    def outcome(name: str, seconds: int) -> Any:
        return log.outcome(name, at=START + timedelta(seconds=seconds))[0]

    first = outcome("o-first", 100)
    table.step(table.write([first, *(outcome(f"o-{n}", 100 + n) for n in range(1, 4095))]))
    table.take(outcome("o-old", 50))  # there is room for one more
    assert table.newest().applied == 4096
    table.take(outcome("o-older", 49))
    assert table.dead()[-1][1:] == ("message", "late_outcome")
    table.take(outcome("o-between", 51))
    assert table.newest().applied == 4097
    again = replace(first, source=log.source("outcomes"))
    table.take([again])
    assert table.newest().applied == 4098  # it left the window: its id is no longer known
    assert len(table.versions()) == table.newest().version
