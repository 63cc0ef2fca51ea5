"""DESIGN "Exactly once by construction": at whatever write a crash ends a batch, what comes of the log is the same."""

from datetime import timedelta

import pytest

from agents.aggregate.core import Aggregate
from agents.aggregate.gate import GatePolicy
from agents.binding.batch import Incoming
from schemas.codec import load
from schemas.records import PartitionState, Saved, Tick
from tests.agents.aggregate.log import SECRET, Log, Table
from tests.agents.crash import Kept, Worker

EARLY, LATE, HELD = "support/pattern-early", "support/pattern-late", "support/pattern-held"


def history() -> list[Incoming]:
    """A little of everything that an agent's log may hold."""
    log, table = Log(), Table()
    run = log.run("r-1", {}, {"entry_key": LATE, "rule": "close what you open"}, claims=1)
    outcome = log.outcome("o-1", "success", log.credit(), log.credit(EARLY, part=1), log.pool_credit(part=2))
    for events in (
        log.loaded(),
        run,
        outcome,
        log.outcome("o-3", "failure", amends="o-2"),  # overtakes what it amends
        log.outcome("o-2"),
        log.outcome("o-4", "success", log.credit(), log.credit(LATE, part=1)),
        log.outcome("o-5"),  # clears the gate
        outcome,  # delivered again
        log.outcome("o-1", "success", log.credit(), log.credit(EARLY, part=1), log.pool_credit(part=2)),  # sent again
        log.run("r-2", {"entry_key": EARLY, "rule": "look first"}, {"entry_key": HELD, "rule": "obey", "hold": "override"}),  # releases
        log.outcome("o-4", "retracted", log.credit(), log.credit(LATE, part=1), amends="o-4"),  # loses the gate
        [b"\xc3\x01 no record of ours"],
        log.run("r-1", {"rule": "another"}, content="another"),
        log.run("r-3", {"rule": "check it twice", "ttl_at": None}, parent_run_id="r-1", floor="agent_specific"),
        log.recalled(LATE, EARLY),
        log.outcome("o-6", "failure", log.credit("support/pattern-none"), log.credit(LATE, part=1)),  # waits in vain
    ):
        table.write(events)
    table.at += timedelta(days=31)
    table.write([Tick(at=table.at)])
    table.write(log.loaded(hosted=False))
    return table.records


WORKER = Worker(lambda: Aggregate(SECRET, GatePolicy()), history())
ALL = len(WORKER.log)


def come_to(kept: Kept) -> dict[bytes, bytes]:
    """The table, without what tells of batches."""
    bodies = {key: load(Saved, value).body for key, value in kept.states.items()}
    clock = load(PartitionState, bodies.pop(b"P") or b"").clock
    return {key: body for key, body in bodies.items() if body is not None} | {b"clock": str(clock).encode()}


CALM = WORKER.life(Kept(), ALL)


def test_the_history_has_what_it_says() -> None:
    """Each way to send is taken, or a crash there would go untested."""
    topics = {o.topic for o in CALM.sent}
    assert topics >= {"entries", "episodes", "claims", "receipts", "candidates", "decisions", "dead-letters"}


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
