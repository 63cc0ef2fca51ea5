"""The Merkle tree over a chain's entries (RFC 6962, section 2), so that a short checkpoint stands for all of them.

A tree is kept as its frontier: the hashes of the whole subtrees that it falls into, largest first, one for each bit of its size. To
append costs one hash on average and at most one more than the logarithm of the size, at ten entries as at ten million.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

HASH_BYTES = 32


def leaf_hash(data: bytes) -> bytes:
    """Hash of a leaf: of 0x00 and an entry's canonical bytes."""
    return hashlib.sha256(b"\x00" + data).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """A tree of `size` leaves. `hashes`: of its whole subtrees, largest first, 32 bytes each."""

    size: int = 0
    hashes: tuple[bytes, ...] = ()

    def append(self, leaf: bytes) -> "Frontier":
        """The tree with one more leaf, given its hash."""
        hashes, size = [*self.hashes, leaf], self.size
        while size & 1:
            right, left = hashes.pop(), hashes.pop()
            hashes.append(_node(left, right))
            size >>= 1
        return Frontier(self.size + 1, tuple(hashes))

    def root(self) -> bytes:
        """Hash of the whole tree; of nothing, where it is empty."""
        if not self.hashes:
            return hashlib.sha256(b"").digest()
        *rest, root = self.hashes
        for left in reversed(rest):
            root = _node(left, root)
        return root

    def pack(self) -> bytes:
        """The hashes as one value for a table; `unpack` needs the size beside it."""
        return b"".join(self.hashes)

    @classmethod
    def unpack(cls, size: int, packed: bytes) -> "Frontier":
        """The tree of a size and the hashes of its subtrees. Raises ValueError where they do not belong together."""
        if len(packed) != size.bit_count() * HASH_BYTES:
            raise ValueError(f"a tree of {size} entries has {size.bit_count()} hashes")
        return cls(size, tuple(packed[i : i + HASH_BYTES] for i in range(0, len(packed), HASH_BYTES)))


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Hash of the tree over these leaf hashes."""
    frontier = Frontier()
    for leaf in leaves:
        frontier = frontier.append(leaf)
    return frontier.root()


def inclusion(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """Proof that the leaf at `index` is in the tree: the hashes beside its way to the root, lowest first."""
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    if index < split:
        return [*inclusion(leaves[:split], index), root_of(leaves[split:])]
    return [*inclusion(leaves[split:], index - split), root_of(leaves[:split])]


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether a proof shows that the leaf stands at `index` of the tree with this size and root (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf
    for beside in proof:
        if not last:
            return False
        if at & 1 or at == last:
            found = _node(beside, found)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            found = _node(found, beside)
        at, last = at >> 1, last >> 1
    return not last and found == root


def consistency(leaves: Sequence[bytes], before: int) -> list[bytes]:
    """Proof that the tree over the first `before` leaves is the beginning of the tree over all (RFC 9162, 2.1.4.1); 0 < before."""
    return list(_consistency(leaves, before, whole=True))


def _consistency(leaves: Sequence[bytes], before: int, *, whole: bool) -> Iterator[bytes]:
    if before == len(leaves):
        if not whole:
            yield root_of(leaves)
        return
    split = _split(len(leaves))
    if before <= split:
        yield from _consistency(leaves[:split], before, whole=whole)
        yield root_of(leaves[split:])
    else:
        yield from _consistency(leaves[split:], before - split, whole=False)
        yield root_of(leaves[:split])


def is_consistent(before: int, after: int, proof: Sequence[bytes], first: bytes, second: bytes) -> bool:
    """Whether a proof shows that the tree with size `before` and root `first` is the beginning of the other (RFC 9162, 2.1.4.2)."""
    if not 0 < before <= after:
        return False
    if before == after:
        return not proof and first == second
    path = [first, *proof] if before & (before - 1) == 0 else list(proof)
    if not path:
        return False
    at, last = before - 1, after - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    old = new = path[0]
    for beside in path[1:]:
        if not last:
            return False
        if at & 1 or at == last:
            old, new = _node(beside, old), _node(beside, new)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            new = _node(new, beside)
        at, last = at >> 1, last >> 1
    return not last and (old, new) == (first, second)


def _split(size: int) -> int:
    """The largest power of two below a size of at least 2."""
    return 1 << ((size - 1).bit_length() - 1)
