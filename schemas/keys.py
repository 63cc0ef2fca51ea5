"""Keys of principals: `tg_<key id>_<secret>`, one text that opens HTTP and SQL as a bearer and signs what goes to Kafka.

The secret is 32 random bytes, base64url without padding. Its SHA-256 is what a bearer is known by; as the seed of an Ed25519 key
(RFC 8032, 5.1.5) it signs. Nothing of ours keeps the secret itself.
"""

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from schemas.records import Key

SECRET_BYTES = 32
_BEARER = re.compile(r"tg_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class Bearer:
    """A key as its holder has it."""

    key_id: str
    secret: bytes

    def __str__(self) -> str:
        """The text that is given to its holder, once."""
        return f"tg_{self.key_id}_{base64.urlsafe_b64encode(self.secret).decode().rstrip('=')}"

    @property
    def hash(self) -> str:
        """What it is known by, 64 hex digits."""
        return hashlib.sha256(self.secret).hexdigest()

    def opens(self, known: str | None) -> bool:
        """Whether it is the one that is known by a hash."""
        return known is not None and hmac.compare_digest(self.hash, known)


def make(attests: str, at: datetime) -> tuple[Bearer, Key]:
    """A new key: what its holder gets, and what is kept of it."""
    secret = secrets.token_bytes(SECRET_BYTES)
    bearer = Bearer(key_id(Ed25519PrivateKey.from_private_bytes(secret).public_key()), secret)
    return bearer, known(bearer, attests, at)


def known(bearer: Bearer, attests: str, at: datetime) -> Key:
    """What is kept of a key."""
    public = Ed25519PrivateKey.from_private_bytes(bearer.secret).public_key().public_bytes_raw().hex()
    return Key(key_id=bearer.key_id, public_key=public, secret_hash=bearer.hash, attests=attests, added_at=at)


def of_public(public: str, attests: str, at: datetime) -> Key:
    """What is kept of a key whose holder made it and keeps its private half: it signs, and opens nothing.

    `public`: 64 hex digits. Raises ValueError where they are no Ed25519 public key.
    """
    if re.fullmatch(r"[0-9a-f]{64}", public) is None:
        raise ValueError("a public key is 64 hex digits, in small letters")
    return Key(key_id=key_id(Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))), public_key=public, attests=attests, added_at=at)


def parse(text: str) -> Bearer | None:
    """The key in a text; None where it is none."""
    found = _BEARER.fullmatch(text)
    if found is None:
        return None
    try:
        secret = base64.b64decode(found[2] + "=", altchars=b"-_", validate=True)
    except binascii.Error:
        return None
    bearer = Bearer(found[1], secret)
    return bearer if str(bearer) == text else None  # the last letter has bits to spare: one key has one text


def bounded(keys: Iterable[Key], at: datetime) -> tuple[Key, ...]:
    """Keys as they stand in a record that the broker took at `at`: nothing in it can have been from later on, whatever its clock said."""
    return tuple(
        replace(key, added_at=min(key.added_at, at), revoked_at=None if key.revoked_at is None else min(key.revoked_at, at)) for key in keys
    )


def key_id(public: Ed25519PublicKey) -> str:
    """Id of a key: the first 16 hex digits of the SHA-256 of its public half."""
    return hashlib.sha256(public.public_bytes_raw()).hexdigest()[:16]
