"""SPEC 6.8: at whatever write a crash ends a batch of the journal's, or of whoever decides, each decision has one entry."""

from collections.abc import Iterable

import pytest

from agents.binding.batch import Incoming, Outgoing
from agents.journal.core import Journal
from agents.journal.verify import verify
from schemas.codec import decode, load
from schemas.records import Decision, JournalEntry
from tests.agents.aggregate import test_crash_points as aggregate
from tests.agents.crash import Kept, Said, Worker
from tests.agents.journal.test_chain import KEY, KEYS
from tests.agents.journal.test_journal import AT, SECRET, decided, log, of
from tests.agents.promote import test_crash_points as promote

DECIDERS = [pytest.param(aggregate.WORKER, aggregate.CALM, id="aggregate"), pytest.param(promote.WORKER, promote.CALM, id="promote")]

A, B, C = (decided(name, at, texts={"rule": name}) for at, name in enumerate("abc"))
HELD = decided("h", 3, chain="restricted")
WORKER = Worker(
    lambda: Journal(SECRET, KEY),
    log(A, HELD, B, A, b"\xc3\x01 none of ours", of(C, partition=1), B, decided("o", 9, org="other"), C, HELD, of(HELD, index=1)),
)
ALL = len(WORKER.log)
CALM = WORKER.life(Kept(), ALL)


def but_checkpoints(kept: Kept) -> set[Said]:
    """All that was sent but for checkpoints, of which each batch leaves its own."""
    return {said for said in kept.said() if said[0] != "journal-seals"}


def decisions(sent: Iterable[Outgoing]) -> list[Incoming]:
    """The topic decisions, as what was sent, twice or not, stands on it."""
    values = [o.value for o in sent if o.topic == "decisions"]
    return [Incoming("decisions", "e", 0, offset, AT, b"acme", value) for offset, value in enumerate(values)]


@pytest.mark.parametrize(("size", "behind", "again"), [(1, 0, 2), (1, 2, ALL), (4, 0, 1), (4, 1, 3), (ALL, 0, 2), (ALL, 0, ALL)])
def test_a_crash_after_any_write_changes_nothing(size: int, behind: int, again: int) -> None:
    """Whatever part of a batch's writes was kept, and in whatever batches its records are taken again: the same bytes."""
    for left in WORKER.every_crash(size, behind):
        after = WORKER.life(left, again)
        assert after.states == CALM.states
        assert but_checkpoints(after) == but_checkpoints(CALM)


def entries(sent: Iterable[Outgoing]) -> list[JournalEntry]:
    """What the journal makes of the decisions among what was sent."""
    out = Journal(SECRET, KEY).step(0, decisions(sent), lambda _: None).out
    return [entry for entry in (decode(o.value) for o in out) if isinstance(entry, JournalEntry)]


@pytest.mark.parametrize(("size", "behind", "again"), [(1, 0, 2), (4, 1, 3), (1000, 0, 2)])
@pytest.mark.parametrize(("worker", "calm"), DECIDERS)
def test_a_crash_of_who_decides_at_any_write_leaves_one_entry(worker: Worker, calm: Kept, size: int, behind: int, again: int) -> None:
    """A decision that is taken again, a promotion or a hold, stands in the journal once, in its place."""
    expected = entries(calm.sent)
    assert expected
    assert verify(expected[0].org, expected[0].chain, expected, KEYS).ok
    for left in worker.every_crash(size, behind):
        assert entries(worker.life(left, again).sent) == expected


@pytest.mark.parametrize(("worker", "calm"), DECIDERS)
def test_what_is_decided_twice_is_the_same_decision(worker: Worker, calm: Kept) -> None:
    """What is sent again has the same bytes, or the journal could not tell that it is the same."""
    expected = {d.value for d in decisions(calm.sent)}
    assert len(expected) == len({decided_by(d) for d in decisions(calm.sent)})
    for left in worker.every_crash(4, 1):
        assert {d.value for d in decisions(worker.life(left, 3).sent)} == expected


def decided_by(record: Incoming) -> tuple[int, int]:
    """Offset and index of what a decision was taken by."""
    decision = load(Decision, record.value or b"")
    return decision.source.offset, decision.source.index
