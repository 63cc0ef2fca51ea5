"""Records as the agents send them, with what a test does not care about filled in."""

from datetime import UTC, datetime, timedelta
from typing import Any

from schemas.codec import encode
from schemas.ids import ids_of
from schemas.records import (
    AgentChanged,
    Cause,
    Claim,
    Condition,
    Counter,
    Credit,
    DeadLetter,
    Decision,
    Episode,
    Erased,
    ExposedRecall,
    ExposedRow,
    Exposure,
    Finding,
    Grant,
    Identity,
    JournalCheckpoint,
    JournalCountersignature,
    JournalEntry,
    JournalKey,
    JournalText,
    Key,
    Learning,
    Move,
    OutcomeReported,
    PoolMember,
    Receipt,
    Request,
    SharedLearning,
    Source,
    Step,
)
from sinks.batch import Message

SECRET = b"a secret of the tests, 32 bytes!"
ORG = "acme"
AGENT = "agent/support-1"
OTHER = "agent/support-2"
AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
IDS = ids_of(SECRET, ORG)
CONDITIONS = ("privacy", "state", "binding", "enabled", "trust", "applied", "ratio")


def minutes(n: float) -> datetime:
    """A time, `n` minutes after the start."""
    return AT + timedelta(minutes=n)


def source(offset: int = 0, topic: str = "runs", index: int = 0) -> Source:
    """A raw record."""
    return Source(topic=topic, epoch="e1", partition=0, offset=offset, index=index)


def gate(*missed: str) -> tuple[Condition, ...]:
    """The seven conditions; those named do not hold."""
    return tuple(Condition(condition=c, holds=c not in missed, figure="1", needed="3") for c in CONDITIONS)


def learning(rule: str | None = "Check the refund status before you promise a date", **more: Any) -> Learning:
    """A version of a learning."""
    agent, key = more.pop("agent", AGENT), more.pop("entry_key", "support/refunds/pattern-check-status")
    version, value = more.pop("version", 1), more.get("value")
    given: dict[str, Any] = {
        "org": ORG,
        "agent": agent,
        "learning_id": IDS.learning(agent, "main", key),
        "branch": "main",
        "entry_key": key,
        "version": version,
        "revision": version,
        "rule": rule,
        "cue": "a task using orders.get",
        "tools": ("orders.get",),
        "memory_type": "fact",
        "kind": "memory",
        "privacy": "shareable",
        "producer": "agent",
        "run_id": "r-1",
        "written_at": AT,
        "work_area": "support/refunds",
        "home_space": "service",
        "is_artifact": False,
        "prior": 1.0,
        "confidence": 1.0,
        "applied": 0,
        "helpful": 0,
        "success_count": 0,
        "failure_count": 0,
        "mass_success": 0.0,
        "mass_failure": 0.0,
        "evidence_status": "untested",
        "trust": "recorded",
        "independent": 0,
        "validators": 1,
        "state": "active",
        "crossing": "none",
        "visibility": "shown",
        "tier": 3,
        "recall_count": 0,
        "cause": Cause(what="created", id="r-1", by=agent, confidence_after=1.0),
        "wording": IDS.wording(rule or "", value),
        "gate": gate("trust", "applied", "ratio"),
        "at": minutes(version),
    }
    return Learning(**(given | more))


def move(outcome_id: str, before: float, after: float, **more: Any) -> Move:
    """What an outcome moved."""
    given: dict[str, Any] = {"result": "success", "helpful": "yes", "weight": 1.1, "mass_success": 1.1, "mass_failure": 0.0}
    return Move(outcome_id=outcome_id, confidence_before=before, confidence_after=after, **(given | more))


def shared(rule: str = "Check the refund status before you promise a date", **more: Any) -> SharedLearning:
    """A version of a shared learning."""
    space, version = more.pop("space", "service"), more.pop("version", 1)
    wording = IDS.wording(rule, more.get("value"))
    given: dict[str, Any] = {
        "org": ORG,
        "space": space,
        "shared_id": IDS.shared(space, IDS.learning(AGENT, "main", "support/refunds/pattern-check-status"), wording),
        "version": version,
        "revision": version,
        "rule": rule,
        "tools": ("orders.get",),
        "memory_type": "fact",
        "kind": "memory",
        "prior": 0.9,
        "confidence": 0.9,
        "evidence_status": "untested",
        "trust": "agent_verified",
        "applied": 0,
        "helpful": 0,
        "success_count": 0,
        "failure_count": 0,
        "validators": 1,
        "independent": 0,
        "state": "active",
        "crossing": "promoted",
        "visibility": "shown",
        "provisional": True,
        "wording": wording,
        "cause": Cause(what="created", confidence_after=0.9),
        "at": minutes(version),
    }
    return SharedLearning(**(given | more))


