"""What the outbox says was sent, the broker has: whole, in order, whatever its size."""

import asyncio

from aiokafka import AIOKafkaProducer
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from agents.binding.outbox import Message, Outbox
from tests.brokers import Broker

LARGE = 600_000


def test_records_larger_than_a_batch_keep_their_place(broker: Broker, prefix: str) -> None:
    """Order within a partition holds across batches, and a record that no batch has room for goes alone."""
    topic = prefix + "out"
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    admin.create_topics([NewTopic(topic, 2, 1)])[topic].result(30)
    sizes = [10, 20_000, LARGE, 10, 9_000, 9_000, 1]
    messages: list[Message] = [(topic, n % 2, str(n).encode(), b"x" * size) for n, size in enumerate(sizes)]
    asyncio.run(_send(broker.bootstrap, [*messages, (topic, 0, b"gone", None)]))
    assert _read(broker.bootstrap, topic, 0) == [("0", 10), ("2", LARGE), ("4", 9_000), ("6", 1), ("gone", None)]
    assert _read(broker.bootstrap, topic, 1) == [("1", 20_000), ("3", 10), ("5", 9_000)]


async def _send(bootstrap: str, messages: list[Message]) -> None:
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, enable_idempotence=True, max_batch_size=16_384, max_request_size=10 * LARGE)
    await producer.start()
    try:
        await Outbox(producer).send(messages)
    finally:
        await producer.stop()


def _read(bootstrap: str, topic: str, partition: int) -> list[tuple[str, int | None]]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": topic, "enable.partition.eof": True})
    consumer.assign([TopicPartition(topic, partition, 0)])
    found = []
    while (message := consumer.poll(30)) is not None and not message.error():
        value = message.value()
        found.append(((message.key() or b"").decode(), None if value is None else len(value)))
    consumer.close()
    return found
