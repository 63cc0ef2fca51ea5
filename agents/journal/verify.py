"""Whether a chain is whole (SPEC 6.8), for anyone who has its entries and the public keys: no state, no secret, one pass."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from agents.journal.chain import FIRST, Signed, canonical_bytes, entry_hash, is_signed, key_id, milliseconds
from agents.journal.merkle import Frontier, leaf_hash
from schemas.jsonform import canonical

_CHECKPOINT = b"tidegate/checkpoint/1\n"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed statement that a chain had `size` entries with this Merkle root; kept elsewhere, it shows a cut tail."""

    org: str
    chain: str
    size: int
    root: bytes
    at: datetime
    key: str
    signature: bytes


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a chain's verification came to. `entries`: how many are right, from the first on; `root`: Merkle root of these.

    `first_bad`: sequence of the first entry that is wrong, None where the chain is whole; `problem`: missing, reordered, repeated,
    changed, forged, another_chain; against a checkpoint: cut (it knows more entries), rewritten (it knows others) or bad_checkpoint.
    """

    entries: int
    root: bytes
    first_bad: int | None = None
    problem: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the chain is whole."""
        return self.problem is None


def checkpoint(org: str, chain: str, tree: Frontier, at: datetime, key: Ed25519PrivateKey) -> Checkpoint:
    """A checkpoint of a chain as it stands."""
    message = _message(org, chain, tree.size, tree.root(), at)
    return Checkpoint(org, chain, tree.size, tree.root(), at, key_id(key.public_key()), key.sign(message))


def _message(org: str, chain: str, size: int, root: bytes, at: datetime) -> bytes:
    value = {"org": org, "chain": chain, "size": size, "root": root.hex(), "at": milliseconds(at)}
    return _CHECKPOINT + canonical(value).encode()


def _holds(point: Checkpoint, keys: Mapping[str, Ed25519PublicKey]) -> bool:
    key = keys.get(point.key)
    if key is None:
        return False
    try:
        key.verify(point.signature, _message(point.org, point.chain, point.size, point.root, point.at))
    except InvalidSignature:
        return False
    return True


def verify(
    org: str, chain: str, entries: Iterable[Signed], keys: Mapping[str, Ed25519PublicKey], against: Checkpoint | None = None
) -> Verdict:
    """Verify a chain from its first entry. `keys`: every key that ever signed it, by id; `against`: a checkpoint kept elsewhere."""
    tree, previous, at_checkpoint = Frontier(), FIRST, None
    rest = iter(entries)
    for signed in rest:
        if against is not None and tree.size == against.size:
            at_checkpoint = tree.root()
        problem = _problem(signed, org, chain, tree.size + 1, previous, keys, rest)
        if problem:
            return Verdict(tree.size, tree.root(), tree.size + 1, problem)
        previous = entry_hash(signed.entry)
        tree = tree.append(leaf_hash(canonical_bytes(signed.entry)))
    whole = Verdict(tree.size, tree.root())
    if against is None:
        return whole
    if (against.org, against.chain) != (org, chain) or not _holds(against, keys):
        return Verdict(tree.size, tree.root(), None, "bad_checkpoint")
    if tree.size < against.size:
        return Verdict(tree.size, tree.root(), tree.size + 1, "cut")
    root = tree.root() if tree.size == against.size else at_checkpoint
    # Entries that verify and yet are not those of the checkpoint were signed anew by whoever holds the key.
    return whole if root == against.root else Verdict(tree.size, tree.root(), None, "rewritten")


def _problem(
    signed: Signed,
    org: str,
    chain: str,
    sequence: int,
    previous: str,
    keys: Mapping[str, Ed25519PublicKey],
    rest: Iterator[Signed],
) -> str | None:
    """What is wrong with the entry that stands where this sequence is due; `rest` is read on only to tell a gap from another order."""
    entry = signed.entry
    if (entry.org, entry.chain) != (org, chain):
        return "another_chain"
    if entry.sequence > sequence:
        return "reordered" if any(s.entry.sequence == sequence for s in rest) else "missing"
    if entry.sequence < sequence:
        return "repeated"
    key = keys.get(signed.key)
    if key is None:
        return "forged"
    if not is_signed(signed, key):
        return "changed"
    return None if entry.previous == previous else "forged"
