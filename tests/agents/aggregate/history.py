"""Random histories of an agent, as hypothesis draws them, and the log that tells them."""

from typing import Any

from hypothesis import strategies as st

from schemas.records import Tick
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


histories = st.lists(raw, min_size=1, max_size=25)
