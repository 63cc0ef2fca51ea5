"""SPEC 6.8: decisions in order, signed, each once, whatever is delivered again."""

import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.binding.batch import Incoming, Result
from agents.journal.chain import canonical_bytes, opens
from agents.journal.core import Journal
from agents.journal.merkle import leaf_hash, root_of
from agents.journal.verify import verify
from schemas.codec import decode, encode
from schemas.ids import ids_of
from schemas.partition import log_hash
from schemas.records import DeadLetter, Decision, JournalCheckpoint, JournalEntry, JournalText, Source
from tests.agents.journal.test_chain import KEY, KEYS

SECRET = b"s" * 32
AT = datetime(2026, 3, 1, tzinfo=UTC)


def decided(name: str, at: int, org: str = "acme", chain: str = "public", **changes: Any) -> Decision:
    """What promote decided by the record at this offset of candidates."""
    decision = Decision(
        source=Source(topic="candidates", epoch="c", partition=0, offset=at, index=0),
        decision_id=name,
        org=org,
        chain=chain,
        actor="promote",
        decision="promoted",
        subject="s",
        reason="gate",
        figures={"applied": "3"},
        at=AT,
    )
    return replace(decision, **changes)


def of(decision: Decision, **changes: Any) -> Decision:
    """The decision with another source."""
    return replace(decision, source=replace(decision.source, **changes))


def log(*records: Any, epoch: str = "e", start: int = 0) -> list[Incoming]:
    return [
        Incoming("decisions", epoch, 0, offset, AT, b"acme", r if isinstance(r, bytes) else encode(r))
        for offset, r in enumerate(records, start)
    ]


class Table(dict[bytes, bytes]):
    def take(self, batch: list[Incoming], share: float = 1.0, rng: random.Random | None = None) -> list[Any]:
        """Take a batch, save this share of the states; what was said."""
        result: Result = Journal(SECRET, KEY).step(0, batch, self.get)
        for key, value in result.states.items():
            if value is not None and (rng is None or rng.random() < share):
                self[key] = value
        return [decode(o.value) for o in result.out]


def entries(said: list[Any]) -> list[tuple[str, str, int, str]]:
    return [(e.org, e.chain, e.sequence, e.decision_id) for e in said if isinstance(e, JournalEntry)]


def chain_of(said: list[Any], org: str, chain: str) -> list[JournalEntry]:
    """The entries of a chain as a reader has them: what was sent twice is one."""
    return list({e.sequence: e for e in said if isinstance(e, JournalEntry) and (e.org, e.chain) == (org, chain)}.values())


A, B, C, D = (decided(name, at) for at, name in enumerate("abcd"))


def test_decisions_stand_in_order_by_organisation_and_chain() -> None:
    said = Table().take(log(A, decided("b", 1, chain="restricted"), C, decided("d", 3, org="other")))
    assert entries(said) == [
        ("acme", "public", 1, "a"),
        ("acme", "restricted", 1, "b"),
        ("acme", "public", 2, "c"),
        ("other", "public", 1, "d"),
    ]
    for org, chain in (("acme", "public"), ("acme", "restricted"), ("other", "public")):
        assert verify(org, chain, chain_of(said, org, chain), KEYS).ok


def test_an_entry_says_what_was_decided() -> None:
    out = Journal(SECRET, KEY).step(0, log(A), Table().get).out[0]
    entry = decode(out.value)
    assert (out.topic, out.key, out.log) == ("journal", b"acme/public/1", log_hash("acme"))
    assert isinstance(entry, JournalEntry)
    assert (entry.actor, entry.decision, entry.subject, entry.reason, entry.figures, entry.at) == (
        "promote", "promoted", "s", "gate", {"applied": "3"}, AT,
    )  # fmt: skip


def test_texts_stand_apart_and_can_be_erased() -> None:
    """SPEC 6.8: the entry holds commitments alone; the chain is whole without the texts."""
    texts = {"rule": "Check the order.", "value": '{"steps":[]}'}
    said = Table().take(log(replace(A, texts=texts), B))
    (entry, _), kept = chain_of(said, "acme", "public"), [r for r in said if isinstance(r, JournalText)]
    assert b"Check the order." not in encode(entry)
    assert {t.name: t.text for t in kept} == texts
    assert all(opens(entry.commitments[t.name], bytes.fromhex(t.salt), t.name, t.text) for t in kept)
    assert {t.salt for t in kept} == {ids_of(SECRET, "acme").salt("a", name).hex() for name in texts}
    assert verify("acme", "public", chain_of(said, "acme", "public"), KEYS).ok


