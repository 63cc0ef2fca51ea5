"""SPEC 6.8: whatever is done to a chain is found, and the first entry that is wrong is named."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from agents.journal.chain import Tip, append, canonical_bytes, entry_hash
from agents.journal.keys import key_id
from agents.journal.merkle import Frontier, leaf_hash
from agents.journal.verify import Verdict, Verifier, checkpoint, verify
from schemas.records import JournalCheckpoint, JournalEntry
from tests.agents.journal.test_chain import AT, KEY, KEYS, OTHER, decided

THIRD = Ed25519PrivateKey.from_private_bytes(b"\3" * 32)


def chain(size: int, *, rotated_at: int = 99, start: Tip | None = None) -> list[JournalEntry]:
    """A chain; from `rotated_at` on another published key signs it."""
    tip, out = start or Tip(), []
    for n in range(1, size + 1):
        signed, tip = append(tip, decided(f"d-{n}"), {}, OTHER if n >= rotated_at else KEY)
        out.append(signed)
    return out


def found(entries: Sequence[JournalEntry], against: JournalCheckpoint | None = None) -> Verdict:
    return verify("acme", "public", entries, KEYS, against)


def tree(entries: Sequence[JournalEntry]) -> Frontier:
    frontier = Frontier()
    for signed in entries:
        frontier = frontier.append(leaf_hash(canonical_bytes(signed)))
    return frontier


def forged(entries: list[JournalEntry], at: int, key: Ed25519PrivateKey) -> JournalEntry:
    """An entry of one's own making in the place of another, chained and signed."""
    before = entries[at - 2]
    return append(Tip(at - 1, entry_hash(before)), decided("mine"), {}, key)[0]


CHAIN = chain(8)
Tamper = Callable[[list[JournalEntry]], list[JournalEntry]]
TAMPERED: list[tuple[str, Tamper, int, str]] = [
    ("a field", lambda c: [*c[:3], replace(c[3], reason="none"), *c[4:]], 4, "changed"),
    ("a figure of the first", lambda c: [replace(c[0], figures={"applied": "9"}), *c[1:]], 1, "changed"),
    ("the signature", lambda c: [*c[:3], replace(c[3], signature=c[4].signature), *c[4:]], 4, "changed"),
    ("one left out", lambda c: [*c[:3], *c[4:]], 4, "missing"),
    ("the first left out", lambda c: c[1:], 1, "missing"),
    ("two exchanged", lambda c: [*c[:3], c[4], c[3], *c[5:]], 4, "reordered"),
    ("one twice", lambda c: [*c[:4], c[3], *c[4:]], 5, "repeated"),
    ("by a stranger's key", lambda c: [*c[:3], forged(c, 4, THIRD), *c[4:]], 4, "forged"),
    ("signed by the key, in another's place", lambda c: [*c[:3], forged(c, 4, KEY), *c[4:]], 5, "forged"),
    ("the key's name", lambda c: [*c[:3], replace(c[3], key=key_id(OTHER.public_key())), *c[4:]], 4, "changed"),
    ("an unknown key's name", lambda c: [*c[:3], replace(c[3], key="0" * 16), *c[4:]], 4, "forged"),
    ("renumbered after one was left out", lambda c: [*c[:3], replace(c[4], sequence=4), *c[5:]], 4, "changed"),
    (
        "an entry of another organisation",
        lambda c: [*c[:3], replace(c[3], org="other"), *c[4:]],
        4,
        "another_chain",
    ),
    (
        "the restricted chain's",
        lambda c: [*c[:3], replace(c[3], chain="restricted"), *c[4:]],
        4,
        "another_chain",
    ),
]


@pytest.mark.parametrize(("tamper", "first_bad", "problem"), [pytest.param(*t[1:], id=t[0]) for t in TAMPERED])
def test_tampering_is_found(tamper: Tamper, first_bad: int, problem: str) -> None:
    verdict = found(tamper(list(CHAIN)))
    assert (verdict.ok, verdict.entries, verdict.first_bad, verdict.problem) == (False, first_bad - 1, first_bad, problem)


def test_a_whole_chain_verifies() -> None:
    """Also an empty one, and one whose key was rotated."""
    assert found(CHAIN) == Verdict(8, tree(CHAIN).root())
    assert found([]).ok
    assert found(chain(6, rotated_at=4)).ok


def test_a_checkpoint_shows_a_cut_tail() -> None:
    """Without one, a chain whose tail was cut is a shorter chain."""
    point = checkpoint("acme", "public", tree(CHAIN), AT, KEY)
    assert found(CHAIN[:5]).ok
    verdict = found(CHAIN[:5], point)
    assert (verdict.first_bad, verdict.problem) == (6, "cut")
    assert found(CHAIN, point).ok
    assert found(chain(12), point).ok  # it went on since


@pytest.mark.parametrize("size", [8, 10])
def test_a_checkpoint_shows_a_chain_that_was_signed_anew(size: int) -> None:
    """Who holds the key can make another chain; a checkpoint kept elsewhere tells it."""
    other = [*CHAIN[:5], *chain(size - 5, start=Tip(5, entry_hash(CHAIN[4])))]
    assert found(other).ok
    assert found(other, checkpoint("acme", "public", tree(CHAIN), AT, KEY)).problem == "rewritten"


@pytest.mark.parametrize(
    "changes", [{"size": 7}, {"root": "0" * 64}, {"org": "other"}, {"chain": "restricted"}, {"key": "0" * 16}, {"signature": "0" * 128}]
)
def test_a_checkpoint_that_was_tampered_with_says_so(changes: dict[str, object]) -> None:
    point = replace(checkpoint("acme", "public", tree(CHAIN), AT, KEY), **changes)  # type: ignore[arg-type]
    assert found(CHAIN, point).problem == "bad_checkpoint"


@given(order=st.permutations(range(6)), kept=st.integers(0, 6))
def test_only_the_chain_itself_verifies(order: list[int], kept: int) -> None:
    """Any order and any choice of the entries but a beginning of the chain is found."""
    entries = [CHAIN[i] for i in order[:kept]]
    assert found(entries).ok == (entries == CHAIN[:kept])


def test_what_is_no_entry_is_named_by_its_place() -> None:
    verifier = Verifier("acme", "public", KEYS)
    verifier.take(CHAIN[0])
    verifier.unreadable()
    verifier.take(CHAIN[2])
    assert (verifier.verdict().first_bad, verifier.verdict().problem) == (2, "unreadable")
