"""SPEC 6.8, 6.1: a second gate signs a promotion only where its figures show that all seven conditions hold."""

import pytest

from agents.journal.chain import Tip, append
from agents.journal.second import objections
from tests.agents.journal.test_chain import KEY, decided

FIGURES = {
    "privacy": "shareable",
    "state": "active, shown",
    "binding": "0",
    "enabled": "yes",
    "trust": "agent_verified",
    "applied": "3",
    "ratio": "0.7",
}
CASES = [
    ({}, []),
    ({"trust": "source_verified", "applied": "12", "ratio": "1.0"}, []),
    ({"ratio": "0.7000001"}, []),
    ({"ratio": "0.69"}, ["ratio"]),
    ({"ratio": "nan"}, ["ratio"]),
    ({"applied": "2"}, ["applied"]),
    ({"applied": "many"}, ["applied"]),
    ({"trust": "recorded"}, ["trust"]),
    ({"privacy": "sensitive", "state": "held, shown"}, ["privacy", "state"]),
    ({"binding": "1", "enabled": "no"}, ["binding", "enabled"]),
]


@pytest.mark.parametrize(("changes", "expected"), CASES)
def test_what_it_objects_to(changes: dict[str, str], expected: list[str]) -> None:
    entry, _ = append(Tip(), decided(figures=FIGURES | changes), {}, KEY)
    assert list(objections(entry, 3, 0.70)) == expected


@pytest.mark.parametrize("left_out", FIGURES)
def test_what_an_entry_does_not_say_does_not_hold(left_out: str) -> None:
    figures = {name: figure for name, figure in FIGURES.items() if name != left_out}
    assert list(objections(append(Tip(), decided(figures=figures), {}, KEY)[0], 3, 0.70)) == [left_out]
