"""A log of agents as tests write it, and a table that a core keeps for it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agents.aggregate.core import Aggregate
from agents.aggregate.gate import GatePolicy
from agents.binding.batch import Incoming, Outgoing, Result
from schemas.codec import decode, encode
from schemas.ids import agent_log, ids_of
from schemas.records import (
    AgentChanged,
    Claim,
    Credit,
    DeadLetter,
    Decision,
    Episode,
    Learning,
    LearningProposed,
    OutcomeReported,
    Recalled,
    Receipt,
    RunSeen,
    Source,
    Tick,
)

SECRET = b"0" * 32
ORG, AGENT = "acme", "agent/a"
START = datetime(2026, 3, 1, tzinfo=UTC)
IDS = ids_of(SECRET, ORG)
KEY = "support/pattern-check"


@dataclass(slots=True)
class Log:
    """Raw records become events of one agent's log: each call gives the events of one raw record, at the next offset of its topic."""

    agent: str = AGENT
    org: str = ORG
    offsets: Counter[str] = field(default_factory=Counter)

    def source(self, topic: str, index: int = 0) -> Source:
        return Source(topic=topic, epoch="raw", partition=0, offset=self.offsets[topic], index=index)

    def loaded(self, **changes: Any) -> list[Any]:
        fields: dict[str, Any] = {"home_space": "commons", "producer": "agent", "hosted": True} | changes
        event = AgentChanged(source=self.source("principals"), sender=0, org=self.org, agent=self.agent, received_at=START, **fields)
        self.offsets["principals"] += 1
        return [event]

    def run(self, run_id: str, *learnings: dict[str, Any], content: str | None = None, claims: int = 0, **changes: Any) -> list[Any]:
        """A run and its proposals. A learning: entry_key and rule, and whatever else a proposal has."""
        episode = Episode(
            org=self.org,
            agent=self.agent,
            run_id=run_id,
            attempt=1,
            started_at=START,
            ended_at=START,
            times_told=True,
            producer="agent",
            cue="a task",
            received_at=START,
        )
        fields: dict[str, Any] = {
            "source": self.source("runs"),
            "sender": 0,
            "org": self.org,
            "agent": self.agent,
            "run_id": run_id,
            "content": IDS.content(content or run_id),
            "floor": "none",
            "received_at": START,
            "proposals": len(learnings),
            "episode": episode,
            "claims": tuple(self.claim(n) for n in range(claims)),
        } | changes
        seen = RunSeen(**fields)
        events = [seen, *(self.proposal(n, run_id, seen.floor, learning) for n, learning in enumerate(learnings))]
        self.offsets["runs"] += 1
        return events

    def claim(self, number: int) -> Claim:
        claim_id = IDS.claim(self.agent, "e", str(number))
        return Claim(
            org=self.org, agent=self.agent, claim_id=claim_id, entity="e", key=str(number), privacy="agent_specific", received_at=START
        )

    def proposal(self, number: int, run_id: str, floor: str, learning: dict[str, Any]) -> LearningProposed:
        fields: dict[str, Any] = {
            "entry_key": KEY,
            "rule": "check the status first",
            "value": None,
            "branch": "main",
            "cue": "a task",
            "memory_type": "fact",
            "kind": "memory",
            "privacy": "shareable",
            "floor": floor,
            "floor_reason": None if floor == "none" else "credential",
            "producer": "agent",
            "confidence": 1.0,
            "is_artifact": False,
            "hold_hard": False,
            "received_at": START,
        } | learning
        return LearningProposed(
            source=self.source("runs", number + 1),
            sender=0,
            part=number,
            org=self.org,
            agent=self.agent,
            learning_id=self.learning(fields["entry_key"]),
            run_id=run_id,
            written_at=START,
            wording=IDS.wording(fields["rule"] or "held", fields["value"]),
            **fields,
        )

    def rollback(self, version: int, **learning: Any) -> list[Any]:
        """A write that makes a version the newest again; `learning` has its wording, whatever else it says."""
        proposal = self.proposal(0, "", "none", learning)
        event = replace(proposal, source=self.source("writes"), run_id=None, rollback_to=version)
        self.offsets["writes"] += 1
        return [event]

    def learning(self, entry_key: str = KEY) -> str:
        return IDS.learning(self.agent, "main", entry_key)

    def outcome(self, outcome_id: str, result: str = "success", *credits: Credit, content: str | None = None, **changes: Any) -> list[Any]:
        """An outcome; without credits it relied on KEY."""
        credits_ = credits or (self.credit(helpful="yes" if result == "success" else "no"),)
        fields: dict[str, Any] = {
            "source": self.source("outcomes"),
            "sender": 0,
            "org": self.org,
            "agent": self.agent,
            "outcome_id": outcome_id,
            "content": IDS.content(content or f"{outcome_id} {result} {credits_}"),
            "at": START,
            "at_told": True,
            "received_at": START,
            "result": result,
            "verified_by": "ci",
            "attested_by": "agent",
            "causal_confidence": 1.0,
            "credits": credits_,
            "parts": max(1, len(credits_)),
        } | changes
        self.offsets["outcomes"] += 1
        return [OutcomeReported(**fields)]

    def credit(self, entry_key: str = KEY, helpful: str = "yes", part: int = 0, **changes: Any) -> Credit:
        log = agent_log(self.org, self.agent)
        fields: dict[str, Any] = {
            "part": part,
            "own": True,
            "subject": self.learning(entry_key),
            "entry_key": entry_key,
            "log": log,
            "applied": True,
            "helpful": helpful,
        } | changes
        return Credit(**fields)

    def pool_credit(self, shared_id: str = "ab" * 16, part: int = 0, **changes: Any) -> Credit:
        fields: dict[str, Any] = {"own": False, "subject": shared_id, "log": 7, "wording": "cd" * 8, "entry_key": None}
        return replace(self.credit(part=part), **(fields | changes))

    def recalled(self, *entry_keys: str) -> list[Any]:
        event = Recalled(
            source=self.source("recalls"),
            sender=0,
            org=self.org,
            agent=self.agent,
            received_at=START,
            learning_ids=tuple(self.learning(key) for key in entry_keys),
        )
        self.offsets["recalls"] += 1
        return [event]


