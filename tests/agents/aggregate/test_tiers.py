"""SPEC 5.8: the first 50 of an agent are hot, the next 200 warm, the rest archive."""

from math import exp, log
from typing import Any

import pytest

from agents.aggregate.tiers import priority
from tests.agents.aggregate.log import START, Log, Table


@pytest.mark.parametrize(
    ("worth", "age", "recalls", "s"),
    [
        (0.5, 0, 0, 1.5),
        (1.0, 10, 0, (1 + exp(-1)) * exp(-1)),
        (0.5, 10, 1, (0.5 + exp(-1)) * exp(-1)),  # ln 2 is below 1
        (0.5, 10, 19, (0.5 + exp(-1)) * log(20) * exp(-1 / log(20))),
    ],
)
def test_priority(worth: float, age: float, recalls: int, s: float) -> None:
    assert priority(worth, age, recalls) == pytest.approx(s)


def tiers(table: Table) -> dict[str, int]:
    """Newest tier by entry key: a version's, or a later counter's."""
    newest = {v.entry_key: v for v in table.sent("entries")}
    counters = {c.learning_id: c for c in table.sent("counters")}
    out = {}
    for key, version in newest.items():
        counter = counters.get(version.learning_id)
        out[key] = counter.tier if counter and counter.revision > version.revision else version.tier
    return out


def of(log: Log, count: int, **changes: Any) -> list[Any]:
    return log.run("r-1", *({"entry_key": f"k/{n:04}", "importance": 1 - n / 1000} | changes for n in range(count)))


def expected(count: int) -> dict[str, int]:
    return {f"k/{n:04}": 1 if n < 50 else 2 if n < 250 else 3 for n in range(count)}


@pytest.mark.parametrize("count", [1, 50, 51, 250, 330])
def test_the_best_are_hot(count: int) -> None:
    """In whatever order they come."""
    log, backwards = Log(), Log()
    table = Table()
    table.step(table.write(of(log, count)))
    assert tiers(table) == expected(count)
    other = Table()
    seen, *proposals = of(backwards, count)
    order = sorted(proposals, key=lambda p: p.entry_key, reverse=True)
    moved = [type(p)(**{f: getattr(p, f) for f in p.__slots__} | {"source": q.source}) for p, q in zip(order, proposals, strict=True)]
    other.step(other.write([seen, *moved]))
    assert tiers(other) == expected(count)


def test_what_goes_makes_room() -> None:
    """Also where the places behind it had been given up: then the agent's learnings are looked through."""
    log = Log()
    soon = START.replace(hour=5)
    ttl = [{"ttl_at": soon} if n < 120 else {} for n in range(400)]
    table = Table()
    table.step(table.write(log.run("r-1", *({"entry_key": f"k/{n:04}", "importance": 1 - n / 1000} | ttl[n] for n in range(400)))))
    assert tiers(table) == expected(400)
    table.wait(hours=6)
    now = tiers(table)
    assert all(now[f"k/{n:04}"] == 3 for n in range(120))
    assert {k: t for k, t in now.items() if k >= "k/0120"} == {f"k/{n + 120:04}": t for n, t in enumerate(expected(280).values())}


def test_a_recall_lifts_and_an_artifact_stays_below() -> None:
    log = Log()
    table = Table()
    table.step(table.write(log.run("r-1", *({"entry_key": f"k/{n}", "importance": 0.5} for n in range(60)))))
    cold = next(k for k, tier in tiers(table).items() if tier == 2)
    table.take(log.recalled(*[cold] * 10))
    assert tiers(table)[cold] == 1
    assert sorted(tiers(table).values()) == [1] * 50 + [2] * 10
    table.take(log.run("r-2", {"entry_key": "art", "importance": 1.0, "is_artifact": True}))
    assert tiers(table)["art"] == 2
    assert len(table.versions(cold)) == 1  # a tier is no version (SPEC 2.8)


def test_confidence_stands_in_where_no_importance_was_judged() -> None:
    log = Log()
    table = Table()
    table.step(table.write(log.run("r-1", *({"entry_key": f"k/{n}", "confidence": 0.9} for n in range(51)))))
    hot = next(k for k, tier in tiers(table).items() if tier == 1)
    table.take(log.outcome("o-1", "failure", log.credit(hot)))
    assert tiers(table)[hot] == 2


def test_order_moves_with_age() -> None:
    """One often recalled ages slower: without another event it comes before fresher ones that nobody asked for."""
    log = Log()
    table = Table().take(log.run("r-1", {"entry_key": "old", "importance": 0.0}), log.recalled(*["old"] * 9))
    table.wait(days=6)
    fresh = log.run("r-2", *({"entry_key": f"k/{n}", "importance": 0.2, "received_at": table.at} for n in range(50)))
    table.step(table.write(fresh))
    assert priority(0.0, 6, 9) < priority(0.2, 0, 0) and tiers(table)["old"] == 2
    for _ in range(12):
        table.wait(days=1)
    assert priority(0.0, 18, 9) > priority(0.2, 12, 0) and tiers(table)["old"] == 1
