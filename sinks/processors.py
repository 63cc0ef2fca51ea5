"""Which topic fills which tables. A new topic is a new entry in the list at the end."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from schemas.ids import ids_of
from schemas.partition import log_hash
from schemas.records import (
    AgentChanged,
    Claim,
    Counter,
    DeadLetter,
    Decision,
    Episode,
    Erased,
    Exposure,
    Finding,
    Identity,
    JournalCheckpoint,
    JournalCountersignature,
    JournalEntry,
    JournalKey,
    JournalText,
    Learning,
    OutcomeReported,
    PoolMember,
    Receipt,
    Request,
    SharedLearning,
)
from sinks.postings import Wording, of_learning, of_shared, posting_id
from sinks.projection import Computed, Projection, fields, receipt


@dataclass(frozen=True, slots=True)
class Processor:
    """What the sink does with a topic. Other kinds of records than the projections' are not for it. `wording`: what recall finds it by."""

    topic: str
    projections: tuple[Projection, ...]
    wording: Callable[[Learning], Wording | None] | Callable[[SharedLearning], Wording | None] | None = None
    kinds: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", frozenset(p.kind.__name__ for p in self.projections))


def processors(secret: bytes) -> dict[str, Processor]:
    """All processors by topic (without prefix), in the order in which a batch is written: receipts last, for who sees one reads on."""

    def ref(shared: SharedLearning) -> str:
        log = log_hash(shared.org, shared.space)
        return ids_of(secret, shared.org).ref(own=False, log=log, subject=shared.shared_id, wording=shared.wording)

    entry = {**fields(Learning, leave_out=("cause", "floor")), **_CAUSE, **_FLOOR}
    learning = {name: path for name, path in entry.items() if name != "source_goal"}  # kept, and shown to nobody
    shared = {**fields(SharedLearning, leave_out=("cause",)), **_CAUSE, "ref": Computed(ref)}
    pools: dict[str, dict[str, str | Computed]] = {"shared": shared, "pool": shared, "pool_arrivals": _BY_POSTING}
    return _by_topic(
        Processor("entries", (Projection("entries", Learning, entry), Projection("learnings", Learning, learning)), of_learning),
        Processor("counters", (Projection("counters", Counter, fields(Counter)),)),
        Processor("shared", tuple(Projection(table, SharedLearning, columns) for table, columns in pools.items()), of_shared),
        Processor("pool-members", (Projection("pool_members", PoolMember, fields(PoolMember)),)),
        Processor("learnings", (_OUTCOMES, _CREDITS, _PRINCIPALS)),
        Processor("identities", (_IDENTITIES, _IDENTITY_KEYS)),
        Processor("episodes", (Projection("episodes", Episode, fields(Episode)),)),
        Processor("claims", (Projection("claims", Claim, fields(Claim)),)),
        Processor("findings", (_FINDINGS,)),
        Processor("recalls", (_EXPOSURES,)),
        Processor("decisions", (Projection("decisions", Decision, fields(Decision, leave_out=("source", "texts"))),)),
        Processor("journal", (Projection("journal", JournalEntry, fields(JournalEntry)),)),
        Processor("journal-texts", (Projection("journal_texts", JournalText, fields(JournalText)),)),
        Processor("journal-seals", tuple(Projection(table, kind, fields(kind)) for table, kind in _SEALS.items())),
        Processor("dead-letters", (Projection("dead_letters", DeadLetter, fields(DeadLetter)),)),
        Processor("erased", (Projection("erased", Erased, fields(Erased)),)),
        Processor("requests", (Projection("requests", Request, fields(Request)),)),
        Processor("receipts", (Projection("receipts", Receipt, fields(Receipt)),)),
    )


def _by_topic(*all_of_them: Processor) -> dict[str, Processor]:
    return {p.topic: p for p in all_of_them}


def _changed(record: AgentChanged) -> int:
    # By broker time, then offset: the newest change stands whatever is delivered again, and after the topic was made anew.
    return round(record.received_at.timestamp() * 1000) << 20 | record.source.offset & 0xFFFFF


def _columns(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}


_RECEIPT = Computed(
    lambda record: receipt(record.source),
    "concat(source.topic, ':', toString(source.partition), ':', toString(source.offset))",
)
_BY_POSTING: dict[str, str | Computed] = {
    **_columns(
        ("org", "space", "revision", "shared_id", "rule", "value", "tools", "memory_type", "kind", "confidence", "trust", "wording")
    ),
    **_columns(("evidence_status", "applied", "helpful", "success_count", "failure_count", "state", "crossing", "visibility", "at")),
    **_columns(("trust", "contradicts")),
    "id": Computed(
        lambda record: posting_id(record.shared_id, record.wording),
        "bitXor(reinterpretAsUInt64(reverse(unhex(substring(shared_id, 1, 16)))), reinterpretAsUInt64(reverse(unhex(wording))))",
    ),
}
_CAUSE = {"cause": "cause.what", "cause_id": "cause.id", "cause_by": "cause.by", "confidence_before": "cause.confidence_before"}
_FLOOR = {
    "floor_stated": "floor.stated",
    "floored_to": "floor.floored_to",
    "floor_reason": "floor.reason",
    "floor_lifted_by": "floor.lifted_by",
}
_OUTCOMES = Projection(
    "outcomes",
    OutcomeReported,
    fields(OutcomeReported, leave_out=("source", "sender", "content", "credits"), receipt=_RECEIPT, epoch="source.epoch"),
)
_CREDITS = Projection(
    "credits",
    OutcomeReported,
    {
        **_columns(("org", "agent", "outcome_id", "result", "at", "received_at")),
        **{name: f"credits.{name}" for name in ("part", "own", "subject", "entry_key", "wording", "version", "applied", "helpful")},
        "receipt": _RECEIPT,
        "epoch": "source.epoch",
    },
    each="credits",
)
# From the agent's log, not from the topic principals: there a name in which the scan found something is pseudonymised (SPEC 3.13).
_PRINCIPALS = Projection(
    "principals",
    AgentChanged,
    fields(AgentChanged, leave_out=("source", "sender", "received_at"), at="received_at", revision=Computed(_changed)),
)
_IDENTITIES = Projection("identities", Identity, fields(Identity, leave_out=("keys",)))
_IDENTITY_KEYS = Projection(
    "identity_keys",
    Identity,
    {
        **_columns(("org", "principal", "revision")),
        **{name: f"keys.{name}" for name in ("key_id", "secret_hash", "attests", "added_at", "revoked_at")},
    },
    each="keys",
)
_SEALS = {
    "journal_checkpoints": JournalCheckpoint,
    "journal_keys": JournalKey,
    "journal_countersignatures": JournalCountersignature,
}
_FINDINGS = Projection(
    "findings",
    Finding,
    fields(Finding, leave_out=("source",), receipt=_RECEIPT, epoch="source.epoch", ordinal="source.index"),
)
_EXPOSURES = Projection(
    "exposures",
    Exposure,
    {
        **_columns(("org", "agent")),
        **{name: f"recalls.{name}" for name in ("recall_id", "scope", "at")},
        **{name: f"recalls.rows.{name}" for name in ("rank", "ref", "own", "subject")},
    },
    each="recalls.rows",
)
