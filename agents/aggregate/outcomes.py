"""Outcomes: each counts once, in the order of the log, for each learning that it credits (SPEC 5.1-5.3)."""

from dataclasses import replace

from agents.aggregate.amendments import amend
from agents.aggregate.credits import RETRACTED, application, count, entries, kept_outcomes, moves, read_wording, target_of, to_pool
from agents.aggregate.entities import ERASED, erased_runs
from agents.aggregate.kept import NO_LINK
from agents.aggregate.turn import Turn
from agents.aggregate.waiting import UNKNOWN, parts, release_amendments, wait, waiting_credit
from schemas.records import Credit, KeptOutcome, OutcomeReported, Target


def take_outcome(turn: Turn, outcome: OutcomeReported) -> None:
    """Take an outcome: count it, or say why not."""
    kept = kept_outcomes(turn)
    id_ = bytes.fromhex(turn.ids.outcome(outcome.agent, outcome.outcome_id))
    content = bytes.fromhex(outcome.content)[:8]
    found = kept.find(id_)
    if any(kept.content(n) == content for n in found):
        _end(turn, outcome, "duplicate", "duplicate")
    elif outcome.amends is not None:
        _amend(turn, outcome, id_, content)
    elif found:
        _park(turn, outcome, "conflict")
    elif outcome.result == RETRACTED:
        _park(turn, outcome, "retracted_nothing")
    elif kept.is_late(_milliseconds(outcome)):
        _park(turn, outcome, "late_outcome")
    else:
        _accept(turn, outcome, id_, content)
        _release(turn, id_)


def _amend(turn: Turn, outcome: OutcomeReported, id_: bytes, content: bytes) -> None:
    if amend(turn, outcome, id_, content):
        _release(turn, id_)


def _release(turn: Turn, amended: bytes) -> None:
    """Take amendments that overtook an outcome just kept: their receipts are their own messages', their effects this event's."""
    for amendment in release_amendments(turn, amended):
        event, turn.source = turn.source, amendment.source
        id_ = bytes.fromhex(turn.ids.outcome(amendment.agent, amendment.outcome_id))
        _amend(turn, amendment, id_, bytes.fromhex(amendment.content)[:8])
        turn.source = event


def _accept(turn: Turn, outcome: OutcomeReported, id_: bytes, content: bytes) -> None:
    kept = kept_outcomes(turn)
    number = kept.count
    run = NO_LINK if outcome.run_id is None else bytes.fromhex(turn.ids.run(outcome.agent, outcome.run_id))
    erased = outcome.run_id is not None and run in erased_runs(turn)
    entry = KeptOutcome(
        place=number,
        result=outcome.result,
        causal_confidence=outcome.causal_confidence,
        entries=entries(outcome),
        verified=outcome.verified_by is not None,
        independent=application(outcome, "unknown").independent,
        targets=tuple(
            _without_effect(turn, credit) if erased else _credit(turn, outcome, credit, number, id_) for credit in outcome.credits
        ),
    )
    kept.append(id_, content, run, _milliseconds(outcome), entry)
    turn.update(outcomes=kept.count)
    if not outcome.credits:
        turn.receipt("outcome", "stored")


def _credit(turn: Turn, outcome: OutcomeReported, credit: Credit, number: int, id_: bytes) -> Target:
    """Count a credit, send it on or let it wait; what is kept of it."""
    part = f"credit:{credit.part}"
    target = target_of(credit)
    if not credit.own:
        to_pool(turn, outcome, target, result=outcome.result, of=id_.hex(), part=part)
        turn.receipt(part, "stored")
        return target
    work = turn.learning(credit.subject)
    wording = read_wording(work, credit, work.evidence.version) if work else None
    if work is None or wording is None:
        if not wait(turn, waiting_credit(turn, outcome, credit, number), credit.subject):
            turn.receipt(part, "dead_lettered", UNKNOWN)
            turn.dead_letter(part, UNKNOWN)
        return target
    if (work.learning.org, work.learning.agent) != (turn.org, turn.agent):
        turn.receipt(part, "refused", "bad_ref")
        return target
    work.accepted = True
    reason = moves(work, wording, applied=credit.applied)
    turn.receipt(part, "stored", reason)
    if reason is not None:
        return target
    count(work, number, outcome.outcome_id, application(outcome, credit.helpful))
    work.cause("outcome", outcome.outcome_id, outcome.agent, turn.at)
    return replace(target, since=work.since)


def _without_effect(turn: Turn, credit: Credit) -> Target:
    """A credit of a run that met what was erased since: it is known, and lends nothing (SPEC 8.3)."""
    turn.receipt(f"credit:{credit.part}", "stored", ERASED)
    return target_of(replace(credit, applied=False))


def _end(turn: Turn, outcome: OutcomeReported, end: str, reason: str) -> None:
    for part in parts(outcome):
        turn.receipt(part, end, reason)


def _park(turn: Turn, outcome: OutcomeReported, reason: str) -> None:
    _end(turn, outcome, "dead_lettered", reason)
    turn.dead_letter("message", reason)


def _milliseconds(outcome: OutcomeReported) -> int:
    return int(outcome.at.timestamp() * 1000)
