"""SPEC 5.11: what is due is found without a scan of everything."""

from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.aggregate.timers import take_due, wake
from agents.aggregate.view import View
from agents.binding.batch import Incoming
from tests.agents.aggregate.log import START, nothing

times = st.integers(0, 10 * 24 * 60).map(lambda minutes: START + timedelta(minutes=minutes))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.booleans(), times), max_size=150))
def test_each_is_due_once_in_order(steps: list[tuple[bool, datetime]]) -> None:
    view = View(nothing, Incoming("learnings", "log", 0, 0, START, b"", b""))
    waiting: list[tuple[datetime, bytes]] = []
    clock = START
    for number, (sets, time) in enumerate(steps):
        if sets:
            due = max(time, clock + timedelta(minutes=1))
            wake(view, due, str(number).encode())
            waiting.append((due, str(number).encode()))
        else:
            clock = max(clock, time)
            expected = [key for due, key in sorted(waiting, key=lambda w: w[0]) if due <= clock]
            assert take_due(view, clock) == expected
            waiting = [w for w in waiting if w[0] > clock]
            assert view.partition.next_due == min((due for due, _ in waiting), default=None)


def test_a_key_is_woken_once_however_often_it_was_set() -> None:
    view = View(nothing, Incoming("learnings", "log", 0, 0, START, b"", b""))
    wake(view, START + timedelta(hours=1), b"a")
    wake(view, START + timedelta(hours=2), b"a")
    assert take_due(view, START + timedelta(days=1)) == [b"a"]
    assert take_due(view, START + timedelta(days=2)) == []
