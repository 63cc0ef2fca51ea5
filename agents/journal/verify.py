"""Whether a chain is whole (SPEC 6.8), for anyone who has its entries and the public keys: no secret, one pass, little memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agents.journal.chain import FIRST, canonical_bytes, entry_hash, is_signed, milliseconds
from agents.journal.keys import Keys, key_id, signed_by
from agents.journal.merkle import Frontier, leaf_hash
from schemas.jsonform import canonical
from schemas.records import JournalCheckpoint, JournalEntry

_CHECKPOINT = b"tidegate/checkpoint/1\n"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a chain's verification came to. `entries`: how many are right, from the first on; `root`: Merkle root of these.

    `first_bad`: sequence of the first entry that is wrong, None where the chain is whole; `problem`: missing, reordered, repeated,
    changed, forged, another_chain, unreadable; against a checkpoint: cut (it knows more entries), rewritten (it knows others) or
    bad_checkpoint.
    """

    entries: int
    root: bytes
    first_bad: int | None = None
    problem: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the chain is whole."""
        return self.problem is None


def checkpoint(org: str, chain: str, tree: Frontier, at: datetime, key: Ed25519PrivateKey) -> JournalCheckpoint:
    """A checkpoint of a chain as it stands."""
    root = tree.root().hex()
    signature = key.sign(_message(org, chain, tree.size, root, at)).hex()
    return JournalCheckpoint(org=org, chain=chain, size=tree.size, root=root, at=at, key=key_id(key.public_key()), signature=signature)


def _message(org: str, chain: str, size: int, root: str, at: datetime) -> bytes:
    value = {"org": org, "chain": chain, "size": size, "root": root, "at": milliseconds(at)}
    return _CHECKPOINT + canonical(value).encode()


def _holds(point: JournalCheckpoint, keys: Keys) -> bool:
    key = keys.get(point.key)
    return key is not None and signed_by(key, point.signature, _message(point.org, point.chain, point.size, point.root, point.at))


class Verifier:
    """Verifies one chain while its entries come by. `keys`: all that ever signed it, by id; `against`: a checkpoint kept elsewhere."""

    def __init__(self, org: str, chain: str, keys: Keys, against: JournalCheckpoint | None = None) -> None:
        self._org, self._chain, self._keys, self._against = org, chain, keys, against
        self._tree, self._previous = Frontier(), FIRST
        self._problem: str | None = None
        self._at_checkpoint: bytes | None = None

    def take(self, entry: JournalEntry) -> bool:
        """Look at the next entry; whether it is the one that is due, as it must be."""
        due = self._tree.size + 1
        if self._problem:
            # Read on only to tell a gap from another order.
            if self._problem == "missing" and (entry.org, entry.chain, entry.sequence) == (self._org, self._chain, due):
                self._problem = "reordered"
            return False
        self._problem = self._wrong_with(entry, due)
        if self._problem:
            return False
        if self._against is not None and self._tree.size == self._against.size:
            self._at_checkpoint = self._tree.root()
        self._previous = entry_hash(entry)
        self._tree = self._tree.append(leaf_hash(canonical_bytes(entry)))
        return True

    def unreadable(self) -> None:
        """What stands in the place of the next entry is none."""
        self._problem = self._problem or "unreadable"

    def verdict(self) -> Verdict:
        """What it came to, once no more entries come."""
        size, root = self._tree.size, self._tree.root()
        if self._problem:
            return Verdict(size, root, size + 1, self._problem)
        whole, against = Verdict(size, root), self._against
        if against is None:
            return whole
        if (against.org, against.chain) != (self._org, self._chain) or not _holds(against, self._keys):
            return Verdict(size, root, None, "bad_checkpoint")
        if size < against.size:
            return Verdict(size, root, size + 1, "cut")
        there = root if size == against.size else self._at_checkpoint
        # Entries that verify and yet are not those of the checkpoint were signed anew by whoever holds the key.
        return whole if there is not None and there.hex() == against.root else Verdict(size, root, None, "rewritten")

    def _wrong_with(self, entry: JournalEntry, due: int) -> str | None:
        """What is wrong with the entry that stands where this sequence is due."""
        if (entry.org, entry.chain) != (self._org, self._chain):
            return "another_chain"
        if entry.sequence != due:
            return "missing" if entry.sequence > due else "repeated"
        key = self._keys.get(entry.key)
        if key is None:
            return "forged"
        if not is_signed(entry, key):
            return "changed"
        return None if entry.previous == self._previous else "forged"


def verify(org: str, chain: str, entries: Iterable[JournalEntry], keys: Keys, against: JournalCheckpoint | None = None) -> Verdict:
    """Verify a chain from its first entry."""
    verifier = Verifier(org, chain, keys, against)
    for entry in entries:
        verifier.take(entry)
    return verifier.verdict()
