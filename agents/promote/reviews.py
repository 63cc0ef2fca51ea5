"""What reviewers do to a shared learning (SPEC 4.6, 4.8, 4.9). Nobody acts on what they brought to the pool."""

from agents.acts import POOL_STATE, VISIBILITY
from agents.promote.pool import Copy
from schemas.records import Reviewed

REVIEWS = "reviews"
"""What marks of reviews are kept under."""


def review(copy: Copy, said: Reviewed, member: str) -> str | None:
    """Do what a review says; why it changes nothing, or None. `member`: the reviewer as members are named."""
    if any(part.member == member for part in copy.parts.values()):
        return "own"
    if said.wording not in (None, copy.fixed.wording):
        return "another_wording"
    if (visibility := VISIBILITY.get((copy.visibility, said.act))) is not None:
        copy.visibility = visibility
    elif (state := POOL_STATE.get((copy.state, said.act))) is not None:
        copy.state = state
    elif said.act == "object" and said.reviewer not in copy.objections:
        copy.objections += (said.reviewer,)
    elif said.act == "retract" and said.reviewer in copy.objections:
        copy.objections = tuple(name for name in copy.objections if name != said.reviewer)
    elif said.act == "approve" and copy.standing().crossing == "awaiting_signatures":
        copy.approvals += (member,)
    else:
        return "not_possible"
    return None
