"""Values of the tables that agents keep. The .avsc of each record says what its fields hold, with units."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A learning that ranks."""

    learning_id: str
    worth: float
    since: datetime
    recalls: int
    artifact: bool
    tier: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TopRanks:
    """The learnings of an agent that rank first (SPEC 5.8), with some in reserve behind them."""

    org: str
    agent: str
    whole: bool
    again_at: datetime | None = None
    ranked: tuple[Ranked, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A value of a table as it was before the batch that wrote it and as it is after (aggregate's table)."""

    generation: int
    position: int
    before: bytes | None = None
    body: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimerDay:
    """Timers of a day."""

    day: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionState:
    """What a partition of the agents' log has come to."""

    epoch: str
    generation: int
    position: int
    base: int
    clock: datetime
    next_due: datetime | None = None
    timers: tuple[TimerDay, ...] = ()
    removed: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """When to look at a value again."""

    due: datetime
    key: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Timers:
    """Up to 64 timers of a day."""

    timers: tuple[Timer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """The highest source taken from a pair of sender's and source partition."""

    sender: int
    topic: str
    epoch: str
    partition: int
    offset: int
    index: int
    verdict: str
    run: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """What is kept of an agent as a whole."""

    org: str
    agent: str
    home_space: str
    producer: str
    hosted: bool
    shared_learning: bool | None = None
    banned_by: str | None = None
    outcomes: int
    runs: int
    learnings: int
    watermarks: tuple[Watermark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Up to 64 kept outcomes or runs of an agent, oldest first."""

    ids: bytes
    contents: bytes
    links: bytes
    ats: tuple[int, ...] = ()
    entries: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLearning:
    """A learning that the run wrote."""

    learning_id: str
    wording: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRun:
    """What is kept of a run."""

    floor: str
    reason: str | None = None
    learnings: tuple[RunLearning, ...] = ()
    entities: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MetBy:
    """Which agents of a partition met an entity (aggregate's table)."""

    agents: tuple[str, ...] = ()
    erased_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """What an agent keeps of an entity that it met (aggregate's table)."""

    episodes: int
    claims: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedRuns:
    """Runs of an agent whose episodes were erased (aggregate's table)."""

    runs: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A learning it credits."""

    own: bool
    subject: str
    log: int
    wording: str | None = None
    since: int | None = None
    applied: bool
    helpful: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOutcome:
    """What is kept of an outcome, so that it can be amended."""

    place: int
    result: str
    causal_confidence: float
    entries: int
    verified: bool
    independent: bool
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingOutcome:
    """One that waits."""

    number: int
    due: datetime
    keys: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingOutcomes:
    """Outcomes of an agent that wait (SPEC 5.2), oldest first."""

    org: str
    agent: str
    outcomes: tuple[WaitingOutcome, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCredit:
    """A credit that came before its learning."""

    number: int
    outcome_id: str
    receipt: str
    epoch: str
    received_at: datetime
    part: int
    wording: str | None = None
    version: int | None = None
    applied: bool
    helpful: str
    result: str
    causal_confidence: float
    entries: int
    verified: bool
    independent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCredits:
    """Credits that wait for one learning, in order."""

    credits: tuple[WaitingCredit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingAmendments:
    """Amendments that wait for one outcome, in order."""

    messages: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Evidence of a wording after some outcomes."""

    mass_success: float
    mass_failure: float
    applied: int
    helpful: int
    success_count: int
    failure_count: int
    verified: int
    independent: int
    discredited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePoint:
    """Evidence as it was after an outcome."""

    after: int
    figures: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceState:
    """What changes with each outcome of a learning."""

    version: int
    revision: int
    wording: str
    points: tuple[EvidencePoint, ...] = ()
    state: str
    crossing: str
    visibility: str
    holds: int
    tier: int
    recall_count: int
    cleared_space: str | None = None
    withdrawn_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingMark:
    """A wording it had."""

    version: int
    wording: str
    rejected: bool
    floor: str
    floor_reason: str | None = None
    cleared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningState:
    """What a learning says; changes with a write, not with an outcome."""

    org: str
    agent: str
    branch: str
    entry_key: str
    wordings: tuple[WordingMark, ...] = ()
    rule: str | None = None
    value: str | None = None
    cue: str
    tools: tuple[str, ...] = ()
    goal_phrases: tuple[str, ...] = ()
    memory_type: str
    kind: str
    stated: str
    floor: str
    floor_reason: str | None = None
    lifted_by: str | None = None
    producer: str
    run_id: str | None = None
    session: str | None = None
    written_at: datetime
    received_at: datetime
    pattern_refs: tuple[str, ...] = ()
    work_area: str | None = None
    space: str | None = None
    is_artifact: bool
    ttl_at: datetime | None = None
    importance: float | None = None
    novelty: float | None = None
    steps: int = 0
    value_bindings: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    applies_to: str | None = None
    prior: float
    contradicts: tuple[str, ...] = ()
    hold: str | None = None
    hold_hard: bool
    held_until: datetime | None = None
    source_goal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningList:
    """Up to 256 learnings of an agent, in the order in which they were made."""

    ids: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Which words an agent's wordings have, by hash (aggregate's table)."""

    bits: bytes
