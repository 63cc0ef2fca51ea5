"""Dead letters sent again as they were, or a reason why not (SPEC 9.4)."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from pipelines import admin
from pipelines.deadletters import Pointer, Replay, mark, replay
from schemas import codec
from schemas.partition import log_hash, partition_of
from schemas.records import DeadLetter
from tests.pipelines.conftest import Deployment

pytestmark = pytest.mark.broker


def replayed(deployment: Deployment, *pointers: Pointer) -> list[Replay]:
    """What becomes of some replays."""
    prefix = deployment.layout.prefix
    epochs = admin.epochs(deployment.config, deployment.layout)
    return list(replay(pointers, deployment.config, deployment.producer, deployment.offsets, prefix, epochs))


def test_the_raw_bytes_are_sent_again_with_key_and_headers(deployment: Deployment) -> None:
    """Each message once, however many of its parts were refused; an epoch that was not noted does not matter."""
    topic = deployment.layout.prefix + "runs"
    deployment.producer.produce(topic, b"\x00poison", b"acme/agent/a", 1, headers=[("key-id", b"\x01"), ("empty", None)])
    deployment.producer.flush()
    (epoch, offset) = admin.epochs(deployment.config, deployment.layout)["runs"], deployment.offsets.ends(["runs"])["runs", 1] - 1
    pointer = Pointer("runs", epoch, 1, offset)
    assert replayed(deployment, pointer, pointer) == [Replay(f"runs:1:{offset}", f"runs:1:{offset + 1}", None)]
    assert replayed(deployment, Pointer("runs", "", 1, offset)) == [Replay(f"runs:1:{offset}", f"runs:1:{offset + 2}", None)]

    consumer = Consumer(dict(deployment.config) | {"group.id": "none", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 1, offset + 1)])
    message = consumer.poll(20)
    consumer.close()
    assert message is not None
    assert (message.key(), message.value()) == (b"acme/agent/a", b"\x00poison")
    assert message.headers() == [("key-id", b"\x01"), ("empty", None)]


def test_what_can_no_longer_be_replayed_is_said(deployment: Deployment) -> None:
    prefix = deployment.layout.prefix
    for value in (b"old", b"new"):
        deployment.producer.produce(prefix + "outcomes", value, b"k", 0)
    deployment.producer.flush()
    client = AdminClient(dict(deployment.config))
    for answer in client.delete_records([TopicPartition(prefix + "outcomes", 0, 1)]).values():
        answer.result(20)
    epoch = admin.epochs(deployment.config, deployment.layout)["outcomes"]
    found = replayed(
        deployment,
        Pointer("outcomes", epoch, 0, 0),
        Pointer("outcomes", "another epoch", 0, 1),
        Pointer("outcomes", epoch, 0, 7),
        Pointer("outcomes", epoch, 9, 0),
        Pointer("no-such", epoch, 0, 0),
        Pointer("outcomes", epoch, 0, 1),
    )
    assert {replay.id: replay.problem for replay in found if replay.problem} == {
        "outcomes:0:0": "its message is gone: the topic no longer keeps it",
        "outcomes:0:1": "its topic was made anew since: what stands there now is another message",
        "outcomes:0:7": "its message is no longer there",
        "outcomes:9:0": "its topic is no longer there",
        "no-such:0:0": "its topic is no longer there",
    }
    assert [replay.id for replay in found if replay.receipt] == ["outcomes:0:1"]


def test_a_dead_letter_is_told_as_what_it_was_sent_again(deployment: Deployment) -> None:
    """On the log of its topic, behind the record that it replaces."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    letter = DeadLetter(
        id="runs:1:3", topic="runs", epoch="e", partition=1, offset=3, part="message", reason="damaged", at=at, replayable_until=at
    )
    mark([letter], "runs:1:9", deployment.producer, deployment.layout.prefix, deployment.layout.partitions)
    place = partition_of(log_hash("runs"), deployment.layout.partitions)
    consumer = Consumer(dict(deployment.config) | {"group.id": "none", "enable.auto.commit": False})
    consumer.assign([TopicPartition(deployment.layout.prefix + "dead-letters", place, 0)])
    message = consumer.poll(20)
    consumer.close()
    assert message is not None
    assert codec.decode(message.value() or b"") == replace(letter, replayed_as="runs:1:9")
