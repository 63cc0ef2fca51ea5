"""Ids that tell nothing to those who guess: keyed hashes with a key of the organisation (SPEC 2.13, 3.13)."""

import base64
import binascii
import hashlib
import hmac
import struct
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from schemas.partition import log_hash

_REF = struct.Struct(">BI16s8s")  # own or pool, log hash, subject id, wording
_MAC_BYTES = 8
_PURPOSES = ("learning", "shared", "claim", "wording", "content", "agent", "name", "outcome", "run", "ref", "salt", "request", "entity")


@dataclass(frozen=True, slots=True)
class Ref:
    """What an opaque ref names (SPEC 2.13): own or pool, the log it is partitioned by, the id and the wording that was read."""

    own: bool
    log: int
    subject: str
    wording: str


class Ids:
    """The ids of one organisation, made with keys that are derived from the deployment's secret by HKDF (RFC 5869, SHA-256)."""

    def __init__(self, secret: bytes, org: str) -> None:
        self.org = org
        prk = hmac.digest(b"tidegate/1", secret, "sha256")
        self._keys = {purpose: hmac.digest(prk, f"{purpose}\0{org}".encode() + b"\x01", "sha256") for purpose in _PURPOSES}

    def _hash(self, purpose: str, size: int, *parts: str) -> str:
        # Lengths stand before parts, so that no two lists of parts are one message.
        message = b"".join(struct.pack(">I", len(b)) + b for b in (p.encode("utf-8", "surrogatepass") for p in parts))
        return hmac.digest(self._keys[purpose], message, "sha256")[:size].hex()

    def learning(self, agent: str, branch: str, entry_key: str) -> str:
        """Learning id, 32 hex digits."""
        return self._hash("learning", 16, agent, branch, entry_key)

    def shared(self, space: str, learning_id: str, wording: str) -> str:
        """Shared id, 32 hex digits."""
        return self._hash("shared", 16, space, learning_id, wording)

    def claim(self, agent: str, entity: str, key: str) -> str:
        """Claim id, 32 hex digits."""
        return self._hash("claim", 16, agent, entity, key)

    def wording(self, rule: str, value: str | None) -> str:
        """Hash of a wording, 16 hex digits; `value` is canonical JSON text or None."""
        return self._hash("wording", 8, rule, value or "null")

    def content(self, canonical: str) -> str:
        """Hash of a record's raw content, 32 hex digits: knows a repeat from a conflict (SPEC 3.1, 5.10)."""
        return self._hash("content", 16, canonical)

    def agent(self, agent: str) -> str:
        """Stand-in for an agent's name where the name itself must not be read (pool-members), 16 hex digits."""
        return self._hash("agent", 8, agent)

    def outcome(self, agent: str, outcome_id: str) -> str:
        """Stand-in for an agent's outcome id in a pool's log, 16 hex digits."""
        return self._hash("outcome", 8, agent, outcome_id)

    def run(self, agent: str, run_id: str) -> str:
        """Stand-in for an agent's run id among its kept runs, 16 hex digits."""
        return self._hash("run", 8, agent, run_id)

    def entity(self, name: str) -> str:
        """Stand-in for an entity, however it is written, 16 hex digits."""
        return self._hash("entity", 8, " ".join(unicodedata.normalize("NFKC", name).casefold().split()))

    def request(self, principal: str, key: str) -> str:
        """Stand-in for a caller's Idempotency-Key, 32 hex digits."""
        return self._hash("request", 16, principal, key)

    def request_content(self, topic: str, message: bytes) -> str:
        """Hash of what was sent under an Idempotency-Key, 32 hex digits."""
        return hmac.digest(self._keys["request"], topic.encode() + b"\0" + message, "sha256")[:16].hex()

    def salt(self, decision_id: str, name: str) -> bytes:
        """Salt of the journal's commitment to a text of a decision, 32 bytes: the same however often the decision is delivered."""
        return bytes.fromhex(self._hash("salt", 32, decision_id, name))

    def pseudonym(self, name: str) -> str:
        """`p-` and a keyed hash, for a segment of a name in which something was found (SPEC 3.13)."""
        return "p-" + self._hash("name", 8, name)

    def ref(self, *, own: bool, log: int, subject: str, wording: str) -> str:
        """Opaque ref of a row that recall returns: URL-safe, 50 characters."""
        body = _REF.pack(own, log, bytes.fromhex(subject), bytes.fromhex(wording))
        mac = hmac.digest(self._keys["ref"], body, "sha256")[:_MAC_BYTES]
        return base64.urlsafe_b64encode(body + mac).decode().rstrip("=")

    def read_ref(self, ref: str) -> Ref | None:
        """What a ref names, or None where this organisation never made it."""
        try:
            raw = base64.b64decode(ref + "=" * (-len(ref) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        if base64.urlsafe_b64encode(raw).decode().rstrip("=") != ref:
            return None  # another spelling of the same bytes: one row has one ref
        body, mac = raw[:-_MAC_BYTES], raw[-_MAC_BYTES:]
        if len(body) != _REF.size or not hmac.compare_digest(hmac.digest(self._keys["ref"], body, "sha256")[:_MAC_BYTES], mac):
            return None
        own, log, subject, wording = _REF.unpack(body)
        return Ref(own=bool(own), log=log, subject=subject.hex(), wording=wording.hex())


def secret_mark(secret: bytes) -> str:
    """What a secret is known again by, 32 hex digits: equal for equal secrets, of no use for making an id."""
    return hmac.digest(b"tidegate/1 mark", secret, "sha256")[:16].hex()


@lru_cache(maxsize=4096)
def ids_of(secret: bytes, org: str) -> Ids:
    """The ids of an organisation, derived once a process."""
    return Ids(secret, org)


def agent_log(org: str, agent: str) -> int:
    """What an agent's log is partitioned by."""
    return log_hash(org, agent)


def short_hash(data: bytes) -> str:
    """Unkeyed 16 hex digits, for ids that are made of ids only (a decision's id)."""
    return hashlib.sha256(data).hexdigest()[:16]
