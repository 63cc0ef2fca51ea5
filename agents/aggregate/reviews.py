"""What reviewers do to an agent's learnings (SPEC 3.11, 4.2, 4.3, 4.9). Nobody acts on their own."""

from dataclasses import replace

from agents.acts import DONE, STATE, VISIBILITY
from agents.aggregate.turn import Turn, Work
from schemas.ids import short_hash
from schemas.partition import log_hash
from schemas.records import Decision, LearningProposed, Reviewed

PART = "review"


def take_review(turn: Turn, review: Reviewed) -> None:
    """Do what the review says, or refuse it; its receipt says which."""
    if review.act in ("ban", "unban"):
        _ban(turn, review)
        return
    work = turn.learning(review.subject)
    refused = _refused(work, review)
    if refused is not None or work is None:
        turn.receipt(PART, "refused", refused)
        return
    work.review = review
    work.cause(DONE[review.act], None, review.reviewer, turn.at)
    turn.receipt(PART, "stored")


def _ban(turn: Turn, review: Reviewed) -> None:
    """An agent's next learnings are refused, or taken again (SPEC 4.9); what it wrote before stays as it is."""
    refused = "own" if review.reviewer == turn.agent else None
    if refused is None and (turn.state.banned_by is None) == (review.act == "unban"):
        refused = "not_possible"
    if refused is None:
        turn.update(banned_by=review.reviewer if review.act == "ban" else None)
        decision = Decision(
            source=turn.decision_source(),
            decision_id=short_hash(f"{DONE[review.act]}\0{turn.record.epoch}\0{turn.record.receipt}".encode()),
            org=turn.org,
            chain="restricted",
            actor=review.reviewer,
            decision=DONE[review.act],
            subject=turn.agent,
            reason="review",
            texts={"reason": review.reason} if review.reason else {},
            at=turn.at,
        )
        turn.send("decisions", turn.org, decision, log_hash(turn.org))
    turn.receipt(PART, "stored" if refused is None else "refused", refused)


def rolled_back(proposal: LearningProposed) -> Reviewed | None:
    """The review that a reviewer's rollback is; None where its author wrote it."""
    if proposal.reviewer is None:
        return None
    return Reviewed(
        source=proposal.source,
        sender=proposal.sender,
        org=proposal.org,
        agent=proposal.agent,
        subject=proposal.learning_id,
        act="rollback",
        reviewer=proposal.reviewer,
        reason=proposal.reason,
        received_at=proposal.received_at,
    )


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
