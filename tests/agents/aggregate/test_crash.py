"""DESIGN "Exactly once by construction": whatever a crash keeps of a batch's values, and wherever the log is taken up again, the table
comes to the same and the same is sent. So after a rewind of the log, and of the raw topics behind it."""

from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.codec import load
from schemas.records import PartitionState, Saved
from tests.agents.aggregate.history import histories, history
from tests.agents.aggregate.log import Table


def come_to(table: Table) -> dict[bytes, bytes]:
    """What the table holds, without what tells of batches."""
    bodies = {key: load(Saved, value).body for key, value in table.values.items()}
    partition = load(PartitionState, bodies.pop(b"P") or b"")
    return {key: body for key, body in bodies.items() if body is not None} | {b"clock": str(partition.clock).encode()}


def sent(table: Table) -> set[Any]:
    return {(o.topic, o.key, o.value, o.log) for o in table.out}


@st.composite
def crashes(draw: st.DrawFn) -> list[tuple[int, str, int]]:
    """Batches: size, and what becomes of it: saved and committed, saved, or lost in a crash, which keeps some of the values."""
    ends = draw(st.sampled_from([("committed", "lost"), ("committed", "saved", "lost first")]))
    return draw(st.lists(st.tuples(st.integers(1, 9), st.sampled_from(ends), st.integers(0, 2**32)), max_size=30))


def kept_in_a_crash(states: dict[bytes, bytes | None], end: str, chance: int) -> dict[bytes, bytes | None]:
    """Any of the values, or those that were given first."""
    if end == "lost first":
        return dict(list(states.items())[: chance % (len(states) + 1)])
    return {key: value for n, (key, value) in enumerate(states.items()) if chance >> n % 32 & 1}


@settings(max_examples=150, deadline=None)
@given(histories, crashes())
def test_a_crash_changes_nothing(steps: list[Any], crashes: list[tuple[int, str, int]]) -> None:
    calm, shaken = history(steps), history(steps)
    if not calm.records:
        return
    calm.step(calm.records)
    assert all(reason != "internal_error" for _, _, reason in calm.dead())
    at = committed = 0
    for size, end, chance in crashes:
        result = shaken.core().step(3, shaken.records[at : at + size], shaken.values.get)
        shaken.out += result.out
        if end.startswith("lost"):
            shaken.save(kept_in_a_crash(result.states, end, chance))
            at = committed
        else:
            shaken.save(result.states)
            at = min(at + size, len(shaken.records))
            committed = at if end == "committed" else committed
    if at < len(shaken.records):
        shaken.step(shaken.records[at:])
    assert come_to(shaken) == come_to(calm)
    assert sent(shaken) == sent(calm)


@settings(max_examples=50, deadline=None)
@given(histories, st.integers(1, 7))
def test_a_rewind_changes_nothing(steps: list[Any], size: int) -> None:
    """SPEC 5.2: neither of the log (the same records again) nor of the raw topics (the same sources again, later on the log)."""
    table = history(steps)
    if not table.records:
        return
    for first in range(0, len(table.records), size):
        table.step(table.records[first : first + size])
    before, out = come_to(table), sent(table)
    for first in range(0, len(table.records), size + 1):
        table.step(table.records[first : first + size + 1])
    assert come_to(table) == before
    assert sent(table) == out
    again = [r.value for r in table.records if r.value is not None and not r.value.endswith(b"ours")]
    for record in table.write(again, every=timedelta()):
        table.step([record])
    assert come_to(table) == before
    assert sent(table) == out
