"""SPEC 5.6."""

from math import log

import pytest

from schemas.decay import decayed, half_life


@pytest.mark.parametrize(
    ("memory_type", "recalls", "outcomes", "days"),
    [
        ("fact", 0, 0, 30),
        ("belief", 0, 0, 15),
        ("experience", 0, 0, 45),
        ("procedure", 0, 0, 60),
        ("fact", 0, 1, 60),
        ("fact", 9, 0, 30 * (1 + log(10))),
        ("procedure", 9, 3, 120 * (1 + log(10))),
    ],
)
def test_half_life(memory_type: str, recalls: int, outcomes: int, days: float) -> None:
    assert half_life(30, memory_type, recalls, outcomes) == pytest.approx(days)


@pytest.mark.parametrize(("age", "read"), [(0, 0.8), (30, 0.4), (60, 0.2), (15, 0.8 * 0.5**0.5), (-5, 0.8)])
def test_decayed(age: float, read: float) -> None:
    assert decayed(0.8, age, 30) == pytest.approx(read)
