"""The memo of the view: what a batch wrote, the next reads without decoding it, and never as something else."""

from datetime import UTC, datetime, timedelta

import pytest

from agents.aggregate.view import Memo
from schemas.codec import encode
from schemas.records import Tick, TimerDay

AT = datetime(2026, 3, 1, tzinfo=UTC)


def ticks(number: int) -> list[Tick]:
    return [Tick(at=AT + timedelta(days=n)) for n in range(number)]


def test_what_was_encoded_is_read_as_it_was() -> None:
    memo, tick = Memo(1_000), Tick(at=AT)
    assert memo.load(Tick, memo.encode(tick)) is tick


def test_what_is_remembered_is_of_the_kind_that_is_asked_for() -> None:
    memo = Memo(1_000)
    with pytest.raises(ValueError, match="TimerDay"):
        memo.load(TimerDay, memo.encode(Tick(at=AT)))


def test_it_forgets_what_was_not_used_for_longest() -> None:
    """No more than the limit is remembered, and everything can still be read."""
    first, *others = ticks(4)
    memo = Memo(3 * len(encode(first)))
    messages = [memo.encode(tick) for tick in [first, *others[:2]]]
    assert memo.load(Tick, messages[0]) is first
    memo.encode(others[2])
    assert memo.load(Tick, messages[0]) is first
    again = memo.load(Tick, messages[1])
    assert again == others[0] and again is not others[0]
