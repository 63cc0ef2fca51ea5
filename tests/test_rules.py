"""The marks of rules: as they are written, and that none is of a rule that isn't there."""

import pytest

from tests import rules


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(SPEC 3.11)", {"3.11"}),
        ("SPEC 2.8, 2.9 and 3.4: …", {"2.8", "2.9", "3.4"}),
        ("SPEC 6.1-6.3", {"6.1", "6.2", "6.3"}),
        ("SPEC 5.1-5.3, 5.10", {"5.1", "5.2", "5.3", "5.10"}),
        ("version 2.8", set()),
    ],
)
def test_marks_are_read(text: str, numbers: set[str]) -> None:
    assert rules.marks(text) == numbers


def test_every_mark_is_of_a_rule() -> None:
    marked = {*rules.standing(rules.CODE), *rules.standing(("tests",))}
    assert marked - set(rules.named()) == set()
