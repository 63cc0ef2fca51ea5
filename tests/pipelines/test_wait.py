"""Waiting: for a snapshot, with patience for slowness and none for standstill."""

import time
from collections.abc import Sequence

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient

from pipelines.offsets import Offsets
from pipelines.produce import Sent
from pipelines.readers import READERS
from pipelines.wait import Ends, Part, Patience, Stalled, behind, until_ended, until_read, until_shown
from tests.pipelines.conftest import Deployment


def unwatched(what: str, done: int, total: int | None) -> None:
    """Nobody looks."""


def sent(line: int, *parts: str) -> Sent:
    """A message that was sent."""
    return Sent(line, "runs", 0, line, parts)


def commit(deployment: Deployment, group: str, topic: str, partition: int, offset: int) -> None:
    """Set what a group has committed."""
    prefix = deployment.layout.prefix
    place = TopicPartition(prefix + topic, partition, offset)
    admin = AdminClient(dict(deployment.config))
    error: object = "not tried"
    while error is not None:  # a broker that has just begun makes its first coordinator
        (answer,) = admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(prefix + group, [place])]).values()
        error = answer.result(20).topic_partitions[0].error


def put(deployment: Deployment, topic: str, partition: int, records: int) -> None:
    """Add records to a partition."""
    for _ in range(records):
        deployment.producer.produce(deployment.layout.prefix + topic, b"x", b"k", partition)
    deployment.producer.flush()


@pytest.mark.broker
def test_a_group_is_waited_for_where_it_has_records_left(deployment: Deployment) -> None:
    offsets = deployment.offsets
    put(deployment, "runs", 0, 3)
    put(deployment, "runs", 1, 1)
    targets = offsets.ends(["runs"])
    assert targets == {("runs", 0): 3, ("runs", 1): 1}
    commit(deployment, "scan", "runs", 0, 2)
    with pytest.raises(Stalled, match=r"nothing moved for 0.2 s, and scan has still to read runs \(2 left\)"):
        until_read(offsets, "scan", targets, 0.2, unwatched)
    commit(deployment, "scan", "runs", 0, 3)
    commit(deployment, "scan", "runs", 1, 1)
    put(deployment, "runs", 0, 5)  # what others send meanwhile is not waited for
    until_read(offsets, "scan", targets, 0.2, unwatched)


@pytest.mark.broker
def test_what_was_sent_is_shown_once_each_stage_has_read_what_the_one_before_it_sent(deployment: Deployment) -> None:
    """INTERFACES, produce --wait: recall, history, receipt and sql show it."""
    put(deployment, "outcomes", 0, 1)
    message = Sent(1, "outcomes", 0, 0, ("outcome",))
    stages = [("scan", ["outcomes"]), *((group, list(READERS[group])) for group in ("aggregate", "promote", "journal", "sink"))]
    for topic in ("learnings", "candidates", "decisions", "shared"):
        put(deployment, topic, 1, 1)
    for group, topics in stages:
        with pytest.raises(Stalled, match=f"and {group} has still to read"):
            until_shown(deployment.offsets, [message], 0.2, unwatched)
        for (topic, partition), end in deployment.offsets.ends(topics).items():
            commit(deployment, group, topic, partition, end)
    until_shown(deployment.offsets, [message], 0.2, unwatched)


def test_behind_is_the_offset_after_the_last() -> None:
    assert behind([Sent(1, "runs", 0, 5, ()), Sent(2, "runs", 1, 2, ()), Sent(3, "runs", 0, 4, ())]) == {("runs", 0): 6, ("runs", 1): 3}


RECEIPTS: Ends = {
    "runs:0:1": {"episode": ("stored", None), "learning:0": ("held", "github_token")},
    "runs:0:2": {"message": ("dead_lettered", "damaged")},
    "runs:0:3": {"learning:0": ("waiting", "unknown_entry"), "episode": ("stored", None)},
}


def receipts(ids: Sequence[str]) -> Ends:
    """What ClickHouse would say."""
    return {i: RECEIPTS[i] for i in ids if i in RECEIPTS}


def test_ends_are_told_by_line_and_part() -> None:
    """A message that could not be read has one part in place of its own; waiting is an end."""
    messages = [sent(1, "episode", "learning:0"), sent(2, "episode"), sent(3, "episode", "learning:0")]
    assert until_ended(messages, receipts, 0.1, unwatched) == [
        Part(1, "runs:0:1", "episode", "stored", None),
        Part(1, "runs:0:1", "learning:0", "held", "github_token"),
        Part(2, "runs:0:2", "message", "dead_lettered", "damaged"),
        Part(3, "runs:0:3", "episode", "stored", None),
        Part(3, "runs:0:3", "learning:0", "waiting", "unknown_entry"),
    ]


@pytest.mark.parametrize(
    ("messages", "missing"),
    [
        ([sent(1, "episode", "learning:0", "learning:1")], r"line 1 \(runs:0:1\) has no end of learning:1$"),
        ([sent(2, "episode"), sent(7, "episode"), sent(8, "episode")], r"line 7 \(runs:0:7\) has no end of episode; 1 more like it"),
    ],
)
def test_missing_ends_are_named(messages: list[Sent], missing: str) -> None:
    with pytest.raises(Stalled, match=missing):
        until_ended(messages, receipts, 0.1, unwatched)


def test_patience_lasts_as_long_as_something_moves() -> None:
    patience = Patience(0.25)
    began = time.monotonic()
    for moved in range(6):
        patience.spend(moved, "nothing")
    assert time.monotonic() - began > 0.25
    with pytest.raises(Stalled):
        for _ in range(10):
            patience.spend("still", "nothing")


@pytest.mark.broker
def test_offsets_of_a_topic_that_is_not_there(deployment: Deployment) -> None:
    offsets = Offsets(deployment.config, "no-such-prefix.")
    with pytest.raises(Exception, match=r"no-such-prefix\.runs does not exist; `tidegate topics --create`"):
        offsets.ends(["runs"])