def test_each_batch_leaves_a_checkpoint_of_what_it_added_to() -> None:
    table = Table()
    said = table.take(log(A, B, decided("r", 2, chain="restricted")))
    points = {p.chain: p for p in said if isinstance(p, JournalCheckpoint)}
    assert {name: p.size for name, p in points.items()} == {"public": 2, "restricted": 1}
    chain = chain_of(said, "acme", "public")
    assert points["public"].root == root_of([leaf_hash(canonical_bytes(e)) for e in chain]).hex()
    assert verify("acme", "public", chain, KEYS, points["public"]).ok
    assert table.take(log(B, start=3)) == []


DELIVERED_AGAIN = [
    ("by a crash of its author, at a new offset", log(A, B, A, B, C), "abc"),
    ("by a rewind of this topic", [*log(A, B), *log(A, B), *log(C, start=2)], "abc"),
    ("in this topic made anew", [*log(A, B), *log(A, B, C, epoch="f")], "abc"),
    ("a second decision of one record", log(A, of(B, offset=0, index=1), A, of(B, offset=0, index=1)), "ab"),
    ("from another partition", log(C, of(A, partition=1), C, of(A, partition=1)), "ca"),
    ("from another log", log(C, of(A, topic="learnings"), C), "ca"),
    ("from a log made anew", log(C, of(A, epoch="d"), C, of(A, epoch="d")), "ca"),
]


@pytest.mark.parametrize(("batch", "expected"), [pytest.param(*c[1:], id=c[0]) for c in DELIVERED_AGAIN])
@pytest.mark.parametrize("at_once", [True, False])
def test_no_decision_stands_twice(batch: list[Incoming], expected: str, at_once: bool) -> None:
    table = Table()
    said = table.take(batch) if at_once else [r for record in batch for r in table.take([record])]
    assert "".join(e[3] for e in entries(said)) == expected


def test_what_is_kept_of_a_chain_does_not_grow_with_it() -> None:
    """SPEC 6.8: as many decisions as one likes leave one mark a partition and at most 24 hashes at ten million."""
    table = Table()
    table.take(log(*(decided(f"d-{n}", n) for n in range(2000))))
    assert len(table) == 1
    assert max(map(len, table.values())) < 24 * 32 + 250


BAD = [(b"", "not_avro"), (b"\xc3\x01", "not_avro"), (encode(decided("x", 9, chain="secret")), "bad_value")]


def test_what_cannot_be_read_is_dead_lettered() -> None:
    said = Table().take(log(*(value for value, _ in BAD), A))
    assert [r.reason for r in said if isinstance(r, DeadLetter)] == [reason for _, reason in BAD]
    assert entries(said) == [("acme", "public", 1, "a")]


@settings(max_examples=200, deadline=None)
@given(names=st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=20), seed=st.integers(0, 2**32))
def test_a_crash_between_any_two_writes_changes_nothing(names: list[str], seed: int) -> None:
    """Entries are sent, any part of the states is saved, and the batch is taken again in other batches: the same bytes again."""
    chains = {name: "restricted" if name in "aeh" else "public" for name in names}
    batch = log(*(decided(name, ord(name), chain=chains[name], texts={"rule": name}) for name in names))
    whole = Table()
    expected = [r for r in whole.take(batch) if not isinstance(r, JournalCheckpoint)]
    rng = random.Random(seed)
    table, committed = Table(), 0
    said: list[Any] = []
    for _ in range(3):
        end = rng.randint(committed, len(batch))
        said += table.take(batch[committed:end], 0.5, rng)
        middle = rng.randint(committed, end)
        said += table.take(batch[committed:middle])
        committed = middle
    said += table.take(batch[committed:])
    sent = {encode(r) for r in said if not isinstance(r, JournalCheckpoint)}
    assert sent == {encode(r) for r in expected}
    assert table == whole


def test_what_is_erased_leaves_the_chain_whole() -> None:
    """SPEC 6.8: an empty text takes the place of the one that an entry commits to, and the erasure is an entry of its own."""
    table = Table()
    promoted = decided("a", 0, texts={"rule": "Look first.", "value": "1"})
    erased = decided("b", 1, chain="restricted", decision="text_erased", subject="public/1", figures={"names": "rule"})
    said = table.take(log(promoted, erased))
    newest = {(t.chain, t.sequence, t.name): (t.text, t.salt != "", t.erased) for t in said if isinstance(t, JournalText)}
    assert newest == {("public", 1, "rule"): ("", False, True), ("public", 1, "value"): ("1", True, False)}
    assert entries(said) == [("acme", "public", 1, "a"), ("acme", "restricted", 1, "b")]
    assert all(verify("acme", chain, chain_of(said, "acme", chain), KEYS).ok for chain in ("public", "restricted"))
