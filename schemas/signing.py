"""Signatures of messages to the raw side (SPEC 9.1): a header by which the scan knows whose message it is.

The header `tidegate-signature` holds `<key id>:<signature>`, the signature Ed25519 in base64. Signed are four parts, each behind its
length as a 32-bit big-endian number: key id, topic without its prefix, organisation, and the message's value.

The deployment itself signs as `operator`, with a key made of its secret, and may speak for anybody; as `operator/<key id>` it passes on
what came in with that key.
"""

import base64
import binascii
import hmac
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from schemas.keys import Bearer

HEADER = "tidegate-signature"
OPERATOR = "operator"
_LENGTH = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class Signature:
    """What a header says, not yet verified."""

    key_id: str
    signature: bytes

    @property
    def operator(self) -> bool:
        """Whether the deployment itself signed."""
        return self.key_id.partition("/")[0] == OPERATOR

    @property
    def passed_on(self) -> str | None:
        """With whose key it came to the deployment; None: the operator speaks for himself, or a principal signed."""
        return self.key_id.partition("/")[2] or None


@dataclass(frozen=True, slots=True)
class Signer:
    """A key that signs."""

    key_id: str
    key: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def of(cls, bearer: Bearer) -> "Signer":
        """A principal's."""
        return cls(bearer.key_id, Ed25519PrivateKey.from_private_bytes(bearer.secret))

    @classmethod
    def operator(cls, secret: bytes) -> "Signer":
        """The deployment's own, made of its secret."""
        return cls(OPERATOR, _operator_key(secret))

    def for_key(self, key_id: str) -> "Signer":
        """The deployment's own, passing on what came with a principal's key."""
        return Signer(f"{OPERATOR}/{key_id}", self.key)

    def header(self, topic: str, org: str, value: bytes) -> tuple[str, bytes]:
        """Name and value of the header of a message on a topic (without prefix)."""
        signature = self.key.sign(signed(self.key_id, topic, org, value))
        return HEADER, f"{self.key_id}:{base64.b64encode(signature).decode()}".encode()


def read(headers: Iterable[tuple[str, bytes | None]]) -> Signature | None:
    """The signature among a message's headers; None where there is none, more than one, or one that can't be read."""
    found = [value for name, value in headers if name == HEADER]
    if len(found) != 1 or found[0] is None:
        return None
    key_id, _, text = found[0].partition(b":")
    try:
        return Signature(key_id.decode("ascii"), base64.b64decode(text, validate=True))
    except (UnicodeDecodeError, binascii.Error):
        return None


def signed(key_id: str, topic: str, org: str, value: bytes) -> bytes:
    """The bytes that are signed."""
    return b"".join(_LENGTH.pack(len(part)) + part for part in (key_id.encode(), topic.encode(), org.encode(), value))


def verifies(public: Ed25519PublicKey, signature: Signature, topic: str, org: str, value: bytes) -> bool:
    """Whether a signature is a key's, over a message of an organisation on a topic (without prefix)."""
    try:
        public.verify(signature.signature, signed(signature.key_id, topic, org, value))
    except InvalidSignature:
        return False
    return True


@lru_cache(maxsize=8)
def _operator_key(secret: bytes) -> Ed25519PrivateKey:
    # HKDF (RFC 5869, SHA-256) as for ids, with a purpose of its own and no organisation.
    prk = hmac.digest(b"tidegate/1", secret, "sha256")
    return Ed25519PrivateKey.from_private_bytes(hmac.digest(prk, b"operator key\x01", "sha256"))
