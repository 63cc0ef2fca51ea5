"""What reviewers do to an agent's learnings (SPEC 3.11, 4.2, 4.3, 4.9). Nobody acts on their own."""

from dataclasses import replace

from agents.acts import DONE, STATE, VISIBILITY
from agents.aggregate.turn import Turn, Work
from schemas.records import Reviewed

PART = "review"


def take_review(turn: Turn, review: Reviewed) -> None:
    """Do what the review says, or refuse it; its receipt says which."""
    work = turn.learning(review.subject)
    refused = _refused(work, review)
    if refused is not None or work is None:
        turn.receipt(PART, "refused", refused)
        return
    work.review = review
    work.cause(DONE[review.act], None, review.reviewer, turn.at)
    turn.receipt(PART, "stored")


def _refused(work: Work | None, review: Reviewed) -> str | None:
    """Why a review changes nothing; None: it was applied."""
    if work is None or (work.learning.org, work.learning.agent) != (review.org, review.agent):
        return "unknown_entry"
    if review.reviewer == work.learning.agent:
        return "own"
    if review.wording not in (None, work.evidence.wording):
        return "another_wording"
    return _lift(work, review) if review.act == "lift" else _move(work, review)


def _move(work: Work, review: Reviewed) -> str | None:
    evidence, act = work.evidence, review.act
    if (visibility := VISIBILITY.get((evidence.visibility, act))) is not None:
        work.evidence = replace(evidence, visibility=visibility)
        return None
    state = STATE.get((evidence.state, act))
    if state is None:
        return "not_possible"
    if state == "active" and work.learning.hold_hard:
        return "hard"
    work.evidence = replace(evidence, state=state)
    mark = replace(work.learning.wordings[-1], rejected=state == "rejected", cleared=state == "active")
    work.learning = replace(work.learning, wordings=(*work.learning.wordings[:-1], mark))
    return None


def _lift(work: Work, review: Reviewed) -> str | None:
    """A person's floor may be lifted from a wording, with a reason; a credential's never (SPEC 3.11)."""
    if work.learning.floor != "agent_specific" or work.learning.lifted_by is not None:
        return "hard" if work.learning.floor == "sensitive" else "not_possible"
    if not review.reason:
        return "reason_needed"
    work.learning = replace(work.learning, lifted_by=review.reviewer)
    return None
