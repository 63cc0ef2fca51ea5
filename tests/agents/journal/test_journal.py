"""SPEC 6.8: decisions in order, each once."""

import random
from datetime import UTC, datetime
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.binding.batch import Incoming, Result
from agents.journal.core import Journal
from schemas.codec import decode, encode
from schemas.partition import log_hash
from schemas.records import DeadLetter, Decision, JournalEntry

AT = datetime(2026, 3, 1, tzinfo=UTC)


def decided(name: str, org: str = "acme", chain: str = "public") -> Decision:
    return Decision(
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


def log(*records: Any, epoch: str = "e", start: int = 0) -> list[Incoming]:
    return [
        Incoming("decisions", epoch, 0, offset, AT, b"acme", r if isinstance(r, bytes) else encode(r))
        for offset, r in enumerate(records, start)
    ]


class Table(dict[bytes, bytes]):
    def take(self, batch: list[Incoming], share: float = 1.0, rng: random.Random | None = None) -> list[Any]:
        """Take a batch, save this share of the states; what was said."""
        result: Result = Journal().step(0, batch, self.get)
        for key, value in result.states.items():
            if value is not None and (rng is None or rng.random() < share):
                self[key] = value
        return [decode(o.value) for o in result.out]


def entries(said: list[Any]) -> list[tuple[str, str, int, str]]:
    return [(e.org, e.chain, e.sequence, e.decision_id) for e in said if isinstance(e, JournalEntry)]


def test_decisions_stand_in_order_by_organisation_and_chain() -> None:
    said = Table().take(log(decided("a"), decided("b", chain="restricted"), decided("c"), decided("d", org="other")))
    assert entries(said) == [
        ("acme", "public", 1, "a"),
        ("acme", "restricted", 1, "b"),
        ("acme", "public", 2, "c"),
        ("other", "public", 1, "d"),
    ]


def test_an_entry_says_what_was_decided() -> None:
    (out,) = Journal().step(0, log(decided("a")), Table().get).out
    entry = decode(out.value)
    assert (out.topic, out.key, out.log) == ("journal", b"acme/public/1", log_hash("acme"))
    assert isinstance(entry, JournalEntry)
    assert (entry.actor, entry.decision, entry.subject, entry.reason, entry.figures, entry.at) == (
        "promote", "promoted", "s", "gate", {"applied": "3"}, AT,
    )  # fmt: skip


def test_no_decision_stands_twice() -> None:
    """Sent again by its author, rewound by an operator, in a topic made anew."""
    table = Table()
    first = log(decided("a"), decided("b"), decided("a"))
    assert len(entries(table.take(first))) == 2
    assert entries(table.take(first)) == []
    assert entries(table.take(log(decided("b"), decided("c"), start=3))) == [("acme", "public", 3, "c")]
    assert entries(table.take(log(decided("a"), decided("d"), epoch="f"))) == [("acme", "public", 4, "d")]


def test_what_cannot_be_read_is_dead_lettered() -> None:
    said = Table().take(log(b"", b"\xc3\x01", decided("a")))
    assert [r.reason for r in said if isinstance(r, DeadLetter)] == ["not_avro", "not_avro"]
    assert entries(said) == [("acme", "public", 1, "a")]


@settings(max_examples=200, deadline=None)
@given(names=st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=20), seed=st.integers(0, 2**32))
def test_a_crash_between_any_two_writes_changes_nothing(names: list[str], seed: int) -> None:
    """Entries are sent, any part of the states is saved, and the batch is taken again in other batches."""
    whole = Table()
    batch = log(*map(decided, names))
    expected = entries(whole.take(batch))
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
    assert list(dict.fromkeys(entries(said))) == expected
    assert table == whole
