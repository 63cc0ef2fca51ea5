"""The records by which scan says what it found, each under the raw record that caused it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from agents.binding.batch import Incoming, Outgoing
from agents.scan.hit import Hit
from schemas.codec import encode
from schemas.ids import Ids, agent_log, short_hash
from schemas.partition import log_hash
from schemas.problem import Problem
from schemas.records import (
    AgentChanged,
    ClaimSeen,
    DeadLetter,
    Decision,
    Finding,
    LearningProposed,
    OutcomeReported,
    Recalled,
    Receipt,
    RunSeen,
)

RAW_KEPT = timedelta(days=7)
AHEAD = timedelta(minutes=5)
"""How far ahead of the broker's an author's time may be (SPEC 5.11)."""


@dataclass(frozen=True, slots=True)
class By:
    """A reviewer who writes in an author's place, and why."""

    reviewer: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class Author:
    """Whose record is being scanned: `org` and `agent` as they may be kept, and the organisation's ids."""

    record: Incoming
    ids: Ids
    agent: str

    @property
    def org(self) -> str:
        """The organisation."""
        return self.ids.org

    @property
    def log(self) -> int:
        """What the agent's log is partitioned by."""
        return agent_log(self.org, self.agent)

    def cut(self, told: datetime | None) -> datetime | None:
        """A time that its author told, cut to the broker's and five minutes."""
        return None if told is None else min(told, self.record.at + AHEAD)

    def clean(self, key: str, entry: RunSeen | LearningProposed | OutcomeReported | AgentChanged | Recalled | ClaimSeen) -> Outgoing:
        """A record for the agent's log."""
        return Outgoing("learnings", key.encode(), encode(entry), self.log)

    def receipt(self, part: str, end: str, reason: str) -> Outgoing:
        """How a part ended that goes no further."""
        receipt = Receipt(
            id=self.record.receipt, org=self.org, agent=self.agent, part=part, end=end, reason=reason, at=self.record.at, revision=0
        )
        return Outgoing("receipts", receipt.id.encode(), encode(receipt), self.log)

    def finding(self, index: int, kind: str, subject: str, field: str, hit: Hit) -> Outgoing:
        """A finding: where and what, never the value."""
        finding = Finding(
            org=self.org,
            agent=self.agent,
            subject=subject,
            subject_kind=kind,
            field=field,
            layer=hit.layer,
            kind=hit.kind,
            severity=hit.severity,
            hard=hit.hard,
            start=hit.start,
            end=hit.end,
            source=self.record.source(index),
            at=self.record.at,
        )
        return Outgoing("findings", subject.encode(), encode(finding), self.log)

    def refused(self, reason: str) -> list[Outgoing]:
        """The whole message refused, in the receipts and in the restricted chain of the journal (SPEC 3.14)."""
        decision = Decision(
            source=self.record.source(),
            decision_id=short_hash(f"refused\0{self.record.epoch}\0{self.record.receipt}".encode()),
            org=self.org,
            chain="restricted",
            actor="scan",
            decision="refused",
            subject=self.record.receipt,
            reason=reason,
            at=self.record.at,
        )
        return [self.receipt("message", "refused", reason), Outgoing("decisions", self.org.encode(), encode(decision), log_hash(self.org))]

    def dead_letter(self, problem: Problem, excerpt: str | None, entities: tuple[str, ...] = ()) -> list[Outgoing]:
        """The whole message put aside; `entities`: stand-ins for those that the excerpt may tell of."""
        return [
            dead_letter(self.record, problem, excerpt, self.org, self.agent, entities),
            self.receipt("message", "dead_lettered", problem.code),
        ]


def dead_letter(
    record: Incoming,
    problem: Problem,
    excerpt: str | None = None,
    org: str | None = None,
    agent: str | None = None,
    entities: tuple[str, ...] = (),
) -> Outgoing:
    """A pointer to a message that can't be taken (SPEC 9.4)."""
    letter = DeadLetter(
        id=record.receipt,
        topic=record.topic,
        epoch=record.epoch,
        partition=record.partition,
        offset=record.offset,
        part="message",
        reason=problem.code,
        field=problem.field,
        excerpt=excerpt,
        org=org,
        agent=agent,
        at=record.at,
        replayable_until=record.at + RAW_KEPT,
        entities=entities,
    )
    return Outgoing("dead-letters", record.topic.encode(), encode(letter), log_hash(record.topic))
