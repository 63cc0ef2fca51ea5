"""Privacy in effect: what the author stated, pulled down to a floor (SPEC 2.6, 3.11)."""

from schemas.records import LearningState

_STRICTNESS = {"none": 0, "shareable": 0, "agent_specific": 1, "sensitive": 2}


def stricter(one: str, other: str) -> str:
    """The stricter of two privacies or floors; the first where they are alike."""
    return other if _STRICTNESS[other] > _STRICTNESS[one] else one


def in_effect(learning: LearningState) -> str:
    """shareable, agent_specific or sensitive. A floor that a reviewer lifted does not count."""
    return learning.stated if learning.lifted_by is not None else stricter(learning.stated, learning.floor)


def joined(one: str | None, other: str | None) -> str | None:
    """Reasons of two floors as one, each kind once."""
    kinds = sorted({kind for reason in (one, other) if reason for kind in reason.split(", ")})
    return ", ".join(kinds) or None
