"""What a credit does: to a learning of the reporter's own, or on its way to a pool (SPEC 5.1, 5.3, 6.5)."""

from collections.abc import Iterator
from dataclasses import replace

from agents.aggregate import keys, recount
from agents.aggregate.evidence import Application, posterior
from agents.aggregate.kept import Kept
from agents.aggregate.turn import Turn, Work
from agents.posterior import weight
from schemas.records import Credit, KeptOutcome, LearningState, Move, OutcomeReported, PoolCredited, Target, WaitingCredit

RETRACTED = "retracted"
OWN_KEY = "agent"
"""What `attested_by` says where the reporter's key gives it no role: it is the author's own word (SPEC 5.7)."""


def kept_outcomes(turn: Turn) -> Kept:
    """The event's agent's kept outcomes."""
    return Kept(turn.view, keys.outcomes(turn.org, turn.agent), turn.state.outcomes)


def entries(outcome: OutcomeReported) -> int:
    """How many entries an outcome applied, at least 1: its weight is split among them (SPEC 5.4)."""
    return max(1, sum(c.applied for c in outcome.credits))


def application(outcome: OutcomeReported, helpful: str) -> Application:
    """An application as an outcome reports it."""
    verified, independent = outcome.verified_by is not None, outcome.attested_by != OWN_KEY
    return Application(outcome.result, outcome.causal_confidence, entries(outcome), helpful, verified, independent)


def read_wording(work: Work, credit: Credit | WaitingCredit, newest: int) -> str | None:
    """Hash of the wording that a credit is about (SPEC 5.1); None where it names a version after the newest."""
    if credit.wording is not None:
        return credit.wording
    version = credit.version
    if version is None:
        return work.evidence.wording
    if version > newest:
        return None
    return wording_at(work.learning, version)


def wording_at(learning: LearningState, version: int) -> str:
    """Hash of the wording that a version had; empty where there is no such version."""
    return next((m.wording for m in reversed(learning.wordings) if m.version <= version), "")


def target_of(credit: Credit) -> Target:
    """What is kept of a credit before it is known whether it counts."""
    wording = None if credit.own else credit.wording
    return Target(own=credit.own, subject=credit.subject, log=credit.log, wording=wording, applied=credit.applied, helpful=credit.helpful)


def moves(work: Work, wording: str, *, applied: bool) -> str | None:
    """Why a credit moves nothing, or None where it counts."""
    if not applied:
        return "not_applied"
    return None if wording == work.evidence.wording else "wording_replaced"


def count(work: Work, number: int, outcome_id: str, counted: Application) -> None:
    """Count an application of the wording in force by the outcome of that number, which comes after all that counted."""
    before = posterior(work.learning.prior, recount.now(work.evidence.points))
    points = recount.take(work.evidence.points, work.learning.prior, number, counted)
    _move(work, points, outcome_id, counted.result, counted.helpful, weight(before, counted.result, counted.share))


def count_again(turn: Turn, work: Work, place: int, outcome_id: str, result: str, helpful: str) -> bool:
    """Count a learning's evidence again: the outcome at a place, kept already, is not what it was (SPEC 5.10). Whether that moved it.

    `outcome_id`, `result`, `helpful`: what made it so, and what it says.
    """
    points = work.evidence.points
    changed = recount.again(points, work.learning.prior, place, _applications(turn, work, recount.start(points, place)))
    if recount.now(changed) == recount.now(points):
        work.evidence = replace(work.evidence, points=changed)
        return False
    _move(work, changed, outcome_id, result, helpful, None)
    return True


def _move(work: Work, points: recount.Points, outcome_id: str, result: str, helpful: str, added: float | None) -> None:
    """Take new points, and note what an outcome moved by them."""
    before = posterior(work.learning.prior, recount.now(work.evidence.points))
    after = posterior(work.learning.prior, recount.now(points))
    work.evidence = replace(work.evidence, points=points)
    work.moves.append(
        Move(
            outcome_id=outcome_id,
            result=result,
            helpful=helpful,
            weight=added,
            mass_success=after.mass_success,
            mass_failure=after.mass_failure,
            confidence_before=before.confidence,
            confidence_after=after.confidence,
        )
    )


def _applications(turn: Turn, work: Work, after: int) -> Iterator[tuple[int, Application]]:
    for number, o in kept_outcomes(turn).after(KeptOutcome, after):
        for target in o.targets:
            if target.subject == work.learning_id and target.since == work.since and o.result != RETRACTED:
                yield number, Application(o.result, o.causal_confidence, o.entries, target.helpful, o.verified, o.independent)


def to_pool(turn: Turn, outcome: OutcomeReported, target: Target, *, result: str, of: str, part: str) -> None:
    """Send a credit to a shared learning on, at once; `of`: keyed hash of the id of the outcome whose verdict it is."""
    s = turn.source
    credited = PoolCredited(
        source=turn.crossing_source(),
        sender=turn.record.partition,
        org=turn.org,
        shared_id=target.subject,
        wording=target.wording or "",
        voter=turn.ids.agent(turn.agent),
        outcome=of,
        amends=outcome.amends is not None,
        applied=target.applied,
        helpful=target.helpful,
        result=result,
        causal_confidence=outcome.causal_confidence,
        entries=entries(outcome),
        verified=outcome.verified_by is not None,
        attested_by=outcome.attested_by,
        receipt=f"{s.topic}:{s.partition}:{s.offset}#{part}",
        agent_log=turn.log,
        at=turn.at,
    )
    turn.send("candidates", target.subject, credited, target.log)
