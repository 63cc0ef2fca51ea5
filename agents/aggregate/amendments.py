"""Verdicts that change: an outcome that amends or retracts another takes its place (SPEC 5.10)."""

from dataclasses import replace

from agents.aggregate.credits import RETRACTED, application, count_again, entries, kept_outcomes, moves, read_wording, target_of, to_pool
from agents.aggregate.kept import Kept
from agents.aggregate.turn import WAITS, Turn
from agents.aggregate.waiting import LATE_AMENDMENT, UNKNOWN, amendments_waiting, parts, wait, wait_for_outcome, waiting_credit, withdraw
from schemas.records import Credit, KeptOutcome, OutcomeReported, Target


def amend(turn: Turn, outcome: OutcomeReported, id_: bytes, content: bytes) -> bool:
    """Put an amendment in the place of what it amends, or let it wait for it; whether it took the place.

    `id_`, `content`: hashes of the amendment's own.
    """
    kept = kept_outcomes(turn)
    amended = bytes.fromhex(turn.ids.outcome(outcome.agent, outcome.amends or ""))
    place = _place(kept, amended)
    if place is not None and place >= kept.oldest:
        _replace(turn, outcome, kept, place)
        entry = KeptOutcome(place=place, result=outcome.result, causal_confidence=0.0, entries=1, verified=False, independent=False)
        kept = kept_outcomes(turn)
        kept.append(id_, content, amended, int(outcome.at.timestamp() * 1000), entry)
        turn.update(outcomes=kept.count)
        return True
    if place is not None:
        _end(turn, outcome, LATE_AMENDMENT)
    elif any(w.content == outcome.content for w in amendments_waiting(turn, amended)):
        for part in parts(outcome):
            turn.receipt(part, "duplicate", "duplicate")
    elif wait_for_outcome(turn, outcome, amended):
        for part in parts(outcome):
            turn.receipt(part, "waiting", "unknown_outcome", revision=WAITS)
    else:
        _end(turn, outcome, UNKNOWN)
    return False


def _place(kept: Kept, amended: bytes) -> int | None:
    """Number of the outcome whose place is to be taken: of the one with that id, or of what that one amended itself."""
    found = kept.find(amended, beyond=True)
    entry = kept.entry(KeptOutcome, found[0]) if found else None
    return entry.place if entry else None


def _end(turn: Turn, outcome: OutcomeReported, reason: str) -> None:
    for part in parts(outcome):
        turn.receipt(part, "dead_lettered", reason)
    turn.dead_letter("message", reason)


def _replace(turn: Turn, outcome: OutcomeReported, kept: Kept, place: int) -> None:
    old = kept.entry(KeptOutcome, place)
    if old is None:
        return
    of = kept.id(place).hex()
    for target in old.targets:
        if target.own:
            withdraw(turn, place, target.subject)
    targets = tuple(_target(turn, outcome, credit, place, of) for credit in outcome.credits)
    _retract_from_pools(turn, outcome, old, targets, of)
    new = KeptOutcome(
        place=place,
        result=outcome.result,
        causal_confidence=outcome.causal_confidence,
        entries=entries(outcome),
        verified=outcome.verified_by is not None,
        independent=application(outcome, "unknown").independent,
        targets=targets,
    )
    kept.change(place, new)
    for learning_id in dict.fromkeys(t.subject for t in (*old.targets, *targets) if t.since is not None):
        work = turn.learning(learning_id)
        if work is None or work.since not in {t.since for t in (*old.targets, *targets) if t.subject == learning_id}:
            continue
        helpful = next((t.helpful for t in targets if t.subject == learning_id), "unknown")
        if count_again(turn, work, place, outcome.outcome_id, outcome.result, helpful):
            what = "retracted" if outcome.result == RETRACTED else "amended"
            work.cause(what, outcome.outcome_id, outcome.agent, turn.at)
    if not outcome.credits:
        turn.receipt("outcome", "stored")


def _target(turn: Turn, outcome: OutcomeReported, credit: Credit, place: int, of: str) -> Target:
    """What is kept of a credit of an amendment; its learning is counted again once all are kept."""
    part, target = f"credit:{credit.part}", target_of(credit)
    if not credit.own:
        to_pool(turn, outcome, target, result=outcome.result, of=of, part=part)
        turn.receipt(part, "stored")
        return target
    work = turn.learning(credit.subject)
    wording = read_wording(work, credit, work.evidence.version) if work else None
    if work is None or wording is None:
        if outcome.result != RETRACTED and not wait(turn, waiting_credit(turn, outcome, credit, place), credit.subject):
            turn.receipt(part, "dead_lettered", UNKNOWN)
            turn.dead_letter(part, UNKNOWN)
        return target
    if (work.learning.org, work.learning.agent) != (turn.org, turn.agent):
        turn.receipt(part, "refused", "bad_ref")
        return target
    work.accepted = True
    reason = moves(work, wording, applied=credit.applied)
    turn.receipt(part, "stored", reason)
    return target if reason is not None else replace(target, since=work.since)


def _retract_from_pools(turn: Turn, outcome: OutcomeReported, old: KeptOutcome, new: tuple[Target, ...], of: str) -> None:
    """Tell the pools of credits that the amendment does not repeat."""
    repeated = {t.subject for t in new if not t.own}
    part = parts(outcome)[0]
    for target in old.targets:
        if not target.own and target.subject not in repeated:
            to_pool(turn, outcome, target, result=RETRACTED, of=of, part=part)
