"""The signature of a message, as the service's docs/wire.md describes it: by it the scan knows whose message it is."""

import base64
import re
import struct
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

HEADER = "tidegate-signature"
_KEY = re.compile(r"tg_(?P<id>[^_]+)_(?P<secret>[A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class Signer:
    """A key that signs."""

    key_id: str
    _private: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def of(cls, key: str) -> "Signer":
        """Of a key as it was given, `tg_<key id>_<secret>`, the secret being the seed of an Ed25519 key. Raises ValueError."""
        found = _KEY.fullmatch(key)
        if found is None:
            raise ValueError("not a key: tg_, its id, _ and 43 characters")
        secret = base64.urlsafe_b64decode(found["secret"] + "=")
        return cls(found["id"], Ed25519PrivateKey.from_private_bytes(secret))

    def header(self, topic: str, org: str, value: bytes) -> tuple[str, bytes]:
        """Name and value of the header of a message; `topic` without its prefix."""
        parts = (self.key_id.encode(), topic.encode(), org.encode(), value)
        signed = b"".join(struct.pack(">I", len(part)) + part for part in parts)
        return HEADER, f"{self.key_id}:{base64.b64encode(self._private.sign(signed)).decode()}".encode()
