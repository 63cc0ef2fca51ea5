"""A request to erase an entity: its name stays on the raw side, every partition of the agents' log gets a stand-in (SPEC 8.3)."""

from agents.binding.batch import EVERYWHERE, Outgoing
from agents.scan.reviews import kept_reason
from agents.scan.say import Author
from schemas.codec import encode
from schemas.ids import short_hash
from schemas.partition import log_hash
from schemas.records import Decision, EntityErased, Erasure
from schemas.vault import Vault


def scan_erasure(author: Author, erasure: Erasure, vault: Vault | None) -> list[Outgoing]:
    """One record for every partition, since any agent may have met it; the request goes to the journal. `author` is who asks.

    The keys of what was met of it are destroyed first: what is sealed with them is unreadable from here on, wherever it stands.
    """
    record, entity = author.record, author.ids.entity(erasure.entity)
    keys = 0 if vault is None else vault.destroy(author.org, entity, round(record.at.timestamp() * 1000))
    erased = EntityErased(
        source=record.source(),
        sender=record.partition,
        org=author.org,
        entity=entity,
        requested_by=author.agent,
        received_at=record.at,
    )
    reason = kept_reason(erasure.reason, erasure.entity)
    decision = Decision(
        source=record.source(),
        decision_id=short_hash(f"erasure\0{record.epoch}\0{record.receipt}".encode()),
        org=author.org,
        chain="restricted",
        actor=author.agent,
        decision="erasure_requested",
        subject=record.receipt,
        reason="request",
        figures={"entity": entity, "keys": str(keys)},
        texts={"reason": reason} if reason else {},
        at=record.at,
    )
    return [
        Outgoing("learnings", record.receipt.encode(), encode(erased), EVERYWHERE),
        Outgoing("decisions", author.org.encode(), encode(decision), log_hash(author.org)),
        author.receipt("erasure", "stored", "requested"),
    ]
