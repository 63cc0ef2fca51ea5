"""Records on the logs of agents and pools. The .avsc of each record says what its fields hold, with units."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from schemas.records.out import Claim, Episode
from schemas.records.parts import Condition, Credit, FindingMark, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSeen:
    """A run's clean record: the first of what its raw record caused (topic learnings)."""

    source: Source
    sender: int
    org: str
    agent: str
    run_id: str
    parent_run_id: str | None = None
    content: str
    floor: str
    floor_reason: str | None = None
    received_at: datetime
    proposals: int
    episode: Episode
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningProposed:
    """A learning to be kept, clean (topic learnings)."""

    source: Source
    sender: int
    part: int
    org: str
    agent: str
    learning_id: str
    entry_key: str
    branch: str
    run_id: str | None = None
    session: str | None = None
    work_area: str | None = None
    space: str | None = None
    written_at: datetime
    received_at: datetime
    rule: str | None = None
    value: str | None = None
    cue: str
    tools: tuple[str, ...] = ()
    goal_phrases: tuple[str, ...] = ()
    memory_type: str
    kind: str
    privacy: str
    floor: str
    floor_reason: str | None = None
    producer: str
    environment: Mapping[str, str] = field(default_factory=dict)
    applies_to: str | None = None
    confidence: float
    importance: float | None = None
    is_artifact: bool
    ttl_at: datetime | None = None
    pattern_refs: tuple[str, ...] = ()
    value_bindings: tuple[str, ...] = ()
    wording: str
    hold: str | None = None
    hold_hard: bool
    findings: tuple[FindingMark, ...] = ()
    rollback_to: int | None = None
    reviewer: str | None = None
    reason: str | None = None
    source_goal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeReported:
    """An outcome, clean (topic learnings)."""

    source: Source
    sender: int
    org: str
    agent: str
    outcome_id: str
    run_id: str | None = None
    content: str
    at: datetime
    at_told: bool
    received_at: datetime
    result: str
    score: float | None = None
    scorer: str | None = None
    amends: str | None = None
    verified_by: str | None = None
    attested_by: str
    causal_confidence: float
    recall_ids: tuple[str, ...] = ()
    credits: tuple[Credit, ...] = ()
    parts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentChanged:
    """What is known of an agent changed (topic learnings)."""

    source: Source
    sender: int
    org: str
    agent: str
    received_at: datetime
    home_space: str
    producer: str
    hosted: bool
    shared_learning: bool | None = None
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Own learnings that recalls showed to their agent (topic learnings)."""

    source: Source
    sender: int
    org: str
    agent: str
    received_at: datetime
    learning_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """What a reviewer said, clean (topics learnings and candidates)."""

    source: Source
    sender: int
    org: str
    agent: str | None = None
    space: str | None = None
    subject: str
    act: str
    reviewer: str
    reason: str | None = None
    wording: str | None = None
    into: str | None = None
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSeen:
    """A claim written outside of a run, clean (topic learnings)."""

    source: Source
    sender: int
    org: str
    agent: str
    received_at: datetime
    claim: Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityErased:
    """What is kept of an entity goes (topic learnings, every partition of it)."""

    source: Source
    sender: int
    org: str
    entity: str
    requested_by: str
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Moves a partition's stream time on (topics learnings and candidates)."""

    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateCleared:
    """A learning cleared the gate (topic candidates). Promotable fields and the gate's figures."""

    source: Source
    sender: int
    org: str
    space: str
    shared_id: str
    learning_id: str
    donor: str
    version: int
    rule: str
    value: str | None = None
    tools: tuple[str, ...] = ()
    memory_type: str
    kind: str
    environment: Mapping[str, str] = field(default_factory=dict)
    applies_to: str | None = None
    confidence: float
    evidence_status: str
    trust: str
    independent: int
    wording: str
    gate: tuple[Condition, ...] = ()
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateWithdrawn:
    """A learning that had cleared the gate lost it (topic candidates)."""

    source: Source
    sender: int
    org: str
    space: str
    shared_id: str
    learning_id: str
    donor: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolCredited:
    """An outcome's credit to a shared learning, by ref (topic candidates)."""

    source: Source
    sender: int
    org: str
    shared_id: str
    wording: str
    voter: str
    outcome: str
    amends: bool = False
    applied: bool
    helpful: str
    result: str
    causal_confidence: float
    entries: int
    verified: bool
    attested_by: str
    receipt: str
    agent_log: int
    at: datetime
