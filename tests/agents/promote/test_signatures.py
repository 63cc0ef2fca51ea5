"""SPEC 4.6: what each kind must be signed with."""

import pytest

from agents.promote.signatures import PERSON, POLICY, READING_AGAINST, READING_FOR, are_enough

REVIEWED = ["skill", "document", "instruction"]


@pytest.mark.parametrize(
    ("kinds", "signatures", "enough"),
    [
        (["memory"], [], True),
        (REVIEWED, [], False),
        (REVIEWED, [READING_FOR], False),
        (REVIEWED, [READING_AGAINST], False),
        (REVIEWED, [READING_FOR, READING_AGAINST], True),
        (REVIEWED, [PERSON], True),
        (["plugin", ""], [READING_FOR, READING_AGAINST, PERSON], False),  # a kind that nobody wrote a policy for
    ],
)
def test_signatures(kinds: list[str], signatures: list[str], enough: bool) -> None:
    """SPEC 2.4, 4.6: the kind sets what is needed."""
    assert [are_enough(kind, signatures) for kind in kinds] == [enough] * len(kinds)


def test_the_policy_is_data() -> None:
    """An operator who wants a person for every kind changes a table, no code."""
    strict = {kind: (frozenset({PERSON}),) for kind in POLICY}
    assert [are_enough(kind, signatures, strict) for kind in POLICY for signatures in ([], [PERSON])] == [False, True] * 4
