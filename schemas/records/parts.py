"""Parts that several records hold. The .avsc of each record says what its fields hold, with units."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Which raw record caused this, kept on every hop (exactly once by construction)."""

    topic: str
    epoch: str
    partition: int
    offset: int
    index: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key of a principal: what its API key and its signatures are known by, never the secret itself."""

    key_id: str
    public_key: str | None = None
    secret_hash: str | None = None
    attests: str = "agent"
    added_at: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A role that a principal has."""

    role: str
    space: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a run."""

    kind: str | None = None
    role: str | None = None
    at: datetime | None = None
    duration_ms: int | None = None
    call_id: str | None = None
    tool: str | None = None
    input: str | None = None
    output: str | None = None
    status: str | None = None
    exit_code: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Something the run met that identifies somebody or something."""

    kind: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningDraft:
    """A learning as its author wrote it, before the scan."""

    entry_key: str
    branch: str = "main"
    rule: str
    value: str | None = None
    cue: str | None = None
    tools: tuple[str, ...] = ()
    goal_phrases: tuple[str, ...] = ()
    memory_type: str = "fact"
    kind: str = "memory"
    privacy: str | None = None
    shared: bool | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    applies_to: str | None = None
    confidence: float = 1.0
    importance: float | None = None
    is_artifact: bool = False
    ttl_at: datetime | None = None
    pattern_refs: tuple[str, ...] = ()
    value_bindings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimDraft:
    """A claim as its author wrote it, before the scan."""

    entity: str
    key: str
    value: str | None = None
    privacy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditDraft:
    """What an outcome says of one learning, as reported."""

    entry_key: str | None = None
    ref: str | None = None
    branch: str = "main"
    version: int | None = None
    applied: bool = True
    helpful: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """What an outcome says of one learning, resolved by the scan."""

    part: int
    own: bool
    subject: str
    entry_key: str | None = None
    log: int
    wording: str | None = None
    version: int | None = None
    applied: bool
    helpful: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingMark:
    """What the scan saw in a part, without position or value."""

    layer: str
    kind: str
    severity: str
    hard: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What made this version."""

    what: str
    id: str | None = None
    by: str | None = None
    confidence_before: float | None = None
    confidence_after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """What is known of one dimension of a learning's importance."""

    name: str
    figure: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What an outcome moved (SPEC 5.4): it counted, or it was amended and all after it were counted again."""

    outcome_id: str
    result: str
    helpful: str
    weight: float | None = None
    mass_success: float
    mass_failure: float
    confidence_before: float
    confidence_after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """Privacy as stated and as it was floored (SPEC 3.11)."""

    stated: str
    floored_to: str
    reason: str
    lifted_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One of the seven conditions of the gate (SPEC 6.1)."""

    condition: str
    holds: bool
    figure: str
    needed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposedRow:
    """One row that a recall showed."""

    ref: str
    own: bool
    subject: str
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposedRecall:
    """One recall and what it showed."""

    recall_id: str
    at: datetime
    scope: str
    rows: tuple[ExposedRow, ...] = ()
