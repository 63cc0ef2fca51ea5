"""What a kind of learning needs to be signed with before it is promoted (SPEC 4.6). None of the signatures may be its author's."""

from collections.abc import Collection, Mapping

READING_FOR, READING_AGAINST, PERSON = "reading_for", "reading_against", "person"
"""The grader's two readings, and a person's approval."""

Policy = Mapping[str, tuple[frozenset[str], ...]]
"""By kind, the sets of signatures of which any one is enough."""

_REVIEWED = (frozenset({READING_FOR, READING_AGAINST}), frozenset({PERSON}))
POLICY: Policy = {
    "memory": (frozenset(),),  # the evidence gate and a clean scan, without which nothing gets here
    "skill": _REVIEWED,
    "document": _REVIEWED,
    "instruction": _REVIEWED,
}


def are_enough(kind: str, signatures: Collection[str], policy: Policy = POLICY) -> bool:
    """Whether a kind may be promoted with these signatures; one that the policy does not know may not."""
    return any(needed <= set(signatures) for needed in policy.get(kind, ()))
