"""Records of a pool's log and a log to put them on, for the tests of promote."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from agents.binding.batch import Incoming, Outgoing
from agents.promote.core import Promote
from schemas.codec import decode, encode
from schemas.ids import ids_of
from schemas.partition import log_hash
from schemas.records import CandidateCleared, CandidateWithdrawn, Condition, PoolCredited, Source

SECRET = b"s" * 32
ORG, SPACE = "acme", "commons"
IDS = ids_of(SECRET, ORG)
START = datetime(2026, 3, 1, tzinfo=UTC)
LOG = log_hash(ORG, SPACE)
RULES = {
    "A": "Check the order status before issuing a refund.",
    "B": "Escape percent signs in connection strings.",
    "C": "Prefer bulk endpoints while importing catalogues nightly.",
}


def source(offset: int, index: int = 0, partition: int = 0) -> Source:
    return Source(topic="outcomes", epoch="e", partition=partition, offset=offset, index=index)


def cleared(agent: str, rule: str, at: int, *, sender: int = 0, **changes: Any) -> CandidateCleared:
    """`agent`'s learning with this wording clears the gate by the outcome at source offset `at`."""
    fields: dict[str, Any] = {"value": None, "space": SPACE, "org": ORG, "confidence": 0.9} | changes
    ids = ids_of(SECRET, fields["org"])
    learning_id = ids.learning(agent, "main", "a/pattern-x")
    wording = ids.wording(rule, fields["value"])
    return CandidateCleared(
        source=source(at),
        sender=sender,
        shared_id=ids.shared(fields["space"], learning_id, wording),
        learning_id=learning_id,
        donor=ids.agent(agent),
        version=4,
        rule=rule,
        evidence_status="validated",
        trust="agent_verified",
        independent=0,
        wording=wording,
        gate=(Condition(condition="applied", holds=True, figure="3", needed="3"),),
        at=START + timedelta(minutes=at),
        **{"memory_type": "fact", "kind": "memory", **fields},
    )


def withdrawn(original: CandidateCleared, at: int, reason: str = "ratio") -> CandidateWithdrawn:
    return CandidateWithdrawn(
        source=source(at),
        sender=original.sender,
        org=original.org,
        space=original.space,
        shared_id=original.shared_id,
        learning_id=original.learning_id,
        donor=original.donor,
        reason=reason,
        at=START + timedelta(minutes=at),
    )


def credited(agent: str, of: CandidateCleared, at: int, helpful: str = "yes", **changes: Any) -> PoolCredited:
    record = PoolCredited(
        source=source(at),
        sender=0,
        org=of.org,
        shared_id=of.shared_id,
        wording=of.wording,
        voter=IDS.agent(agent),
        outcome=IDS.outcome(agent, str(at)),
        applied=True,
        helpful=helpful,
        result="failure" if helpful == "no" else "success",
        causal_confidence=1.0,
        entries=1,
        verified=True,
        attested_by="agent",
        receipt=f"outcomes:0:{at}#credit:0",
        agent_log=7,
        at=START + timedelta(minutes=at),
    )
    return replace(record, **changes)


def amended(credit: PoolCredited, at: int, helpful: str | None) -> PoolCredited:
    """What the reporter of a credit says of it now; `helpful` None: it takes the outcome back."""
    result = "retracted" if helpful is None else "failure" if helpful == "no" else "success"
    return replace(credit, source=source(at), amends=True, helpful=helpful or "unknown", result=result, receipt=f"outcomes:0:{at}#credit:0")


@dataclass
class Pool:
    """promote over a table, and all that it sent."""

    similarity: float = 0.85
    table: dict[bytes, bytes] = field(default_factory=dict)
    sent: list[Outgoing] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.core = Promote(SECRET, self.similarity)
        self._offsets = count()

    def take(self, *records: Any) -> list[Any]:
        """Append records to the log, take them as one batch; what was sent, decoded."""
        return self.step([incoming(r, next(self._offsets)) for r in records])

    def step(self, batch: list[Incoming]) -> list[Any]:
        result = self.core.step(0, batch, self.table.get)
        self.sent += result.out
        for key, value in result.states.items():
            if value is None:
                self.table.pop(key, None)
            else:
                self.table[key] = value
        return [decode(o.value) for o in result.out]

    def newest(self, topic: str) -> dict[str, Any]:
        """Newest record of each id on a topic: by shared id on `shared`, by member on `pool-members`."""
        records: list[Any] = [decode(o.value) for o in self.sent if o.topic == topic]
        name = {"shared": "shared_id", "pool-members": "member"}[topic]
        return {getattr(r, name): r for r in sorted(records, key=lambda r: r.revision)}

    def decisions(self) -> list[Any]:
        return [decode(o.value) for o in self.sent if o.topic == "decisions"]


def incoming(record: Any, offset: int, epoch: str = "c") -> Incoming:
    value = record if isinstance(record, bytes) else encode(record)
    return Incoming("candidates", epoch, 0, offset, START + timedelta(minutes=offset), b"k", value)
