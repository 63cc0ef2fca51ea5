"""SPEC 6.1, `tidegate why`: what a condition that does not hold lacks."""

import pytest

from pipelines.cli.history import missing


@pytest.mark.parametrize(
    ("figure", "needed", "expected"),
    [
        ("2", "3", "1 more"),
        ("0", "3", "3 more"),
        ("0.69", "0.7", "0.0100 more"),
        ("0.6999999", "0.7", "0.0001 more"),  # rounded up: what is told is enough
        ("0.6666666666666666", "0.7", "0.0334 more"),
        ("0.0", "1.0", "1.0 more"),
        ("2", "0", "2 fewer"),
        ("sensitive", "shareable", "shareable"),
        ("held, shown", "active, shown", "active, shown"),
        ("recorded", "agent_verified", "agent_verified"),
        ("no", "yes", "yes"),
    ],
)
def test_what_is_missing(figure: str, needed: str, expected: str) -> None:
    assert missing(figure, needed) == expected
