"""Keys of the journal: their ids, what one says for the one that follows it, and which are to be believed.

A key that takes over is endorsed by the one before, so that whoever trusts the first needs no other. What is signed is the domain
`tidegate/key/1`, a line feed, and the new key's 32 bytes in hex.
"""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from schemas.records import JournalKey

JOURNAL, SECOND_GATE = "journal", "countersign"
"""Roles of keys."""
Keys = Mapping[str, Ed25519PublicKey]
"""Public keys by id."""
_KEY = b"tidegate/key/1\n"


def key_id(key: Ed25519PublicKey) -> str:
    """Id of a public key: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


def signed_by(key: Ed25519PublicKey, signature: str, message: bytes) -> bool:
    """Whether a signature, in hex, is this key's over a message."""
    try:
        key.verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def published(key: Ed25519PublicKey, role: str, at: datetime, before: Ed25519PrivateKey | None = None) -> JournalKey:
    """What is published of a key. `before`: the key that it follows, which endorses it."""
    return JournalKey(
        key=key_id(key),
        public=key.public_bytes_raw().hex(),
        role=role,
        endorsed_by=key_id(before.public_key()) if before else None,
        endorsement=before.sign(_endorsed(key)).hex() if before else None,
        at=at,
    )


def public_key(record: JournalKey) -> Ed25519PublicKey | None:
    """The key that a record publishes; None where it is none, or another than its id says."""
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(record.public))
    except ValueError:
        return None
    return key if key_id(key) == record.key else None


def trusted(records: Iterable[JournalKey], pinned: Keys | None = None, role: str = JOURNAL) -> dict[str, Ed25519PublicKey]:
    """Public keys of a role that are to be believed, by id.

    With `pinned`, these and whatever they endorse, directly or through others; without, every published one.
    """
    there = [(record, key) for record in records if record.role == role and (key := public_key(record)) is not None]
    if pinned is None:
        return {record.key: key for record, key in there}
    found = dict(pinned)
    while new := [(record, key) for record, key in there if record.key not in found and _is_endorsed(record, key, found)]:
        found |= {record.key: key for record, key in new}
    return found


def _is_endorsed(record: JournalKey, key: Ed25519PublicKey, by: Keys) -> bool:
    before = by.get(record.endorsed_by or "")
    return before is not None and signed_by(before, record.endorsement or "", _endorsed(key))


def _endorsed(key: Ed25519PublicKey) -> bytes:
    return _KEY + key.public_bytes_raw().hex().encode()
