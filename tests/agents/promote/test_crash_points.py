"""DESIGN "Exactly once by construction": at whatever write a crash ends a batch, what comes of a pool's log is the same."""

from dataclasses import replace
from typing import Any

import pytest

from agents.binding.batch import Incoming
from agents.promote.core import Promote
from schemas.codec import decode
from schemas.records import Decision, PoolState
from tests.agents.crash import Kept, Worker
from tests.agents.promote.events import RULES, SECRET, amended, cleared, credited, incoming, withdrawn

SIMILARITY = 0.85


def history() -> list[Incoming]:
    """A little of everything that a pool's log may hold."""
    first = cleared("agent/1", RULES["A"], 1)
    second = cleared("agent/2", "Before issuing a refund, check the order status.", 2, sender=1)
    against = cleared("agent/3", "Never check the order status before issuing a refund.", 3)
    other = cleared("agent/1", RULES["B"], 4)
    unknown = replace(credited("agent/4", first, 5), shared_id="ab" * 16)
    yes, no = credited("agent/4", first, 6), credited("agent/5", first, 7, "no")
    records: list[Any] = [
        first,
        second,
        against,
        unknown,
        yes,
        no,
        credited("agent/6", first, 8, "no"),  # the second against it: a rung lower
        yes,  # sent again
        amended(no, 9, "yes"),
        b"\xc3\x01 no record of ours",
        other,
        withdrawn(other, 10),
        credited("agent/6", other, 11),
        cleared("agent/1", RULES["B"], 12),
        withdrawn(first, 13),
        amended(yes, 14, None),
    ]
    return [incoming(record, offset) for offset, record in enumerate(records)]


WORKER = Worker(lambda: Promote(SECRET, SIMILARITY), history())
ALL = len(WORKER.log)


def come_to(kept: Kept) -> dict[bytes, Any]:
    """The table, without what a copy remembers of the batch itself."""
    values = {key: decode(value) for key, value in kept.states.items()}
    return {key: replace(v, tail=b"") if isinstance(v, PoolState) else v for key, v in values.items()}


CALM = WORKER.life(Kept(), ALL)


def test_the_history_has_what_it_says() -> None:
    """Each way to send is taken, or a crash there would go untested."""
    assert {o.topic for o in CALM.sent} == {"shared", "pool-members", "decisions", "receipts", "dead-letters"}
    decided = {d.decision for o in CALM.sent if isinstance(d := decode(o.value), Decision)}
    assert decided >= {"promoted", "corroborated", "demoted", "returned", "withdrawn"}


@pytest.mark.parametrize(
    ("size", "behind", "again"),
    [(1, 0, 2), (1, 2, ALL), (4, 0, 1), (4, 1, 3), (ALL, 0, 2), (ALL, 0, ALL)],
)
def test_a_crash_after_any_write_changes_nothing(size: int, behind: int, again: int) -> None:
    """Whatever part of a batch's writes was kept, and in whatever batches its records are taken again; commits may be behind."""
    for left in WORKER.every_crash(size, behind):
        after = WORKER.life(left, again)
        assert come_to(after) == come_to(CALM)
        assert after.said() == CALM.said()


def test_a_crash_after_any_write_of_a_batch_that_is_taken_again_changes_nothing() -> None:
    """Two crashes in a row, the second in a batch of another size."""
    for once in WORKER.crashes(WORKER.life(Kept(), 4, 4), 4):
        for twice in WORKER.crashes(once, 5):
            after = WORKER.life(twice, ALL)
            assert come_to(after) == come_to(CALM)
            assert after.said() == CALM.said()
