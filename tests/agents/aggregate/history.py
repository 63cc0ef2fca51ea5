"""Random histories of an agent, as hypothesis draws them, and the log that tells them."""

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

from schemas.records import Tick
from tests.agents.aggregate.log import KEY, START, Log, Table

KEYS = (KEY, "support/pattern-other", "risk-third")
RULES = ("one", "two")


def _learning(random: Random) -> dict[str, Any]:
    optional = {
        "privacy": ("shareable", "sensitive"),
        "hold": ("override",),
        "ttl_at": (START, START.replace(hour=1), START.replace(day=3)),
        "confidence": (0.4, 0.7),
    }
    told = {name: random.choice(options) for name, options in optional.items() if random.random() < 0.2}
    return {"entry_key": random.choice(KEYS), "rule": random.choice(RULES)} | told


def _credits(random: Random) -> list[tuple[str, int | None, bool]]:
    chosen = [(random.choice(KEYS), random.choice((None, None, 1, 2)), random.random() < 0.8) for _ in range(random.randint(0, 2))]
    return list({key: (key, version, applied) for key, version, applied in chosen}.values())


def _outcome(random: Random) -> tuple[Any, ...]:
    amends = random.choice((None, None, None, 1, 2, 3))
    result = random.choice(("success", "success", "failure", "minor_failure" if amends is None else "retracted"))
    return random.randrange(13), result, _credits(random), amends, random.random() < 0.5


def _run(random: Random) -> tuple[Any, ...]:
    learnings = [_learning(random) for _ in range(random.randint(1, 2))]
    return random.randrange(12), learnings, random.choice((None, None, 1, 2)), random.choice(("none", "none", "none", "agent_specific"))


STEPS: tuple[tuple[str, Callable[[Random], tuple[Any, ...]]], ...] = (
    ("run", _run),
    ("outcome", _outcome),
    ("outcomes", lambda r: (r.choice(KEYS), r.randint(1, 5))),
    ("loaded", lambda r: (r.choice((True, False)), r.choice(("commons", "personal")))),
    ("rollback", lambda r: (r.choice(KEYS), r.choice(RULES), r.randint(1, 5))),
    ("recalled", lambda r: (r.choices(KEYS, k=2),)),
    ("tick", lambda r: (r.choice((1, 30, 800)),)),
    ("again", lambda r: (r.randrange(20),)),
    ("poison", lambda _: ()),
    ("run", _run),
    ("outcome", _outcome),
)


def _step(seed: int) -> tuple[Any, ...]:
    random = Random(seed)
    name, more = random.choice(STEPS)
    return name, *more(random)


def written(log: Log, step: Any, so_far: list[list[Any]]) -> list[Any]:
    """The events of one step of a history."""
    match step:
        case ("run", name, drafts, parent, floor):
            told = None if parent is None else f"r-{parent}"
            return log.run(f"r-{name}", *drafts, content=str((drafts, parent, floor)), parent_run_id=told, floor=floor, claims=1)
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
        case ("rollback", key, rule, version):
            return log.rollback(version, entry_key=key, rule=rule)
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


histories = st.lists(st.integers(0, 2**32), min_size=1, max_size=25).map(lambda seeds: [_step(seed) for seed in seeds])
"""A step is a seed's: one draw each keeps hypothesis fast, and a history still shrinks to the steps that matter."""
