"""Credits and amendments that overtook what they are about: they wait a day of stream time, 1,000 outcomes an agent (SPEC 5.2, 5.10)."""

from collections.abc import Container
from dataclasses import replace
from datetime import timedelta

from agents.aggregate import keys
from agents.aggregate.credits import application, count, count_again, kept_outcomes, moves, read_wording
from agents.aggregate.evidence import Application
from agents.aggregate.kept import WINDOW
from agents.aggregate.timers import wake
from agents.aggregate.turn import WAITS, Turn, Work
from schemas.codec import encode, load
from schemas.records import (
    Credit,
    KeptOutcome,
    OutcomeReported,
    Source,
    WaitingAmendments,
    WaitingCredit,
    WaitingCredits,
    WaitingOutcome,
    WaitingOutcomes,
)

WAIT = timedelta(hours=24)
MOST = 1_000
AMENDMENT = -1
UNKNOWN, LATE_AMENDMENT = "unknown_entry", "late_amendment"


def enter(turn: Turn, number: int, key: bytes) -> bool:
    """Let an outcome wait for what stands under a key; False where as many wait as may. `number`: among the kept, or AMENDMENT."""
    index = keys.waiting(turn.org, turn.agent)
    waits = turn.view.get(WaitingOutcomes, index) or WaitingOutcomes(org=turn.org, agent=turn.agent)
    outcomes = list(waits.outcomes)
    if number != AMENDMENT and outcomes and outcomes[-1].number == number:
        outcomes[-1] = replace(outcomes[-1], keys=(*outcomes[-1].keys, key))
    elif len(outcomes) >= MOST:
        return False
    else:
        due = turn.clock + WAIT
        if not outcomes:
            wake(turn.view, due, index)
        outcomes.append(WaitingOutcome(number=number, due=due, keys=(key,)))
    turn.view.put(index, replace(waits, outcomes=tuple(outcomes)))
    return True


def leave(turn: Turn, number: int, key: bytes) -> None:
    """One of an outcome's waits is over."""
    index = keys.waiting(turn.org, turn.agent)
    waits = turn.view.get(WaitingOutcomes, index)
    if waits is None:
        return
    at = next((i for i, w in enumerate(waits.outcomes) if w.number == number and key in w.keys), None)
    if at is None:
        return
    left = tuple(k for k in waits.outcomes[at].keys if k != key)
    one = (replace(waits.outcomes[at], keys=left),) if left else ()
    outcomes = (*waits.outcomes[:at], *one, *waits.outcomes[at + 1 :])
    turn.view.put(index, replace(waits, outcomes=outcomes) if outcomes else None)


def wait(turn: Turn, credit: WaitingCredit, learning_id: str) -> bool:
    """Let a credit wait for its learning; False where as many wait as may."""
    key = keys.credits_for(learning_id)
    if not enter(turn, credit.number, key):
        return False
    waits = turn.view.get(WaitingCredits, key)
    turn.view.put(key, WaitingCredits(credits=(*(waits.credits if waits else ()), credit)))
    turn.receipt(f"credit:{credit.part}", "waiting", UNKNOWN, id_=credit.receipt, revision=WAITS)
    return True


def release(turn: Turn, work: Work) -> None:
    """Count the credits that waited for a learning that has just been written, in order."""
    key = keys.credits_for(work.learning_id)
    waits = turn.view.get(WaitingCredits, key)
    if waits is None:
        return
    stay = []
    for credit in waits.credits:
        wording = read_wording(work, credit, work.evidence.version + 1)
        if wording is None:
            stay.append(credit)
            continue
        reason = moves(work, wording, applied=credit.applied)
        if reason is None:
            _count(turn, work, credit)
        turn.receipt(f"credit:{credit.part}", "stored", reason, id_=credit.receipt)
        leave(turn, credit.number, key)
    turn.view.put(key, WaitingCredits(credits=tuple(stay)) if stay else None)


def _count(turn: Turn, work: Work, credit: WaitingCredit) -> None:
    kept = kept_outcomes(turn)
    entry = kept.entry(KeptOutcome, credit.number)
    if entry is not None:
        targets = (replace(t, since=work.since) if t.own and t.subject == work.learning_id else t for t in entry.targets)
        kept.change(credit.number, replace(entry, targets=tuple(targets)))
    first, last = work.evidence.points[0].after, work.evidence.points[-1].after
    if entry is not None and first < credit.number <= last and credit.number >= kept.oldest:
        count_again(turn, work, credit.number, credit.outcome_id, credit.result, credit.helpful)
        return
    counted = Application(credit.result, credit.causal_confidence, credit.entries, credit.helpful, credit.verified, credit.independent)
    count(work, max(credit.number, last), credit.outcome_id, counted)


def withdraw(turn: Turn, number: int, learning_id: str) -> WaitingCredit | None:
    """Take a waiting credit back: its outcome was amended. The credit, or None where none waits."""
    key = keys.credits_for(learning_id)
    waits = turn.view.get(WaitingCredits, key)
    credit = next((c for c in waits.credits if c.number == number), None) if waits else None
    if waits is None or credit is None:
        return None
    stay = tuple(c for c in waits.credits if c is not credit)
    turn.view.put(key, WaitingCredits(credits=stay) if stay else None)
    leave(turn, number, key)
    return credit


