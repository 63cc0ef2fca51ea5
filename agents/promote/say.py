"""What promote sends: each message under a key and an id that are the same whenever the same event is taken again."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from agents.binding.batch import Incoming, Outgoing
from agents.promote.pool import Copy, Standing
from schemas.codec import encode
from schemas.ids import agent_log, short_hash
from schemas.partition import log_hash
from schemas.problem import Problem
from schemas.records import Cause, DeadLetter, Decision, PoolCredited, PoolMember, Receipt, Reviewed, SharedLearning, Source

UNKNOWN, LATE_AMENDMENT = "unknown_entry", "late_amendment"
"""Error codes of a credit: its shared learning is not there, or what it amends is no longer kept."""
_RECEIPT_REVISION = 1 << 62
"""Above all that aggregate gives: what a pool says of a credit replaces that it was passed on."""
_RAW_KEPT = timedelta(days=7)
_LOG_KEPT = timedelta(days=30)


def shared(copy: Copy, standing: Standing, cause: Cause, at: datetime) -> Outgoing:
    """The copy's version as it is now."""
    fixed, evidence, figures = copy.fixed, copy.evidence, copy.figures
    record = SharedLearning(
        org=fixed.org,
        space=fixed.space,
        shared_id=fixed.shared_id,
        version=copy.version,
        revision=copy.revision,
        rule=fixed.rule,
        value=fixed.value,
        tools=fixed.tools,
        memory_type=fixed.memory_type,
        kind=fixed.kind,
        environment=fixed.environment,
        applies_to=fixed.applies_to,
        prior=evidence.prior,
        confidence=evidence.confidence,
        evidence_status=evidence.status,
        trust=standing.trust,
        applied=figures.applied,
        helpful=figures.helpful,
        success_count=figures.success_count,
        failure_count=figures.failure_count,
        validators=standing.validators,
        independent=figures.independent,
        state=standing.state,
        crossing=standing.crossing,
        visibility=standing.visibility,
        provisional=True,
        contradicts=copy.contradicts,
        wording=fixed.wording,
        cause=cause,
        at=at,
    )
    return Outgoing("shared", f"{fixed.shared_id}/{copy.version}".encode(), encode(record), log_hash(fixed.org, fixed.space))


def member(copy: Copy, name: str, at: datetime) -> Outgoing:
    """An agent's part in the copy as it is now; `name` is the keyed hash of the agent's."""
    fixed = copy.fixed
    record = PoolMember(
        org=fixed.org,
        space=fixed.space,
        shared_id=fixed.shared_id,
        member=name,
        role=copy.role(name),
        verdict=copy.verdict(name),
        present=copy.present(name),
        revision=copy.revision,
        at=at,
    )
    return Outgoing("pool-members", f"{fixed.shared_id}/{name}".encode(), encode(record), log_hash(fixed.org, fixed.space))


def decided(
    copy: Copy, source: Source, decision: str, reason: str, figures: Mapping[str, str], at: datetime, review: Reviewed | None = None
) -> Decision:
    """A decision about the copy. An event makes at most one version, and a version at most one decision, so its id is the version's.

    `source`: the record of the pool's log that it was decided by. What is promoted or rejected goes along, and why a reviewer did it: the
    journal commits to them.
    """
    org, shared_id = copy.fixed.org, copy.fixed.shared_id
    texts = {}
    if decision in ("promoted", "rejected"):
        texts = {"rule": copy.fixed.rule} | ({"value": copy.fixed.value} if copy.fixed.value is not None else {})
    if review is not None and review.reason:
        texts["reason"] = review.reason
    return Decision(
        source=source,
        decision_id=short_hash(f"{org}/{shared_id}/{copy.version}".encode()),
        org=org,
        chain="restricted" if decision == "rejected" else "public",
        actor="promote" if review is None else review.reviewer,
        decision=decision,
        subject=shared_id,
        reason=reason,
        figures=figures,
        texts=texts,
        at=at,
    )


def gone(copy: Copy, source: Source, reason: str, figures: Mapping[str, str], at: datetime) -> Decision:
    """That a copy which was rejected has left the pool, for the chain that saw it come."""
    record = decided(copy, source, "withdrawn", reason, figures, at)
    return replace(record, decision_id=short_hash(f"{record.org}/{record.subject}/{copy.version}/withdrawn".encode()))


def decision(record: Decision) -> Outgoing:
    """A decision for the journal."""
    return Outgoing("decisions", record.org.encode(), encode(record), log_hash(record.org))


def reviewed(review: Reviewed, refused: str | None) -> Outgoing:
    """How a review ended."""
    s = review.source
    receipt = Receipt(
        id=f"{s.topic}:{s.partition}:{s.offset}",
        org=review.org,
        agent=review.reviewer,
        part="review",
        end="stored" if refused is None else "refused",
        reason=refused,
        at=review.received_at,
        revision=_RECEIPT_REVISION,
    )
    return Outgoing("receipts", receipt.id.encode(), encode(receipt), agent_log(review.org, review.reviewer))


def not_counted(credited: PoolCredited, reason: str) -> list[Outgoing]:
    """A credit that cannot be counted: its receipt and its dead letter (SPEC 5.2, 5.10).

    A pool's log names no agent, so neither does the receipt; its id and part tell whose it is.
    """
    receipt_id, _, part = credited.receipt.partition("#")
    source = credited.source
    receipt = Receipt(
        id=receipt_id,
        org=credited.org,
        agent="",
        part=part,
        end="dead_lettered",
        reason=reason,
        at=credited.at,
        revision=_RECEIPT_REVISION,
    )
    letter = DeadLetter(
        id=receipt_id,
        topic=source.topic,
        epoch=source.epoch,
        partition=source.partition,
        offset=source.offset,
        part=part,
        reason=reason,
        org=credited.org,
        at=credited.at,
        replayable_until=credited.at + _RAW_KEPT,
    )
    return [
        Outgoing("receipts", receipt_id.encode(), encode(receipt), credited.agent_log),
        Outgoing("dead-letters", source.topic.encode(), encode(letter), log_hash(source.topic)),
    ]


def unreadable(record: Incoming, problem: Problem) -> Outgoing:
    """A record of the pool's log that cannot be taken."""
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
