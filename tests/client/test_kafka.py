"""Straight to Kafka: the client's messages are what the scan reads, signed where there is a key."""

import socket
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from pipelines import admin, kafka
from pipelines.admin import Layout
from pipelines.settings import load
from schemas import validate
from schemas.codec import decode
from schemas.records import Outcome, Run
from tests.brokers import Broker
from tidegate_client import Credit, NotSent, over_kafka

PATIENCE = 60.0
KEY = "tg_56475aa75463474c_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
WHO: dict[str, Any] = {"org": "acme", "agent": "agent/a"}


def test_messages_are_records_under_their_agents_key(broker: Broker, prefix: str) -> None:
    config = kafka.client_config(load({"TIDEGATE_BROKERS": broker.bootstrap}), broker.bootstrap)
    admin.create(config, Layout(prefix, 2, 1, 1))
    with over_kafka(broker.bootstrap, key=KEY, prefix=prefix, **WHO) as tidegate:
        with tidegate.run("a goal", run_id="r-1") as run:
            run.step("orders.get", input={"b": 1, "a": [2.5, None]}, output="ok")
            run.learn("support/pattern-x", "Check first.", value={"steps": ["ask"]})
        outcome = run.report("success", outcome_id="o-1", credits=[Credit(entry_key="support/pattern-x")])
        assert run.sent is not None
        receipts = [run.sent.result(PATIENCE), outcome.result(PATIENCE)]
        long = tidegate.send("runs", "r-2", '{"run_id": "r-2", "goal": "' + "x" * (33 * 1024 * 1024) + '"}')
        assert isinstance(long.exception(PATIENCE), NotSent)
        unfit = tidegate.send("outcomes", "o-2", '{"outcome_id": 7}').exception(PATIENCE)
        assert isinstance(unfit, NotSent) and unfit.lost.field == "outcome_id"
    consumer = Consumer({**config, "group.id": f"{prefix}test"})
    for receipt, kind in zip(receipts, (Run, Outcome), strict=True):
        topic, partition, offset = receipt.split(":")
        consumer.assign([TopicPartition(prefix + topic, int(partition), int(offset))])
        message = consumer.poll(PATIENCE)
        assert message is not None and message.key() == b"acme/agent/a"
        record = decode(message.value())
        assert isinstance(record, kind)
        assert validate.problem(record) is None
        [header] = message.headers() or []
        assert header[0] == "tidegate-signature"
        assert isinstance(header[1], bytes) and header[1].startswith(b"56475aa75463474c:")
    consumer.close()


def test_it_waits_for_a_broker_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    tidegate = over_kafka(f"127.0.0.1:{port}", config={"message.timeout.ms": 200}, **WHO)
    tidegate.report("success", outcome_id="o-1")
    closed = tidegate.close(0.5)
    assert [lost.id for lost in closed.lost] == ["o-1"]
    with pytest.raises(ValueError, match="HTTP"):
        tidegate.recall("x")
