"""DESIGN "Exactly once by construction": whatever a crash keeps of a batch's values, and wherever the log is taken up again, the table
comes to the same and the same is sent. So after a rewind of the log, and of the raw topics behind it."""

from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.codec import load
from schemas.records import PartitionState, Saved, Tick
from tests.agents.aggregate.log import KEY, START, Log, Table

KEYS = (KEY, "support/pattern-other", "risk-third")
learnings = st.fixed_dictionaries(
    {"entry_key": st.sampled_from(KEYS), "rule": st.sampled_from(["one", "two"])},
    optional={
        "privacy": st.sampled_from(["shareable", "sensitive"]),
        "hold": st.just("override"),
        "ttl_at": st.sampled_from([START, START.replace(hour=1), START.replace(day=3)]),
        "confidence": st.sampled_from([0.4, 0.7]),
    },
)
names = st.sampled_from(["1", "2", "3", "4"])
raw = st.one_of(
    st.tuples(
        st.just("run"),
        names,
        st.lists(learnings, max_size=2),
        st.sampled_from([None, "1", "2"]),
        st.sampled_from(["none", "agent_specific"]),
    ),
    st.tuples(
        st.just("outcome"),
        st.integers(0, 12),
        st.sampled_from(["success", "failure", "retracted"]),
        st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from([None, 1, 2]), st.booleans()), max_size=2, unique_by=lambda c: c[0]),
        st.sampled_from([None, None, None, 1, 2, 3]),
        st.booleans(),
    ),
    st.tuples(st.just("outcomes"), st.sampled_from(KEYS), st.integers(1, 5)),
    st.tuples(st.just("loaded"), st.booleans(), st.sampled_from(["commons", "personal"])),
    st.tuples(st.just("recalled"), st.lists(st.sampled_from(KEYS), max_size=3)),
    st.tuples(st.just("tick"), st.sampled_from([1, 30, 800])),
    st.tuples(st.just("again"), st.integers(0, 40)),
    st.tuples(st.just("poison")),
)


def written(log: Log, step: Any, so_far: list[list[Any]]) -> list[Any]:
    """The events of one step of a history."""
    match step:
        case ("run", name, drafts, parent, floor):
            return log.run(name, *drafts, content=str((drafts, parent, floor)), parent_run_id=parent, floor=floor, claims=1)
        case ("outcome", name, result, credited, amends, verified):
            credits_ = [log.credit(key, part=n, version=v, applied=a) for n, (key, v, a) in enumerate(credited)]
            credits_.append(log.pool_credit(part=len(credits_)))
            told = None if amends is None else f"o-{amends}"
            return log.outcome(f"o-{name}", result, *credits_, amends=told, verified_by="ci" if verified else None)
        case ("outcomes", key, count):
            first = log.offsets["outcomes"]
            return [e for n in range(first, first + count) for e in log.outcome(f"many-{n}", "success", log.credit(key))]
        case ("loaded", hosted, space):
            return log.loaded(hosted=hosted, home_space=space)
        case ("recalled", keys):
            return log.recalled(*keys)
        case ("again", which):
            return so_far[which] if which < len(so_far) else []
        case ("poison",):
            return [b"\xc3\x01 no record of ours"]
    return []


def history(steps: list[Any]) -> Table:
    """A log with a history on it: nothing is taken yet."""
    log, table = Log(), Table()
    so_far: list[list[Any]] = []
    for step in steps:
        if step[0] == "tick":
            table.at = table.at + step[1] * (START.replace(minute=1) - START)
            table.write([Tick(at=table.at)])
            continue
        events = written(log, step, so_far)
        so_far.append(events)
        table.write(events)
    return table


def come_to(table: Table) -> dict[bytes, bytes]:
    """What the table holds, without what tells of batches."""
    bodies = {key: load(Saved, value).body for key, value in table.values.items()}
    partition = load(PartitionState, bodies.pop(b"P") or b"")
    return {key: body for key, body in bodies.items() if body is not None} | {b"clock": str(partition.clock).encode()}


def sent(table: Table) -> set[Any]:
    return {(o.topic, o.key, o.value, o.log) for o in table.out}


histories = st.lists(raw, min_size=1, max_size=25)


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
