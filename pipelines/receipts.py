"""Receipt ids as they are given to callers over HTTP: opaque, and only this deployment makes them (SPEC 9.3).

An id holds where its message stands, which parts it has and whose it is, encrypted and authenticated (AES-SIV, RFC 5297). So a receipt can
be asked for before any part has ended, by its author alone; nobody makes one up, and none tells how much others have sent.
"""

import base64
import binascii
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from pipelines.produce import numbered_parts
from schemas.records import ClaimWrite, Erasure, Outcome, Run, Write

_BODY = struct.Struct(">BHHIQ8s8s")  # topic, two numbers of parts, partition, offset, organisation, its agent
_TOPICS = ("runs", "outcomes", "writes", "erasures", "claim-writes")
"""Their places stand in ids: new ones go to the end."""


@dataclass(frozen=True, slots=True)
class Issued:
    """A message that a receipt was given for. `numbers`: how many learnings and claims, or credits and nothing; `org`, `author`: hashes."""

    topic: str
    partition: int
    offset: int
    numbers: tuple[int, int]
    org: bytes
    author: bytes

    @classmethod
    def of(cls, record: Run | Outcome | Write | Erasure | ClaimWrite, topic: str, partition: int, offset: int) -> "Issued":
        """A record that the broker has."""
        match record:
            case Run():
                numbers = len(record.learnings), len(record.claims)
            case Outcome():
                numbers = len(record.credits), 0
            case ClaimWrite():
                numbers = 0, 1
            case Write() | Erasure():
                numbers = 1, 0
        author = record.requested_by if isinstance(record, Erasure) else record.agent
        return cls(topic, partition, offset, numbers, _hash(record.org), _hash(record.org, author))

    @property
    def place(self) -> str:
        """topic:partition:offset, which receipts are kept by."""
        return f"{self.topic}:{self.partition}:{self.offset}"

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that it has."""
        return numbered_parts(self.topic, *self.numbers)

    def is_by(self, org: str, agent: str) -> bool:
        """Whether an agent sent it."""
        return self.author == _hash(org, agent)

    def is_of(self, org: str) -> bool:
        """Whether it is an organisation's."""
        return self.org == _hash(org)

    def seal(self, secret: bytes) -> str:
        """Its id: URL-safe, 66 characters."""
        body = _BODY.pack(_TOPICS.index(self.topic), *self.numbers, self.partition, self.offset, self.org, self.author)
        return base64.urlsafe_b64encode(_key(secret).encrypt(body, None)).decode().rstrip("=")


def opened(secret: bytes, receipt: str) -> Issued | None:
    """What a receipt id was given for, or None where this deployment never gave it."""
    try:
        sealed = base64.b64decode(receipt + "=" * (-len(receipt) % 4), altchars=b"-_", validate=True)
        topic, first, second, partition, offset, org, author = _BODY.unpack(_key(secret).decrypt(sealed, None))
        return Issued(_TOPICS[topic], partition, offset, (first, second), org, author)
    except (binascii.Error, ValueError, InvalidTag, struct.error, IndexError):
        return None


def place_of(secret: bytes, receipt: str) -> str:
    """topic:partition:offset of a receipt id of either kind; what is none stays as it is."""
    found = None if ":" in receipt else opened(secret, receipt)
    return receipt if found is None else found.place


def _hash(*names: str) -> bytes:
    return sha256("\0".join(names).encode("utf-8", "surrogatepass")).digest()[:8]


@lru_cache(maxsize=4)
def _key(secret: bytes) -> AESSIV:
    return AESSIV(HKDF(SHA256(), 64, salt=b"tidegate/1", info=b"receipt").derive(secret))


def shown(issued: Issued, ends: Mapping[str, tuple[str, str | None]]) -> list[dict[str, str | None]]:
    """Its parts with how each ended; `end` None: not yet. A message that could not be taken at all has one part, `message`."""
    parts = ("message",) if "message" in ends else issued.parts
    return [{"part": part, "end": end, "reason": reason} for part in parts for end, reason in [ends.get(part, (None, None))]]
