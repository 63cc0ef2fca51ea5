"""SPEC 5.10: credits to a shared learning that are amended or taken back."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.posterior import untested, update
from agents.promote import credits
from agents.promote.credits import NOTHING, Credit, Kept, Points, count, recount, settled
from schemas.records import DeadLetter, PoolCredited
from tests.agents.promote.events import RULES, Pool, amended, cleared, credited

A = cleared("agent/1", RULES["A"], 1, confidence=0.7)


def figures(pool: Pool) -> tuple[Any, ...]:
    copy = pool.newest("shared")[A.shared_id]
    return (round(copy.confidence, 6), copy.applied, copy.helpful, copy.success_count, copy.failure_count, copy.validators, copy.crossing)


def told(*verdicts: str) -> list[PoolCredited]:
    return [credited(f"voter/{n % 3}", A, n + 2, v) for n, v in enumerate(verdicts)]


@pytest.mark.parametrize(
    ("at_first", "amends", "from_the_start"),
    [
        (["yes", "yes", "no"], (2, "yes"), ["yes", "yes", "yes"]),
        (["no", "yes", "yes"], (0, "yes"), ["yes", "yes", "yes"]),  # in the earlier one's place
        (["yes", "no", "yes", "yes"], (1, None), ["yes", None, "yes", "yes"]),
        (["no"], (0, None), [None]),
        (["yes", "yes", "yes", "no"], (3, None), ["yes", "yes", "yes", None]),  # the voter's verdict before is its latest again
    ],
)
def test_it_becomes_what_it_would_have_been(at_first: list[str], amends: tuple[int, str | None], from_the_start: list[str | None]) -> None:
    """SPEC 5.10: evidence, counts and verdicts."""
    pool, other = Pool(), Pool()
    credits_ = told(*at_first)
    pool.take(A, *credits_, amended(credits_[amends[0]], 50, amends[1]))
    other.take(A, *[c for c in told(*[v or "" for v in from_the_start]) if c.helpful])
    assert figures(pool) == figures(other)


def test_an_amendment_may_be_amended() -> None:
    pool = Pool()
    first = credited("x", A, 2, "no")
    pool.take(A, first, amended(first, 3, None), amended(first, 4, "yes"))
    assert figures(pool)[1:] == (1, 1, 1, 0, 2, "promoted")


def test_an_amendment_that_credits_a_learning_for_the_first_time_counts() -> None:
    pool = Pool()
    pool.take(A, amended(credited("x", A, 2), 3, "yes"))
    assert figures(pool)[1:5] == (1, 1, 1, 0)
    pool.take(amended(credited("y", A, 4), 5, None))
    assert figures(pool)[1:5] == (1, 1, 1, 0)


def test_an_outcome_that_no_longer_applied_it_takes_its_credit_back() -> None:
    pool = Pool()
    first = credited("x", A, 2)
    pool.take(A, first, replace(amended(first, 3, "yes"), applied=False))
    assert figures(pool) == (0.7, 0, 0, 0, 0, 1, "promoted")


def test_beyond_the_kept_credits_it_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """SPEC 5.10: dead-lettered for that credit, and the figures stand."""
    monkeypatch.setattr(credits, "WINDOW", 4)
    monkeypatch.setattr("agents.promote.core.WINDOW", 4)
    pool = Pool()
    all_ = [credited("x", A, n) for n in range(2, 14)]
    pool.take(A, *all_)
    before = figures(pool)
    (_, letter) = pool.take(amended(all_[0], 50, "no"))
    assert isinstance(letter, DeadLetter)
    assert letter.reason == "late_amendment"
    assert figures(pool) == before
    pool.take(amended(all_[-1], 51, "no"))
    assert figures(pool)[3:5] == (11, 1)


histories = st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["success", "failure", "minor_failure", "retracted"])), max_size=60)


@settings(deadline=None)
@given(history=histories, window=st.integers(1, 8))
def test_counting_again_from_any_kept_point_is_counting_from_the_start(history: list[tuple[int, str]], window: int) -> None:
    """The points move on as credits come; each recount equals a plain fold over all outcomes as they stand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(credits, "WINDOW", window)
        points: Points = NOTHING
        table: dict[bytes, bytes] = {}
        kept = Kept(table.get, lambda n: b"%d" % n)
        said: list[tuple[int, Credit]] = []
        for number, (outcome, result) in enumerate(history):
            known = [n for n, c in said if c.outcome == f"{outcome:016x}"]
            if known and (known[0] < number - window or known[0] <= points[0].after):
                continue
            credit = Credit(f"{outcome:016x}", "0" * 16, result, "unknown", 0.5, True, False, bool(known))
            if not known and result == "retracted":
                continue
            number = len(said)
            said.append((number, credit))
            kept.put(number, credit)
            points = recount(points, 0.7, list(kept.since(points[0].after, number + 1))) if known else count(points, 0.7, number, credit)
            plain = untested(0.7)
            for _, c in settled(said):
                plain = update(plain, c.result, c.share)
            assert points[-1].figures.mass_success == pytest.approx(plain.mass_success)
            assert points[-1].figures.mass_failure == pytest.approx(plain.mass_failure)
            assert points[-1].figures.applied == plain.successes + plain.failures
            assert len(points) <= 3


@given(st.lists(st.booleans(), max_size=70))
def test_kept_credits_are_read_again(marks: list[bool]) -> None:
    table: dict[bytes, bytes] = {}
    kept = Kept(table.get, lambda n: b"%d" % n)
    all_ = [Credit(f"{n:016x}", "ab" * 8, "failure", "no", 0.25, mark, not mark, mark) for n, mark in enumerate(marks)]
    for n, credit in enumerate(all_):
        kept.put(n, credit)
    table |= dict(kept.states())
    assert [c for _, c in Kept(table.get, lambda n: b"%d" % n).since(-1, len(all_))] == all_