def member(of: SharedLearning, agent: str = AGENT, role: str = "donor", **more: Any) -> PoolMember:
    """An agent's part in a shared learning."""
    given: dict[str, Any] = {"org": of.org, "space": of.space, "shared_id": of.shared_id, "member": IDS.agent(agent), "role": role}
    return PoolMember(**(given | {"present": True, "revision": 1, "at": AT} | more))


def counter(of: Learning, **more: Any) -> Counter:
    """What changed on a learning without a version."""
    given: dict[str, Any] = {"org": of.org, "agent": of.agent, "learning_id": of.learning_id, "revision": of.revision + 1}
    return Counter(**(given | {"recall_count": 1, "tier": 1, "at": AT} | more))


def credit(of: Learning | SharedLearning, part: int = 0, **more: Any) -> Credit:
    """What an outcome says of a learning, own or of a pool."""
    own = isinstance(of, Learning)
    subject = of.learning_id if isinstance(of, Learning) else of.shared_id
    key = of.entry_key if isinstance(of, Learning) else None
    given: dict[str, Any] = {"part": part, "own": own, "subject": subject, "entry_key": key, "log": 1, "applied": True, "helpful": "yes"}
    return Credit(**(given | more))


def outcome(outcome_id: str = "o-1", offset: int = 0, credits: tuple[Credit, ...] = (), **more: Any) -> OutcomeReported:
    """An outcome on an agent's log."""
    given: dict[str, Any] = {
        "source": source(offset, "outcomes"),
        "sender": 0,
        "org": ORG,
        "agent": AGENT,
        "outcome_id": outcome_id,
        "content": "00" * 16,
        "at": minutes(10),
        "at_told": True,
        "received_at": minutes(11),
        "result": "success",
        "verified_by": "ci",
        "attested_by": "agent",
        "causal_confidence": 1.0,
        "credits": credits,
        "parts": max(1, len(credits)),
    }
    return OutcomeReported(**(given | more))


def receipt(receipt_id: str = "runs:0:0", part: str = "learning:0", end: str = "stored", **more: Any) -> Receipt:
    """How a part of a message ended."""
    given: dict[str, Any] = {"id": receipt_id, "org": ORG, "agent": AGENT, "part": part, "end": end, "at": AT, "revision": 1}
    return Receipt(**(given | more))


def request(number: int = 1, **more: Any) -> Request:
    """A write over HTTP under an Idempotency-Key."""
    given: dict[str, Any] = {"org": ORG, "request": IDS.request(AGENT, f"k-{number}"), "content": "00" * 16, "receipt": "x", "at": AT}
    return Request(**(given | more))


def agent_changed(agent: str = AGENT, home_space: str = "service", offset: int = 0, **more: Any) -> AgentChanged:
    """What is known of an agent."""
    given: dict[str, Any] = {"source": source(offset, "principals"), "sender": 0, "org": ORG, "agent": agent}
    given |= {"received_at": minutes(offset), "home_space": home_space, "producer": "agent", "hosted": True, "tools": ("orders.get",)}
    return AgentChanged(**(given | more))


def identity(principal: str = AGENT, offset: int = 0, keys: tuple[Key, ...] | None = None, **more: Any) -> Identity:
    """Who there is."""
    given: dict[str, Any] = {"org": ORG, "principal": principal, "kind": "agent", "home_space": "service", "revision": offset}
    given |= {"keys": (a_key("aa" * 8),) if keys is None else keys, "roles": (Grant(role="reviewer", space="service"),), "at": AT}
    return Identity(**(given | more))


def a_key(key_id: str, **more: Any) -> Key:
    """A key of somebody."""
    given: dict[str, Any] = {"key_id": key_id, "public_key": "bb" * 32, "secret_hash": "cc" * 32, "attests": "ci", "added_at": AT}
    return Key(**(given | more))


def episode(run_id: str = "r-1", **more: Any) -> Episode:
    """The record kept of a run."""
    steps = (Step(kind="message", role="user", output='"hello"'), Step(kind="tool", at=AT, tool="orders.get", status="error", exit_code=1))
    given: dict[str, Any] = {"org": ORG, "agent": AGENT, "run_id": run_id, "attempt": 1, "started_at": AT, "ended_at": minutes(2)}
    given |= {"times_told": True, "producer": "agent", "environment": {"os": "linux"}, "cue": "a task using orders.get"}
    given |= {"received_at": minutes(3), "steps": steps}
    return Episode(**(given | more))


def claim(**more: Any) -> Claim:
    """An identifying fact."""
    entity, key = "p-1", "billing/terms"
    given: dict[str, Any] = {"org": ORG, "agent": AGENT, "claim_id": IDS.claim(AGENT, entity, key), "entity": entity, "key": key}
    return Claim(**(given | {"value": '"by invoice"', "privacy": "agent_specific", "run_id": "r-1", "received_at": AT} | more))


def finding(subject: str = "r-1", **more: Any) -> Finding:
    """Something the scanner saw."""
    given: dict[str, Any] = {"org": ORG, "agent": AGENT, "subject": subject, "subject_kind": "run", "field": "steps[0].output"}
    given |= {"layer": "pii", "kind": "phone", "severity": "medium", "hard": False, "start": 3, "end": 9}
    return Finding(**(given | {"source": source(), "at": AT} | more))


