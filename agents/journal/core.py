"""journal: every organisation's decisions in order, in two chains (SPEC 6.8), as a pure function of a batch."""

from collections.abc import Sequence
from datetime import timedelta

from agents.binding.batch import Incoming, Outgoing, Read, Result
from schemas.codec import decode_as, encode, load
from schemas.partition import log_hash
from schemas.problem import Problem
from schemas.records import DeadLetter, Decision, JournalEntry, JournalHead, JournalSeen

_LOG_KEPT = timedelta(days=30)


class Journal:
    """The core of journal. A chain's sequence begins at 1 and has no gap; no decision stands in it twice."""

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        """Take a batch of decisions."""
        result = Result()

        def now(key: bytes) -> bytes | None:
            return result.states[key] if key in result.states else read(key)

        for record in batch:
            decision = decode_as(Decision, record.value)
            if isinstance(decision, Problem):
                result.out.append(_unreadable(record, decision))
            else:
                _enter(decision, record, now, result)
        return result


def _enter(decision: Decision, record: Incoming, now: Read, result: Result) -> None:
    """Append a decision to its chain, unless the chain took it already.

    The chain's head alone says which records were taken; what is kept of a decision by id is believed only where an earlier record
    left it, so that a crash that saved one of the two changes nothing.
    """
    head_key = _key("head", decision.org, decision.chain)
    seen_key = _key("seen", decision.org, decision.chain, decision.decision_id)
    value = now(head_key)
    head = load(JournalHead, value) if value is not None else JournalHead(sequence=0, epoch=record.epoch, offset=-1)
    value = now(seen_key)
    seen = load(JournalSeen, value) if value is not None else JournalSeen(epoch=record.epoch, offset=record.offset)
    if value is None:
        result.states[seen_key] = encode(seen)
    if head.epoch == record.epoch and record.offset <= head.offset:
        return
    first = (seen.epoch, seen.offset) == (record.epoch, record.offset)
    sequence = head.sequence + first
    result.states[head_key] = encode(JournalHead(sequence=sequence, epoch=record.epoch, offset=record.offset))
    if first:
        result.out.append(_entry(decision, sequence))


def _entry(decision: Decision, sequence: int) -> Outgoing:
    entry = JournalEntry(
        org=decision.org,
        chain=decision.chain,
        sequence=sequence,
        decision_id=decision.decision_id,
        actor=decision.actor,
        decision=decision.decision,
        subject=decision.subject,
        reason=decision.reason,
        figures=decision.figures,
        at=decision.at,
    )
    return Outgoing("journal", f"{decision.org}/{decision.chain}/{sequence}".encode(), encode(entry), log_hash(decision.org))


def _unreadable(record: Incoming, problem: Problem) -> Outgoing:
    letter = DeadLetter(
        id=record.receipt,
        topic=record.topic,
        epoch=record.epoch,
        partition=record.partition,
        offset=record.offset,
        part="message",
        reason=problem.code,
        field=problem.field,
        at=record.at,
        replayable_until=record.at + _LOG_KEPT,
    )
    return Outgoing("dead-letters", record.topic.encode(), encode(letter), log_hash(record.topic))


def _key(*parts: str) -> bytes:
    return "\0".join(parts).encode()
