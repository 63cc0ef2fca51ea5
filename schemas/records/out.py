"""Records that agents, pools and the journal say. The .avsc of each record says what its fields hold, with units."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from schemas.records.parts import Cause, Condition, Dimension, Floor, Grant, Key, Move, Source, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """A version of a learning, whole (topic entries). Each field says whether it may cross (SPEC 2.11)."""

    org: str
    agent: str
    learning_id: str
    branch: str
    entry_key: str
    version: int
    revision: int
    rule: str | None = None
    value: str | None = None
    cue: str
    tools: tuple[str, ...] = ()
    goal_phrases: tuple[str, ...] = ()
    memory_type: str
    kind: str
    privacy: str
    producer: str
    run_id: str | None = None
    session: str | None = None
    written_at: datetime
    pattern_refs: tuple[str, ...] = ()
    work_area: str | None = None
    space: str | None = None
    home_space: str
    is_artifact: bool
    ttl_at: datetime | None = None
    importance: float | None = None
    dimensions: tuple[Dimension, ...] = ()
    value_bindings: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    applies_to: str | None = None
    prior: float
    confidence: float
    applied: int
    helpful: int
    success_count: int
    failure_count: int
    mass_success: float
    mass_failure: float
    evidence_status: str
    trust: str
    independent: int
    validators: int
    state: str
    crossing: str
    visibility: str
    tier: int
    recall_count: int
    cause: Cause
    moves: tuple[Move, ...] = ()
    floor: Floor | None = None
    contradicts: tuple[str, ...] = ()
    hold: str | None = None
    wording: str
    gate: tuple[Condition, ...] = ()
    at: datetime
    source_goal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """What changes on a learning without a version (topic counters)."""

    org: str
    agent: str
    learning_id: str
    revision: int
    recall_count: int
    tier: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """The record kept of a run, scrubbed (topic episodes). Private to its agent, always."""

    org: str
    agent: str
    run_id: str
    parent_run_id: str | None = None
    session: str | None = None
    work_area: str | None = None
    space: str | None = None
    attempt: int
    started_at: datetime
    ended_at: datetime
    times_told: bool
    producer: str
    model: str | None = None
    runtime: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    exit_status: str | None = None
    cue: str
    steps: tuple[Step, ...] = ()
    tools: tuple[str, ...] = ()
    recall_ids: tuple[str, ...] = ()
    received_at: datetime
    entities: tuple[str, ...] = ()
    sealed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An identifying fact (topic claims). Private to its agent, always."""

    org: str
    agent: str
    claim_id: str
    entity: str
    key: str
    value: str | None = None
    privacy: str = "agent_specific"
    run_id: str | None = None
    received_at: datetime
    entity_id: str = ""
    sealed: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something the scanner saw; never the value (topic findings)."""

    org: str
    agent: str
    subject: str
    subject_kind: str
    field: str
    layer: str
    kind: str
    severity: str
    hard: bool
    start: int
    end: int
    source: Source
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A write over HTTP under an Idempotency-Key, and the receipt that it got (topic requests)."""

    org: str
    request: str
    content: str
    receipt: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """How one part of a message ended (topic receipts; SPEC 9.3)."""

    id: str
    org: str
    agent: str
    part: str
    end: str
    reason: str | None = None
    at: datetime
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLearning:
    """A version of a shared learning (topic shared): promotable fields and the pool's own figures, nothing else."""

    org: str
    space: str
    shared_id: str
    version: int
    revision: int
    rule: str
    value: str | None = None
    tools: tuple[str, ...] = ()
    memory_type: str
    kind: str
    environment: Mapping[str, str] = field(default_factory=dict)
    applies_to: str | None = None
    prior: float
    confidence: float
    evidence_status: str
    trust: str
    applied: int
    helpful: int
    success_count: int
    failure_count: int
    validators: int
    independent: int
    state: str
    crossing: str
    visibility: str
    provisional: bool
    contradicts: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    wording: str
    cause: Cause
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolMember:
    """An agent's part in a shared learning (topic pool-members): read by promote and by recall's exclusion only."""

    org: str
    space: str
    shared_id: str
    member: str
    role: str
    verdict: str | None = None
    present: bool
    revision: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What an agent decided (topic decisions)."""

    source: Source
    decision_id: str
    org: str
    chain: str
    actor: str
    decision: str
    subject: str
    reason: str
    figures: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """A decision in order, signed (topic journal)."""

    org: str
    chain: str
    sequence: int
    previous: str
    decision_id: str
    actor: str
    decision: str
    subject: str
    reason: str
    figures: Mapping[str, str] = field(default_factory=dict)
    commitments: Mapping[str, str] = field(default_factory=dict)
    at: datetime
    key: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalText:
    """A text that an entry commits to, erasable (topic journal-texts)."""

    org: str
    chain: str
    sequence: int
    name: str
    text: str
    salt: str
    at: datetime
    erased: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalCheckpoint:
    """A signed statement of how many entries a chain had and what its Merkle root was (topic journal-seals)."""

    org: str
    chain: str
    size: int
    root: str
    at: datetime
    key: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalKey:
    """A public key of the journal or of a second gate (topic journal-seals)."""

    key: str
    public: str
    role: str
    endorsed_by: str | None = None
    endorsement: str | None = None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalCountersignature:
    """A second gate's signature over an entry (topic journal-seals)."""

    org: str
    chain: str
    sequence: int
    subject: str
    key: str
    signature: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A message that could not be taken: a pointer, not the message (topic dead-letters; SPEC 9.4)."""

    id: str
    topic: str
    epoch: str
    partition: int
    offset: int
    part: str
    reason: str
    field: str | None = None
    excerpt: str | None = None
    org: str | None = None
    agent: str | None = None
    at: datetime
    replayable_until: datetime
    replayed_as: str | None = None
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who there is, as the scan admitted it (topic identities): whose name holds a finding is known by a stand-in."""

    org: str
    principal: str
    kind: str
    home_space: str
    keys: tuple[Key, ...] = ()
    roles: tuple[Grant, ...] = ()
    revision: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What one partition of the agents' log erased of an entity (topic erased)."""

    org: str
    erasure: str
    entity: str
    partition: int
    requested_by: str
    episodes: int
    claims: int
    outcomes: int
    waiting: int
    learnings: int
    credits: int
    at: datetime
