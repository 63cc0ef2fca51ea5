"""SPEC 2.12: from where to where a learning may go, walked whole. What crosses stands in its `crossing`, the pool's part in the pool."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.records import Learning
from tests.agents.aggregate.log import START, Log, Table
from tests.agents.aggregate.test_reviews import said

Step = Callable[[Log, Table, int], Any]


def write(rule: str, **changes: Any) -> Step:
    return lambda log, table, n: table.take(log.run(f"r-{n}", {"rule": rule} | changes))


def times(number: int, result: str) -> Step:
    return lambda log, table, n: table.take(*(log.outcome(f"o-{n}-{k}", result) for k in range(number)))


def wait(**time: float) -> Step:
    return lambda log, table, n: table.wait(**time)


def roll_back(log: Log, table: Table, n: int) -> Any:
    """Back to the first version."""
    (event,) = log.run(f"r-{n}", {"rule": "a", "rollback_to": 1})[1:]
    return table.take([replace(event, run_id=None)])


def review(act: str) -> Step:
    return lambda log, table, n: table.take(said(log, act))


FLAG = {"hold": "credential", "hold_hard": True}
STEPS: dict[str, Step] = {
    "a": write("a"),
    "b": write("b"),
    "held": write("c", **FLAG),
    "doubtful": write("d", hold="injection"),
    "lives an hour": write("a", ttl_at=START.replace(hour=1)),
    "back": roll_back,
    "helps": times(3, "success"),
    "fails": times(3, "failure"),
    "a day": wait(days=1, hours=1),
    "a month": wait(days=31),
} | {act: review(act) for act in ("approve", "reject", "hide", "unhide", "demote")}
# From where to where, and a way there: the last step makes it.
STATES: dict[tuple[str, str], list[str]] = {
    ("", "active"): ["a"],
    ("", "held"): ["held"],
    ("held", "active"): ["held", "b"],
    ("held", "expired"): ["held", "a month"],
    ("active", "held"): ["a", "held"],
    ("active", "archived"): ["lives an hour", "a day"],
    ("", "archived"): ["a day", "lives an hour"],  # late: it archives at once
    ("archived", "active"): ["lives an hour", "a day", "back"],
    ("archived", "held"): ["lives an hour", "a day", "held"],
    ("held", "archived"): ["held", "a day", "lives an hour"],  # another wording, late too
    ("expired", "archived"): ["held", "a month", "lives an hour"],
    ("expired", "active"): ["held", "a month", "b"],
    ("expired", "held"): ["held", "a month", "held"],
    ("held", "rejected"): ["held", "reject"],
    ("rejected", "active"): ["held", "reject", "b"],
    ("rejected", "held"): ["held", "reject", "doubtful"],
    ("rejected", "archived"): ["held", "reject", "a day", "lives an hour"],
}
VISIBILITIES: dict[tuple[str, str], list[str]] = {
    ("shown", "hidden"): ["a", "hide"],
    ("hidden", "shown"): ["a", "hide", "unhide"],
    ("shown", "demoted"): ["a", "demote"],
    ("hidden", "demoted"): ["a", "hide", "demote"],
}
CROSSINGS: dict[tuple[str, str], list[str]] = {
    ("none", "candidate"): ["a", "helps"],
    ("candidate", "withdrawn"): ["a", "helps", "fails"],
    ("withdrawn", "candidate"): ["a", "helps", "fails", "helps", "helps", "helps", "a day"],
    ("candidate", "none"): ["a", "helps", "b"],  # another wording begins untested
    ("withdrawn", "none"): ["a", "helps", "fails", "b"],
}


def history(steps: list[str]) -> list[Learning]:
    log, table = Log(), Table()
    table.take(log.loaded())
    for number, step in enumerate(steps):
        STEPS[step](log, table, number)
    return table.versions()


def moves(values: list[str]) -> set[tuple[str, str]]:
    return {(a, b) for a, b in pairwise(values) if a != b}


@pytest.mark.parametrize("move", STATES, ids="-".join)
def test_each_state_is_reached(move: tuple[str, str]) -> None:
    assert move in moves(["", *(v.state for v in history(STATES[move]))])


@pytest.mark.parametrize("move", CROSSINGS, ids="-".join)
def test_each_crossing_is_reached(move: tuple[str, str]) -> None:
    assert moves(["none", *(v.crossing for v in history(CROSSINGS[move]))]) >= {move}


@pytest.mark.parametrize("move", VISIBILITIES, ids="-".join)
def test_each_visibility_is_reached(move: tuple[str, str]) -> None:
    assert move in moves([v.visibility for v in history(VISIBILITIES[move])])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=14))
def test_no_other_transition(steps: list[str]) -> None:
    """Versions count from 1 without a gap, revisions rise; who is not active, shown and clear of the gate is no candidate (SPEC 6.1)."""
    versions = history(steps)
    assert [v.version for v in versions] == list(range(1, len(versions) + 1))
    assert all(a.revision < b.revision for a, b in pairwise(versions))
    assert moves(["", *(v.state for v in versions)]) <= STATES.keys()
    assert moves(["none", *(v.crossing for v in versions)]) <= CROSSINGS.keys()
    assert moves(["shown", *(v.visibility for v in versions)]) <= VISIBILITIES.keys()
    for version in versions:
        holds = all(c.holds for c in version.gate)
        assert version.crossing != "candidate" or (holds and (version.state, version.visibility) == ("active", "shown"))