@dataclass(slots=True)
class Table:
    """A partition of the log with the table that a core keeps of it. Each event comes a second after the one before."""

    policy: GatePolicy = field(default_factory=GatePolicy)
    values: dict[bytes, bytes] = field(default_factory=dict)
    records: list[Incoming] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    out: list[Outgoing] = field(default_factory=list)
    at: datetime = START

    def core(self) -> Aggregate:
        return Aggregate(SECRET, self.policy)

    def write(self, events: Iterable[Any], every: timedelta = timedelta(seconds=1)) -> list[Incoming]:
        """Put events on the log, one after the other; bytes go as they are."""
        fresh: list[Incoming] = []
        for event in events:
            self.at += every
            self.events.append(event)
            value = event if isinstance(event, bytes) else encode(event)
            fresh.append(Incoming("learnings", "log", 3, len(self.records) + len(fresh), self.at, b"key", value))
        self.records += fresh
        return fresh

    def save(self, states: dict[bytes, bytes | None]) -> None:
        for key, value in states.items():
            if value is None:
                self.values.pop(key, None)
            else:
                self.values[key] = value

    def step(self, batch: Sequence[Incoming]) -> Result:
        """Take a batch whole: send, then save."""
        result = self.core().step(3, batch, self.values.get)
        self.out += result.out
        self.save(result.states)
        return result

    def take(self, *events: Any) -> "Table":
        """Write events (lists of them are laid flat) and take each in a batch of its own."""
        for event in events:
            for record in self.write(event if isinstance(event, list) else [event]):
                self.step([record])
        return self

    def wait(self, **time: float) -> "Table":
        """Let time pass: a tick comes later by so much."""
        self.at += timedelta(**time)
        return self.take(Tick(at=self.at))

    def sent(self, topic: str) -> list[Any]:
        """Records sent to a topic, decoded."""
        return [decode(o.value) for o in self.out if o.topic == topic]

    def versions(self, entry_key: str = KEY) -> list[Learning]:
        return [v for v in self.sent("entries") if v.entry_key == entry_key]

    def newest(self, entry_key: str = KEY) -> Learning:
        return self.versions(entry_key)[-1]

    def ends(self) -> dict[tuple[str, str], tuple[str, str | None]]:
        """End and reason of each part, by receipt id without partition and part: the highest revision."""
        receipts: list[Receipt] = sorted(self.sent("receipts"), key=lambda r: r.revision)
        return {(r.id.replace(":0:", ":"), r.part): (r.end, r.reason) for r in receipts}

    def dead(self) -> list[tuple[str, str, str]]:
        letters: list[DeadLetter] = self.sent("dead-letters")
        return [(letter.id.replace(":0:", ":"), letter.part, letter.reason) for letter in letters]

    def decisions(self) -> list[tuple[str, str]]:
        decided: list[Decision] = self.sent("decisions")
        return [(d.decision, d.chain) for d in decided]


def nothing(key: bytes) -> bytes | None:
    """A table that holds nothing."""
    return None


def known(log: Log, **learning: Any) -> Table:
    """A table that knows a hosted agent, home space commons, and its learning KEY."""
    return Table().take(log.loaded(), log.run("r-1", learning))
