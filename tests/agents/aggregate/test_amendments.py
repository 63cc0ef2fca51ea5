"""SPEC 5.10: verdicts change; each learning becomes what it would have been from the start."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records import Learning
from tests.agents.aggregate.log import AGENT, IDS, Log, Table, known

FIGURES = ("confidence", "mass_success", "mass_failure", "applied", "helpful", "success_count", "failure_count", "evidence_status", "trust")


def figures(learning: Learning) -> list[Any]:
    return [getattr(learning, name) for name in FIGURES]


def of(results: list[str | None]) -> Table:
    """What is had from the start with these results; None: no such outcome."""
    log = Log()
    return known(log, confidence=0.7).take(*(log.outcome(f"o-{n}", r) for n, r in enumerate(results) if r is not None))


results = st.sampled_from(["success", "minor_failure", "failure", "critical_failure"])


@settings(max_examples=40, deadline=None)
@given(st.lists(results, min_size=1, max_size=8), st.lists(st.tuples(st.integers(0, 7), st.none() | results), min_size=1, max_size=4))
def test_as_from_the_start(first: list[str], amended: list[tuple[int, str | None]]) -> None:
    log = Log()
    table = known(log, confidence=0.7).take(*(log.outcome(f"o-{n}", r) for n, r in enumerate(first)))
    now: list[str | None] = list(first)
    for n, (which, result) in enumerate(amended):
        which %= len(first)
        now[which] = result
        credits_ = () if result is None else (log.credit(helpful="yes" if result == "success" else "no"),)
        table.take(log.outcome(f"a-{n}", result or "retracted", amends=f"o-{which}", credits=credits_))
    assert figures(table.newest()) == figures(of(now).newest())
    assert table.newest().version == table.versions()[-2].version + 1


def test_it_may_credit_others_than_before() -> None:
    log = Log()
    table = known(log).take(
        log.run("r-2", {"entry_key": "b"}), log.outcome("o-1", "failure"), log.outcome("o-2", "success", log.credit("b"))
    )
    table.take(log.outcome("a-1", "failure", log.credit("b", helpful="no"), amends="o-1"))
    assert (table.newest().applied, table.newest().confidence, table.newest().cause.what) == (0, 1.0, "amended")
    assert (table.newest("b").applied, table.newest("b").helpful) == (2, 1)
    assert table.newest("b").confidence == of_b(["failure", "success"])


def of_b(results: list[str]) -> float:
    log = Log()
    return known(log).take(*(log.outcome(f"o-{n}", r) for n, r in enumerate(results))).newest().confidence


def test_an_amendment_is_amended_by_its_own_id_or_the_first() -> None:
    log = Log()
    table = known(log).take(log.outcome("o-1", "failure"), log.outcome("a-1", "success", amends="o-1"))
    assert table.newest().success_count == 1
    table.take(log.outcome("a-2", "failure", amends="a-1"))
    assert (table.newest().success_count, table.newest().failure_count) == (0, 1)
    table.take(log.outcome("a-3", "retracted", amends="o-1", credits=()))
    assert (table.newest().applied, table.newest().evidence_status, table.newest().cause.what) == (0, "untested", "retracted")
    assert [v.version for v in table.versions()] == [1, 2, 3, 4, 5]


def test_an_amendment_repeated_is_a_duplicate() -> None:
    log = Log()
    table = known(log).take(log.outcome("o-1", "failure"), log.outcome("a-1", amends="o-1"), log.outcome("a-1", amends="o-1"))
    assert table.ends()["outcomes:2", "credit:0"] == ("duplicate", "duplicate")
    assert len(table.versions()) == 3


def test_the_same_id_may_amend_itself() -> None:
    log = Log()
    table = known(log).take(log.outcome("o-1", "failure"), log.outcome("o-1", amends="o-1"))
    assert (table.newest().success_count, table.newest().failure_count) == (1, 0)
    assert table.dead() == []


@pytest.mark.parametrize("result", ["success", "retracted"])
def test_one_that_overtakes_what_it_amends_waits(result: str) -> None:
    log = Log()
    table = known(log).take(log.outcome("a-1", result, amends="o-1"))
    assert table.ends()["outcomes:0", "credit:0"] == ("waiting", "unknown_outcome")
    table.take(log.outcome("a-1", result, amends="o-1"))
    assert table.ends()["outcomes:1", "credit:0"] == ("duplicate", "duplicate")
    table.take(log.outcome("o-1", "failure"))
    assert table.ends()["outcomes:0", "credit:0"] == ("stored", None)
    assert table.newest().success_count == (result == "success") and table.newest().failure_count == 0
    assert table.newest().version == (1 if result == "retracted" else 2)  # what moved nothing makes no version


def test_one_that_never_finds_it_is_dead_lettered() -> None:
    log = Log()
    table = known(log).take(log.outcome("a-1", amends="o-1")).wait(hours=25)
    assert table.dead() == [("outcomes:0", "message", "unknown_entry")]
    assert table.ends()["outcomes:0", "credit:0"] == ("dead_lettered", "unknown_entry")


def test_a_credit_that_still_waits_is_amended_too() -> None:
    log = Log()
    table = known(log).take(
        log.outcome("o-1", "failure", log.credit("later")), log.outcome("a-1", "success", log.credit("later"), amends="o-1")
    )
    table.take(log.run("r-2", {"entry_key": "later"}))
    assert (table.newest("later").success_count, table.newest("later").failure_count) == (1, 0)
    table.take(log.outcome("o-2", "failure", log.credit("never")), log.outcome("a-2", "retracted", amends="o-2", credits=())).wait(hours=25)
    assert table.dead() == []


def test_pools_are_told() -> None:
    """SPEC 5.10, 6.5: under the id of the outcome whose place it takes."""
    log = Log()
    one, two = log.pool_credit(), log.pool_credit("ef" * 16)
    table = known(log).take(log.outcome("o-1", "failure", one), log.outcome("a-1", "success", two, amends="o-1"))
    first, second, third = table.sent("candidates")
    assert (second.shared_id, second.result) == (two.subject, "success")
    assert (third.shared_id, third.result) == (one.subject, "retracted")
    assert {c.outcome for c in (first, second, third)} == {IDS.outcome(AGENT, "o-1")}


def test_what_is_no_longer_kept_can_not_be_amended() -> None:
    log = Log()
    table = known(log)
    table.step(table.write([log.outcome(f"o-{n}")[0] for n in range(4097)]))
    table.take(log.outcome("a-1", "failure", amends="o-0"))
    assert table.dead() == [("outcomes:4097", "message", "late_amendment")]
    table.take(log.outcome("a-2", "failure", amends="o-1"))
    assert (table.newest().applied, table.newest().failure_count) == (4097, 1)


def test_a_retraction_of_nothing_is_dead_lettered() -> None:
    log = Log()
    table = known(log).take(log.outcome("o-1", "retracted"))
    assert table.dead() == [("outcomes:0", "message", "retracted_nothing")]


def test_an_amendment_of_a_replaced_wording_moves_nothing() -> None:
    log = Log()
    table = known(log).take(log.outcome("o-1", "failure"), log.run("r-2", {"rule": "another"}), log.outcome("o-2"))
    table.take(log.outcome("a-1", "success", log.credit(version=1), amends="o-1"))
    assert (table.newest().version, table.newest().applied) == (4, 1)
    assert table.ends()["outcomes:2", "credit:0"] == ("stored", "wording_replaced")


def test_an_amendment_that_overtakes_an_amendment_waits_for_that() -> None:
    log = Log()
    table = known(log).take(log.outcome("o-1"), log.outcome("a-2", "retracted", amends="a-1", credits=()))
    assert table.ends()["outcomes:1", "outcome"] == ("waiting", "unknown_outcome")
    table.take(log.outcome("a-1", "failure", amends="o-1"))
    assert table.newest().applied == 0
    assert table.ends()["outcomes:1", "outcome"] == ("stored", None)
    assert table.newest().version == 3
