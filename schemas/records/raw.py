"""Records of the raw side, as runtimes and operators send them. The .avsc of each record says what its fields hold, with units."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from schemas.records.parts import ClaimDraft, CreditDraft, Entity, ExposedRecall, Grant, Key, LearningDraft, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A piece of work by an agent, as its runtime sent it (topic runs)."""

    run_id: str
    parent_run_id: str | None = None
    recall_ids: tuple[str, ...] = ()
    org: str
    agent: str
    session: str | None = None
    work_area: str | None = None
    space: str | None = None
    attempt: int = 1
    started_at: datetime | None = None
    ended_at: datetime | None = None
    producer: str = "agent"
    model: str | None = None
    runtime: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    goal: str | None = None
    exit_status: str | None = None
    steps: tuple[Step, ...] = ()
    tools: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    learnings: tuple[LearningDraft, ...] = ()
    claims: tuple[ClaimDraft, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The report that a task relied on given learnings, and how it ended (topic outcomes)."""

    outcome_id: str
    org: str
    agent: str
    run_id: str | None = None
    at: datetime | None = None
    result: str | None = None
    score: float | None = None
    scorer: str | None = None
    amends: str | None = None
    verified_by: str | None = None
    causal_confidence: float = 1.0
    recall_ids: tuple[str, ...] = ()
    credits: tuple[CreditDraft, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A learning written outside of a run, or rolled back to (topic writes)."""

    org: str
    agent: str
    session: str | None = None
    work_area: str | None = None
    space: str | None = None
    producer: str = "agent"
    learning: LearningDraft
    rollback_to: int | None = None
    source_goal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimWrite:
    """A claim written outside of a run (topic claim-writes)."""

    org: str
    agent: str
    claim: ClaimDraft


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who there is (topic principals)."""

    org: str
    principal: str
    kind: str = "agent"
    home_space: str = "personal"
    producer: str = "agent"
    hosted: bool = False
    shared_learning: bool | None = None
    tools: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()
    roles: tuple[Grant, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a reviewer says of a learning, of a shared learning or of texts in the journal (topic reviews)."""

    org: str
    subject: str
    agent: str | None = None
    space: str | None = None
    act: str
    reviewer: str
    reason: str | None = None
    wording: str | None = None
    names: tuple[str, ...] = ()
    into: str | None = None
    write: Write | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """A request that what is kept of an entity goes (topic erasures; SPEC 8.3)."""

    org: str
    entity: str
    requested_by: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """What one process served one agent in a second (topic recalls; SPEC 7.8)."""

    org: str
    agent: str
    process: str
    sequence: int
    recalls: tuple[ExposedRecall, ...] = ()
