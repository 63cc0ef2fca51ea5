"""SPEC 9.4: whatever stands on the log, the flow goes on."""

import pytest

from agents.aggregate.core import Aggregate
from agents.aggregate.gate import GatePolicy
from schemas.codec import encode
from schemas.records import DeadLetter
from tests.agents.aggregate.log import KEY, SECRET, START, Log, Table, known, nothing


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"", "not_avro"),
        (b"no record", "not_avro"),
        (b"\xc3\x01" + bytes(8), "unknown_schema"),
        (encode(Log().outcome("o-1")[0])[:-3], "damaged"),
        (encode(Log().claim(1)), "wrong_record"),
    ],
)
def test_what_can_not_be_read_is_parked(message: bytes, reason: str) -> None:
    log = Log()
    table = known(log)
    table.step(table.write([message, *log.outcome("o-1"), message]))
    letters: list[DeadLetter] = table.sent("dead-letters")
    assert [(letter.id, letter.topic, letter.reason, letter.part) for letter in letters] == [
        ("learnings:3:3", "learnings", reason, "message"),
        ("learnings:3:5", "learnings", reason, "message"),
    ]
    assert (letters[0].replayable_until - letters[0].at).days == 30
    assert table.newest().applied == 1


def test_an_empty_batch_is_nothing() -> None:
    result = Aggregate(SECRET, GatePolicy()).step(0, [], nothing)
    assert (result.out, result.states) == ([], {})


def test_agents_of_a_partition_do_not_meet() -> None:
    one, two = Log(), Log(agent="agent/b")
    two.offsets["runs"] = two.offsets["outcomes"] = 100
    table = Table().take(
        one.loaded(), one.run("r-1", {}), two.run("r-1", {"rule": "another"}), one.outcome("o-1"), two.outcome("o-1", "failure")
    )
    assert [(v.agent, v.rule, v.applied, v.helpful) for v in table.versions(KEY)][2:] == [
        ("agent/a", "check the status first", 1, 1),
        ("agent/b", "another", 1, 0),
    ]


def test_a_source_topic_made_anew_begins_at_offset_0_again() -> None:
    """DESIGN "Exactly once": its epoch is another."""
    log = Log()
    table = known(log).take(log.outcome("o-1"))
    again = log.outcome("o-2")[0]
    anew = type(again)(
        **{f: getattr(again, f) for f in again.__slots__}
        | {"source": type(again.source)(topic="outcomes", epoch="new", partition=0, offset=0)}
    )
    table.take([anew])
    assert table.newest().applied == 2


def test_the_log_made_anew_begins_at_offset_0_again() -> None:
    """What stands in the table is from before it; timers go on."""
    log = Log()
    table = known(log, ttl_at=START.replace(hour=1)).take(log.outcome("o-1"))
    records = table.write(log.outcome("o-2"))
    table.records = []
    anew = [type(r)(r.topic, "log-2", r.partition, n, r.at, r.key, r.value) for n, r in enumerate(records)]
    for _ in range(2):
        table.step(anew)
    assert table.newest().applied == 2
    tick = table.write([log.run("r-9")[0]])[0]
    table.step([type(tick)(tick.topic, "log-2", tick.partition, 1, START.replace(hour=2), tick.key, tick.value)])
    assert table.newest().state == "archived"
