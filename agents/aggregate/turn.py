"""One record of the log at work: what it says, what it touches, and what is to be sent because of it.

Whatever a record touches is collected and concluded once, at the end: so an event makes at most one version of a learning (SPEC 2.8).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache

from agents.aggregate import keys
from agents.aggregate.evidence import posterior
from agents.aggregate.gate import GatePolicy
from agents.aggregate.recount import now
from agents.aggregate.view import View
from agents.binding.batch import Incoming, Outgoing
from schemas.codec import encode
from schemas.ids import Ids, agent_log, ids_of
from schemas.partition import log_hash
from schemas.records import AgentState, Condition, DeadLetter, EvidenceState, Figures, LearningState, Move, Receipt, Reviewed, Source

RAW_KEPT = timedelta(days=7)
"""Retention of the raw topics: so long a dead letter of theirs can be replayed."""
_STRIDE = 1 << 12
_INDEX_LIMIT = 1 << 19
WAITS, ENDED = 1, 2
"""Revisions of a receipt: an end replaces a wait."""
Evaluator = Callable[[LearningState, Figures, int], Mapping[str, float]]
"""Says what is known of the dimensions of a learning's importance, by name; the last it is given: how often it was recalled."""


@dataclass(slots=True)
class Work:
    """A learning that the record at hand touched. `before`: as it was, None where the record makes it.

    `what`, `id`, `by`: cause of the next version; `moves`: what outcomes moved for it; `changed`: there is to be one; `shown`: its
    counters changed; `accepted`: something was accepted about it, whatever it moved; `conditions`: of the gate, as it was judged;
    `review`: what a reviewer did to it.
    """

    learning_id: str
    learning: LearningState
    evidence: EvidenceState
    before: tuple[LearningState, EvidenceState] | None
    at: datetime
    what: str = "ttl"
    id: str | None = None
    by: str | None = None
    changed: bool = False
    shown: bool = False
    accepted: bool = False
    conditions: tuple[Condition, ...] = ()
    moves: list[Move] = field(default_factory=list)
    review: Reviewed | None = None

    @property
    def since(self) -> int:
        """The version with which the wording in force began."""
        return self.learning.wordings[-1].version

    def cause(self, what: str, id_: str | None, by: str | None, at: datetime) -> None:
        """Say what makes the next version. The first said stands: the rest is in the same version."""
        if not self.changed:
            self.what, self.id, self.by, self.at, self.changed = what, id_, by, at, True


@dataclass(slots=True)
class Turn:
    """The record at work.

    `evaluate`: see importance.py; `clock`: stream time (SPEC 5.11); `source`, `org`, `agent`, `at` are the event's, once it is known.
    """

    view: View
    record: Incoming
    secret: bytes
    policy: GatePolicy
    evaluate: Evaluator
    clock: datetime
    out: list[Outgoing] = field(default_factory=list)
    touched: dict[str, Work] = field(default_factory=dict)
    source: Source = field(init=False)
    org: str = ""
    agent: str = ""
    at: datetime = field(init=False)
    _crossed: int = 0
    _decided: int = 0

    def __post_init__(self) -> None:
        self.source, self.at = self.record.source(), self.record.at

    @property
    def ids(self) -> Ids:
        """Ids of the event's organisation."""
        return ids_of(self.secret, self.org)

    @property
    def log(self) -> int:
        """What the event's agent's log is partitioned by."""
        return log_of(self.org, self.agent)

    @property
    def state(self) -> AgentState:
        """The event's agent; one never loaded is known, with these, from its first run or outcome."""
        found = self.view.get(AgentState, keys.agent(self.org, self.agent))
        return found or new_agent(self.org, self.agent)

    def update(self, **changes: object) -> None:
        """Change the event's agent."""
        self.view.put(keys.agent(self.org, self.agent), replace(self.state, **changes))  # type: ignore[arg-type]

    def learning(self, learning_id: str) -> Work | None:
        """A learning, to be changed; None where there is none."""
        work = self.touched.get(learning_id)
        if work is None:
            evidence = self.view.get(EvidenceState, keys.evidence(learning_id))
            learning = self.view.get(LearningState, keys.wording(learning_id))
            if evidence is None or learning is None:
                return None
            work = self.touched[learning_id] = Work(learning_id, learning, evidence, (learning, evidence), self.clock)
        return work

    def send(self, topic: str, key: str, record: object, log: int) -> None:
        """Send a record."""
        self.out.append(Outgoing(topic, key.encode(), encode(record), log))

    def crossing_source(self) -> Source:
        """Source of the next record to a pool: the event's own, told apart and in order by its index."""
        number = self._crossed
        self._crossed += 1
        if number < _STRIDE and self.source.index < _INDEX_LIMIT:
            return replace(self.source, index=self.source.index * _STRIDE + number)
        return self.record.source(number)  # too many for one index: the record itself is their source

    def decision_source(self) -> Source:
        """Source of the next decision: the record at hand, and how many it decided before."""
        self._decided += 1
        return self.record.source(self._decided - 1)

    def receipt(self, part: str, end: str, reason: str | None = None, *, id_: str | None = None, revision: int = ENDED) -> None:
        """Say how a part of the event's message ended; `id_` where it is another message of the same agent."""
        s = self.source
        receipt_id = id_ or f"{s.topic}:{s.partition}:{s.offset}"
        receipt = Receipt(id=receipt_id, org=self.org, agent=self.agent, part=part, end=end, reason=reason, at=self.at, revision=revision)
        self.send("receipts", receipt_id, receipt, self.log)

    def dead_letter(self, part: str, reason: str, *, of: Source | None = None, received_at: datetime | None = None) -> None:
        """Park a part of a raw message; `of`, `received_at` where it is another message of the same agent."""
        s, at = of or self.source, received_at or self.at
        letter = DeadLetter(
            id=f"{s.topic}:{s.partition}:{s.offset}",
            topic=s.topic,
            epoch=s.epoch,
            partition=s.partition,
            offset=s.offset,
            part=part,
            reason=reason,
            org=self.org,
            agent=self.agent,
            at=at,
            replayable_until=at + RAW_KEPT,
        )
        self.send("dead-letters", s.topic, letter, log_hash(s.topic))


@lru_cache(maxsize=65_536)
def log_of(org: str, agent: str) -> int:
    """What an agent's log is partitioned by."""
    return agent_log(org, agent)


def read_confidence(learning: LearningState, evidence: EvidenceState) -> float:
    """What a learning's confidence reads: of an archived one 0.0, though its evidence stays (SPEC 2.9)."""
    return 0.0 if evidence.state == "archived" else posterior(learning.prior, now(evidence.points)).confidence


def new_agent(org: str, agent: str) -> AgentState:
    """An agent that nobody loaded (INTERFACES, `agents load`)."""
    return AgentState(org=org, agent=agent, home_space="personal", producer="agent", hosted=False, outcomes=0, runs=0, learnings=0)