def wait_for_outcome(turn: Turn, amendment: OutcomeReported, amended: bytes) -> bool:
    """Let an amendment wait for what it amends; False where as many wait as may."""
    key = keys.amendments_of(turn.org, turn.agent, amended)
    if not enter(turn, AMENDMENT, key):
        return False
    waits = turn.view.get(WaitingAmendments, key)
    turn.view.put(key, WaitingAmendments(messages=(*(waits.messages if waits else ()), encode(amendment))))
    return True


def amendments_waiting(turn: Turn, amended: bytes) -> tuple[OutcomeReported, ...]:
    """Amendments that wait for an outcome, in order."""
    waits = turn.view.get(WaitingAmendments, keys.amendments_of(turn.org, turn.agent, amended))
    return tuple(load(OutcomeReported, message) for message in waits.messages) if waits else ()


def release_amendments(turn: Turn, amended: bytes) -> tuple[OutcomeReported, ...]:
    """Amendments that waited for an outcome that has come; they wait no more."""
    key = keys.amendments_of(turn.org, turn.agent, amended)
    out = amendments_waiting(turn, amended)
    for _ in out:
        leave(turn, AMENDMENT, key)
    if out:
        turn.view.put(key, None)
    return out


def drop_amendments(turn: Turn, runs: Container[bytes], reason: str) -> int:
    """Refuse waiting amendments that name one of some runs, by the hashes of their ids; how many there were."""
    waits = turn.view.get(WaitingOutcomes, keys.waiting(turn.org, turn.agent))
    dropped = 0
    for key in dict.fromkeys(key for w in (waits.outcomes if waits else ()) if w.number == AMENDMENT for key in w.keys):
        held = turn.view.get(WaitingAmendments, key)
        stay = []
        for message in held.messages if held else ():
            amendment = load(OutcomeReported, message)
            if amendment.run_id is None or bytes.fromhex(turn.ids.run(amendment.agent, amendment.run_id)) not in runs:
                stay.append(message)
                continue
            s = amendment.source
            for part in parts(amendment):
                turn.receipt(part, "refused", reason, id_=f"{s.topic}:{s.partition}:{s.offset}")
            leave(turn, AMENDMENT, key)
            dropped += 1
        turn.view.put(key, WaitingAmendments(messages=tuple(stay)) if stay else None)
    return dropped


def expire(turn: Turn, index: bytes) -> None:
    """Give up what waited a day: dead-letter it."""
    waits = turn.view.get(WaitingOutcomes, index)
    if waits is None:
        return
    turn.org, turn.agent = waits.org, waits.agent
    for outcome in waits.outcomes:
        if outcome.due > turn.clock:
            wake(turn.view, outcome.due, index)
            break
        for key in outcome.keys:
            _give_up(turn, outcome.number, key)


def _give_up(turn: Turn, number: int, key: bytes) -> None:
    if number == AMENDMENT:
        _give_up_amendment(turn, key)
        return
    waits = turn.view.get(WaitingCredits, key)
    for credit in waits.credits if waits else ():
        if credit.number == number:
            withdraw(turn, number, key[2:].hex())
            topic, partition, offset = credit.receipt.rsplit(":", 2)
            source = Source(topic=topic, epoch=credit.epoch, partition=int(partition), offset=int(offset))
            part = f"credit:{credit.part}"
            turn.receipt(part, "dead_lettered", UNKNOWN, id_=credit.receipt)
            turn.dead_letter(part, UNKNOWN, of=source, received_at=credit.received_at)


def _give_up_amendment(turn: Turn, key: bytes) -> None:
    waits = turn.view.get(WaitingAmendments, key)
    if waits is None:
        return
    amendment = load(OutcomeReported, waits.messages[0])
    turn.view.put(key, WaitingAmendments(messages=waits.messages[1:]) if len(waits.messages) > 1 else None)
    leave(turn, AMENDMENT, key)
    s = amendment.source
    reason = LATE_AMENDMENT if turn.state.outcomes > WINDOW else UNKNOWN
    for part in parts(amendment):
        turn.receipt(part, "dead_lettered", reason, id_=f"{s.topic}:{s.partition}:{s.offset}")
    turn.dead_letter("message", reason, of=s, received_at=amendment.received_at)


def parts(outcome: OutcomeReported) -> list[str]:
    """Parts of an outcome's message that end here."""
    return [f"credit:{c.part}" for c in outcome.credits] or ["outcome"]


def waiting_credit(turn: Turn, outcome: OutcomeReported, credit: Credit, number: int) -> WaitingCredit:
    """A credit with all of its outcome that it needs to count later; `number`: of its outcome, or of what that amends."""
    s, counted = turn.source, application(outcome, credit.helpful)
    return WaitingCredit(
        number=number,
        outcome_id=outcome.outcome_id,
        receipt=f"{s.topic}:{s.partition}:{s.offset}",
        epoch=s.epoch,
        received_at=outcome.received_at,
        part=credit.part,
        wording=credit.wording,
        version=credit.version,
        applied=credit.applied,
        helpful=credit.helpful,
        result=counted.result,
        causal_confidence=counted.causal_confidence,
        entries=counted.entries,
        verified=counted.verified,
        independent=counted.independent,
    )
