"""What promote and journal keep: table values. The .avsc of each record says what its fields hold, with units."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.records.parts import Source
from schemas.records.state import EvidencePoint


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolMark:
    """Highest source taken of one sender's partition and one source partition (exactly once by construction)."""

    of: str
    sender: int
    topic: str
    epoch: str
    partition: int
    offset: int
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolPart:
    """One original that brought this wording."""

    origin: str
    member: str
    present: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolState:
    """A shared learning as promote keeps it (a table value; one a shared id)."""

    org: str
    space: str
    shared_id: str
    made_epoch: str
    made: int
    version: int
    revision: int
    rule: str
    value: str | None = None
    tools: tuple[str, ...] = ()
    memory_type: str
    kind: str
    environment: Mapping[str, str] = field(default_factory=dict)
    applies_to: str | None = None
    wording: str
    prior: float
    points: tuple[EvidencePoint, ...]
    credits: int
    tail: bytes
    contradicts: tuple[str, ...] = ()
    donor: str
    parts: tuple[PoolPart, ...]
    yes: bytes
    no: bytes
    state: str = "active"
    visibility: str = "shown"
    objections: tuple[str, ...] = ()
    approvals: tuple[str, ...] = ()
    marks: tuple[PoolMark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAlias:
    """Where an original landed that was near another's (a table value; one a shared id without a copy of its own)."""

    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolCredits:
    """Up to 64 kept credits of a shared learning (a table value; a ring of them a shared id)."""

    first: int
    entries: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSegment:
    """Part of a pool's directory, from which the index of near wordings is rebuilt (a table value)."""

    folding: int
    entries: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalHead:
    """Where one of an organisation's chains stands (a table value)."""

    sequence: int
    hash: str
    tree: bytes
    marks: tuple[Source, ...] = ()
