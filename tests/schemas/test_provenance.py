"""SPEC 2.10."""

import pytest

from schemas.provenance import provenance_tier


@pytest.mark.parametrize(
    ("agent", "without", "with_outcomes"),
    [
        ("agent/support-1", 2, 1),
        ("prod/desk", 2, 1),
        ("prod-desk", 2, 1),
        ("dev/desk", 3, 3),
        ("dev-desk", 3, 3),
        ("test/desk", 3, 3),
        ("test-desk", 3, 3),
        ("manual/desk", 4, 4),
        ("seed/desk", 4, 4),
        ("human/ann", 4, 4),
        ("desk", 3, 2),
        ("production", 3, 2),
        ("agents/x", 3, 2),
    ],
)
def test_provenance_tier(agent: str, without: int, with_outcomes: int) -> None:
    assert (provenance_tier(agent, 0), provenance_tier(agent, 7)) == (without, with_outcomes)
