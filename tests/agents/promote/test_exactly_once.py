"""DESIGN, exactly once: whatever a crash lost of the table and whatever comes again, what promote says and keeps is the same."""

import random
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.binding.batch import Incoming, Outgoing
from agents.promote.core import Promote
from schemas.codec import decode
from schemas.records import CandidateCleared, PoolCredited, PoolState
from tests.agents.promote.events import RULES, SECRET, Pool, amended, cleared, credited, incoming, withdrawn

WORDINGS = [
    RULES["A"],
    "Before issuing a refund, check the order status.",
    "Never check the order status before issuing a refund.",
    RULES["B"],
]

Step = tuple[str, int, int, str]


@st.composite
def logs(draw: st.DrawFn) -> list[Incoming]:
    """A pool's log: originals clear, are withdrawn, clear again; their copies are credited; some records come twice, at new offsets."""
    records: list[Any] = []
    original: dict[tuple[int, int], CandidateCleared] = {}
    steps = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["clear", "withdraw", "credit", "credit", "again", "amend"]),
                st.integers(0, 3),
                st.integers(0, 3),
                st.sampled_from(["yes", "no", "no"]),
            ),
            min_size=4,
            max_size=24,
        )
    )
    for at, (what, agent, wording, helpful) in enumerate(steps, 1):
        key = (agent, wording)
        if what == "clear":
            original[key] = cleared(f"agent/{agent}", WORDINGS[wording], at, sender=agent % 2)
            records.append(original[key])
        elif what == "again" and records:
            records += records[-1 - wording :]
        elif what == "withdraw" and key in original:
            records.append(withdrawn(original[key], at))
        elif what == "credit" and original:
            of = draw(st.sampled_from(sorted(original, key=str)))
            records.append(credited(f"voter/{agent}", original[of], at, helpful))
        elif what == "amend" and (told := [r for r in records if isinstance(r, PoolCredited)]):
            records.append(amended(told[-1 - wording % len(told)], at, helpful if agent else None))
    return [incoming(r, offset) for offset, r in enumerate(records)]


def stored(pool: Pool) -> dict[bytes, Any]:
    """The table; what a copy remembers of the batch itself put aside."""
    values = {key: decode(value) for key, value in pool.table.items()}
    return {key: replace(v, tail=b"") if isinstance(v, PoolState) else v for key, v in values.items()}


def said(sent: list[Outgoing]) -> dict[tuple[str, bytes, bytes | None], None]:
    """What was sent, each message once, in the order in which it was sent first."""
    return dict.fromkeys((o.topic, o.key, o.value) for o in sent)


@settings(max_examples=200, deadline=None, report_multiple_bugs=False)
@given(log=logs(), seed=st.integers(0, 2**32), faults=st.integers(1, 4))
def test_a_crash_between_any_two_writes_changes_nothing(log: list[Incoming], seed: int, faults: int) -> None:
    """Outputs are sent, any part of the states is saved, and the batch is taken again, in other batches, by another process."""
    whole = Pool()
    whole.step(log)
    rng = random.Random(seed)
    pool, committed = Pool(), 0
    for _ in range(faults):
        end = rng.randint(committed, len(log))
        result = pool.core.step(0, log[committed:end], pool.table.get)
        pool.sent += result.out
        kept = [k for k in result.states if rng.random() < 0.5]
        pool.table |= {k: v for k in kept if (v := result.states[k]) is not None}
        if rng.random() < 0.7:
            pool.core = Promote(SECRET, pool.similarity)
        middle = rng.randint(committed, end)
        pool.step(log[committed:middle])
        committed = middle
    pool.step(log[committed:])
    assert set(said(pool.sent)) == set(said(whole.sent))
    assert stored(pool) == stored(whole)


@settings(max_examples=100, deadline=None, report_multiple_bugs=False)
@given(log=logs(), data=st.data())
def test_a_rewind_says_nothing_new(log: list[Incoming], data: st.DataObject) -> None:
    """The log from any earlier point on, and its records again at new offsets, as senders repeat them after a rewind."""
    pool = Pool()
    pool.step(log)
    table, sent = stored(pool), set(said(pool.sent))
    pool.step(log[data.draw(st.integers(0, len(log))) :])
    again = [Incoming(r.topic, r.epoch, r.partition, len(log) + i, r.at, r.key, r.value) for i, r in enumerate(log)]
    pool.step(again)
    assert set(said(pool.sent)) == sent
    assert stored(pool) == table


@settings(max_examples=100, deadline=None, report_multiple_bugs=False)
@given(log=logs(), size=st.integers(1, 5))
def test_batches_of_any_size_say_the_same(log: list[Incoming], size: int) -> None:
    whole, parts = Pool(), Pool()
    whole.step(log)
    for i in range(0, len(log), size):
        parts.step(log[i : i + size])
    assert parts.sent == whole.sent
    assert stored(parts) == stored(whole)