def exposure(*rows: ExposedRow, recall_id: str = "q-1", **more: Any) -> Exposure:
    """What a process served an agent."""
    told = ExposedRecall(recall_id=recall_id, at=minutes(5), scope="every", rows=rows)
    given: dict[str, Any] = {"org": ORG, "agent": AGENT, "process": "00" * 16, "sequence": 0, "recalls": (told,)}
    return Exposure(**(given | more))


def decision(number: int = 1, **more: Any) -> Decision:
    """What an agent decided."""
    given: dict[str, Any] = {
        "source": source(number, "candidates"),
        "decision_id": f"{number:016x}",
        "org": ORG,
        "chain": "public",
        "actor": "promote",
        "decision": "promoted",
    }
    return Decision(**(given | {"subject": "00" * 16, "reason": "cleared the gate", "figures": {"applied": "3"}, "at": AT} | more))


def journal_entry(sequence: int = 1, **more: Any) -> JournalEntry:
    """A decision in order."""
    d = decision(sequence)
    given: dict[str, Any] = {"org": ORG, "chain": "public", "sequence": sequence, "decision_id": d.decision_id, "actor": d.actor}
    given |= {"decision": d.decision, "subject": d.subject, "reason": d.reason, "figures": d.figures, "at": AT}
    given |= {"previous": "00" * 32, "commitments": {"rule": "11" * 32}, "key": "22" * 8, "signature": "33" * 64}
    return JournalEntry(**(given | more))


def journal_text(sequence: int = 1, **more: Any) -> JournalText:
    """A text that an entry commits to."""
    given: dict[str, Any] = {"org": ORG, "chain": "public", "sequence": sequence, "name": "rule", "text": "Check it", "salt": "44" * 32}
    return JournalText(**(given | {"at": AT} | more))


def checkpoint(size: int = 1, **more: Any) -> JournalCheckpoint:
    """A chain as it stood."""
    given: dict[str, Any] = {"org": ORG, "chain": "public", "size": size, "root": "55" * 32, "at": AT}
    return JournalCheckpoint(**(given | {"key": "22" * 8, "signature": "66" * 64} | more))


def journal_key(role: str = "journal", **more: Any) -> JournalKey:
    """A public key."""
    given: dict[str, Any] = {"key": "22" * 8, "public": "77" * 32, "role": role, "at": AT}
    return JournalKey(**(given | more))


def countersignature(of: JournalEntry, key: str = "88" * 8, **more: Any) -> JournalCountersignature:
    """A second gate's signature over an entry."""
    given: dict[str, Any] = {"org": of.org, "chain": of.chain, "sequence": of.sequence, "subject": of.subject, "key": key}
    return JournalCountersignature(**(given | {"signature": "99" * 64, "at": AT} | more))


def dead_letter(offset: int = 7, **more: Any) -> DeadLetter:
    """A message that could not be taken."""
    given: dict[str, Any] = {"id": f"runs:0:{offset}", "topic": "runs", "epoch": "e1", "partition": 0, "offset": offset, "part": "message"}
    return DeadLetter(**(given | {"reason": "damaged", "at": AT, "replayable_until": minutes(10_000)} | more))


def erased(partition: int = 0, **more: Any) -> Erased:
    """What a partition erased of an entity."""
    counted = {"episodes": 1, "claims": 1, "outcomes": 1, "waiting": 0, "learnings": 1, "credits": 0}
    given: dict[str, Any] = {"org": ORG, "erasure": "erasures:0:4", "entity": IDS.entity("Ann Lee"), "partition": partition}
    return Erased(**(given | counted | {"requested_by": "person/mina", "at": minutes(60)} | more))


_TOPICS: dict[type, str] = {
    Learning: "entries",
    Counter: "counters",
    SharedLearning: "shared",
    PoolMember: "pool-members",
    OutcomeReported: "learnings",
    AgentChanged: "learnings",
    Identity: "identities",
    Episode: "episodes",
    Claim: "claims",
    Finding: "findings",
    Exposure: "recalls",
    Decision: "decisions",
    JournalEntry: "journal",
    JournalText: "journal-texts",
    JournalCheckpoint: "journal-seals",
    JournalKey: "journal-seals",
    JournalCountersignature: "journal-seals",
    DeadLetter: "dead-letters",
    Erased: "erased",
    Receipt: "receipts",
    Request: "requests",
}


def topic_of(record: Any) -> str:
    """The topic that a record stands on, without prefix."""
    return _TOPICS[type(record)]


def messages(*records: Any, first_offset: int = 0) -> list[Message]:
    """The records as the sink's consumer gives them, in order."""
    at = round(AT.timestamp() * 1000)
    return [Message(topic_of(r), 0, first_offset + i, at, encode(r)) for i, r in enumerate(records)]
