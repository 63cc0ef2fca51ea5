"""A chain of signed entries (SPEC 6.8): each says the hash of the one before, and nobody without the key can make or change one.

What is signed and hashed is an entry's canonical bytes: the domain `tidegate/journal/1`, a line feed, and the canonical JSON (keys
sorted, no spaces, UTF-8) of its fields, where `at` is whole milliseconds since 1970 UTC and `previous` the SHA-256 of the canonical
bytes of the entry before (64 zeros before the first), in hex. The signature is Ed25519 over these bytes. Key and signature are not part
of them, so a chain is whole whoever signs it again with a key that was rotated in. `docs/journal.md` says the same for other languages.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from agents.journal.keys import key_id, signed_by
from schemas.jsonform import canonical
from schemas.records import Decision, JournalEntry

FIRST = "0" * 64
"""What the first entry of a chain says for the hash of the one before."""
CHAINS = ("public", "restricted")
"""The chains of each organisation: what all its members may read, and what only reviewers and auditors may (SPEC 4.4)."""
_ENTRY, _COUNTERSIGNATURE, _TEXT = b"tidegate/journal/1\n", b"tidegate/countersignature/1\n", b"tidegate/text/1\n"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Tip:
    """Where a chain stands: the sequence of its latest entry and that entry's hash. Whoever appends keeps nothing else of it."""

    sequence: int = 0
    hash: str = FIRST


def milliseconds(at: datetime) -> int:
    """Whole milliseconds since 1970 UTC."""
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000


def canonical_bytes(entry: JournalEntry) -> bytes:
    """What is signed and hashed of an entry."""
    value = {
        "org": entry.org,
        "chain": entry.chain,
        "sequence": entry.sequence,
        "previous": entry.previous,
        "decision_id": entry.decision_id,
        "actor": entry.actor,
        "decision": entry.decision,
        "subject": entry.subject,
        "reason": entry.reason,
        "figures": dict(entry.figures),
        "commitments": dict(entry.commitments),
        "at": milliseconds(entry.at),
    }
    return _ENTRY + canonical(value).encode()


def entry_hash(entry: JournalEntry) -> str:
    """SHA-256 of an entry's canonical bytes, in hex."""
    return hashlib.sha256(canonical_bytes(entry)).hexdigest()


def entry_key(entry: JournalEntry) -> bytes:
    """Key of an entry's record: organisation, chain and sequence."""
    return f"{entry.org}/{entry.chain}/{entry.sequence}".encode()


def append(tip: Tip, decision: Decision, commitments: Mapping[str, str], key: Ed25519PrivateKey) -> tuple[JournalEntry, Tip]:
    """The next entry of a chain, and where the chain stands then. The same arguments make the same entry: Ed25519 has no chance in it."""
    unsigned = JournalEntry(
        org=decision.org,
        chain=decision.chain,
        sequence=tip.sequence + 1,
        previous=tip.hash,
        decision_id=decision.decision_id,
        actor=decision.actor,
        decision=decision.decision,
        subject=decision.subject,
        reason=decision.reason,
        figures=decision.figures,
        commitments=commitments,
        at=decision.at,
        key="",
        signature="",
    )
    entry = sign(unsigned, key)
    return entry, Tip(entry.sequence, entry_hash(entry))


def sign(entry: JournalEntry, key: Ed25519PrivateKey) -> JournalEntry:
    """The entry, signed by this key."""
    return replace(entry, key=key_id(key.public_key()), signature=key.sign(canonical_bytes(entry)).hex())


def is_signed(entry: JournalEntry, key: Ed25519PublicKey) -> bool:
    """Whether this key signed the entry as it stands."""
    return signed_by(key, entry.signature, canonical_bytes(entry))


def countersign(entry: JournalEntry, key: Ed25519PrivateKey) -> str:
    """A second, independent gate's signature over an entry, in hex: it lifts the `provisional` mark."""
    return key.sign(_COUNTERSIGNATURE + entry_hash(entry).encode()).hex()


def is_countersigned(entry: JournalEntry, signature: str, key: Ed25519PublicKey) -> bool:
    """Whether the second gate's key signed the entry as it stands."""
    return signed_by(key, signature, _COUNTERSIGNATURE + entry_hash(entry).encode())


def commit(salt: bytes, name: str, text: str) -> str:
    """Salted commitment to a text, in hex. Without the salt it tells nobody what the text was.

    `salt`: SALT_BYTES that nobody can guess, kept beside the text and erased with it. `name`: which text of the entry it is ("rule").
    """
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes")
    return hmac.digest(salt, _TEXT + name.encode() + b"\n" + text.encode(), "sha256").hex()


def opens(commitment: str, salt: bytes, name: str, text: str) -> bool:
    """Whether this is the text that was committed to."""
    return hmac.compare_digest(commitment, commit(salt, name, text))
