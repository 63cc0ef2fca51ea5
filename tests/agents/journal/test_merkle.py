"""The Merkle tree of RFC 6962: its known roots, proofs of every leaf and every beginning, and what it costs."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.journal.merkle import Frontier, consistency, inclusion, is_consistent, is_included, leaf_hash, root_of

# Inputs and roots of the reference implementation of RFC 6962 (certificate-transparency, merkle tree tests).
INPUTS = [bytes.fromhex(h) for h in ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAVES = [leaf_hash(b"%d" % n) for n in range(20)]


@pytest.mark.parametrize("size", range(1, 9))
def test_known_roots(size: int) -> None:
    assert root_of([leaf_hash(i) for i in INPUTS[:size]]).hex() == ROOTS[size - 1]


def test_the_root_of_nothing() -> None:
    assert Frontier().root() == hashlib.sha256(b"").digest()


@pytest.mark.parametrize("size", range(1, 21))
def test_every_leaf_is_proven_and_no_other(size: int) -> None:
    leaves, root = LEAVES[:size], root_of(LEAVES[:size])
    for index, leaf in enumerate(leaves):
        proof = inclusion(leaves, index)
        assert is_included(leaf, index, size, proof, root)
        assert not is_included(leaf_hash(b"other"), index, size, proof, root)
        assert not is_included(leaf, index, size, [*proof, leaf], root)
        assert all(not is_included(leaf, other, size, proof, root) for other in range(size) if other != index)
    assert not is_included(leaves[0], size, size, [], root)


@pytest.mark.parametrize("after", range(1, 21))
def test_every_beginning_is_proven_and_no_other(after: int) -> None:
    leaves = LEAVES[:after]
    for before in range(1, after + 1):
        proof = consistency(leaves, before)
        assert is_consistent(before, after, proof, root_of(leaves[:before]), root_of(leaves))
        assert not is_consistent(before, after, proof, leaf_hash(b"other"), root_of(leaves))
        assert not is_consistent(before, after, proof, root_of(leaves[:before]), leaf_hash(b"other"))
        assert not is_consistent(before, after, [*proof, LEAVES[0]], root_of(leaves[:before]), root_of(leaves))


@given(st.integers(0, 200))
def test_a_frontier_is_packed_and_unpacked(size: int) -> None:
    frontier = Frontier()
    for n in range(size):
        frontier = frontier.append(leaf_hash(b"%d" % n))
    assert Frontier.unpack(size, frontier.pack()) == frontier
    with pytest.raises(ValueError, match="hashes"):
        Frontier.unpack(size, frontier.pack() + b"\0")


def test_it_costs_the_same_at_any_size() -> None:
    """SPEC 6.8: ten million entries stand for at most 24 hashes."""
    size = 10_000_000
    frontier = Frontier.unpack(size, b"\1" * 32 * size.bit_count())
    for n in range(1000):
        frontier = frontier.append(leaf_hash(b"%d" % n))
        assert len(frontier.hashes) == frontier.size.bit_count() <= 24
