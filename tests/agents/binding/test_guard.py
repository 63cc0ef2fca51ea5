"""SPEC 9.4: one record that can't be taken costs that record; the rest goes on."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from agents.binding.batch import Incoming, Outgoing, Read, Result
from agents.binding.guard import Guarded
from schemas.codec import decode
from schemas.records import DeadLetter

AT = datetime(2026, 3, 1, tzinfo=UTC)
KEPT = timedelta(days=7)


class Sum:
    """Keeps the sum of what it took under one key, and falls over a value that is no number, as a core must not."""

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        total, out = int(read(b"sum") or b"0"), []
        for record in batch:
            total += int(record.value or b"0")
            out.append(Outgoing("entries", b"sum", str(total).encode(), 0))
        return Result(out, {b"sum": str(total).encode()})


def _records(*values: bytes) -> list[Incoming]:
    return [Incoming("learnings", "epoch", 3, offset, AT, b"key", value) for offset, value in enumerate(values, 40)]


def test_the_record_that_fails_is_dead_lettered_and_the_others_are_taken_in_order() -> None:
    """The batch is taken as if the record had never been in it, and a pointer to it goes out in its place."""
    result = Guarded(Sum(), KEPT).step(3, _records(b"1", b"secret", b"4"), {b"sum": b"10"}.get)
    assert result.states == {b"sum": b"15"}
    assert [out.topic for out in result.out] == ["entries", "dead-letters", "entries"]
    letter = decode(result.out[1].value)
    assert isinstance(letter, DeadLetter)
    assert (letter.id, letter.reason, letter.excerpt) == ("learnings:3:41", "internal_error", None)
    assert letter.replayable_until == AT + KEPT
    assert b"secret" not in (result.out[1].value or b"")


def test_what_does_not_fail_goes_through_as_it_is() -> None:
    """A guard that nobody needs changes nothing."""
    given = _records(b"1", b"2")
    nothing: dict[bytes, bytes] = {}
    assert Guarded(Sum(), KEPT).step(3, given, nothing.get) == Sum().step(3, given, nothing.get)
