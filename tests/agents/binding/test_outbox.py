"""What the outbox says was sent, the broker has: whole, in order, whatever its size; and from nobody who lost the partition."""

import asyncio
import gc
from collections.abc import Sequence
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import ProducerFenced
from confluent_kafka import Consumer
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import AdminClient, NewTopic

from agents.binding.outbox import Idempotent, Message, Outbox, Transactional
from tests.brokers import Broker

LARGE = 600_000
SOURCE_OFFSET = 17


class Bench:
    """Topics of one test, each with two partitions."""

    def __init__(self, broker: Broker, prefix: str) -> None:
        self.bootstrap, self.out, self.log, self.group = broker.bootstrap, prefix + "out", prefix + "log", prefix + "group"
        self.source = (prefix + "in", 0)
        self.admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        for made in self.admin.create_topics([NewTopic(name, 2, 1) for name in (self.out, self.log, self.source[0])]).values():
            made.result(30)

    def producer(self, transactional_id: str | None = None) -> AIOKafkaProducer:
        settings: dict[str, Any] = {"enable_idempotence": True, "max_batch_size": 16_384, "max_request_size": 10 * LARGE}
        return AIOKafkaProducer(bootstrap_servers=self.bootstrap, transactional_id=transactional_id, **settings)

    def transactional(self) -> Transactional:
        return Transactional(self.producer, self.out, self.group, lambda topic: f"epoch of {topic}")

    async def send(self, outbox: Outbox, out: Sequence[Message], states: Sequence[Message] = ()) -> int | None:
        await outbox.hold({self.source})
        try:
            return await outbox.send(self.source, out, states, SOURCE_OFFSET)
        finally:
            await outbox.hold(frozenset())

    def read(self, topic: str, partition: int) -> list[tuple[str, int | None]]:
        """Keys and sizes of what readers of committed records get."""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": topic, "enable.partition.eof": True})
        consumer.assign([Place(topic, partition, 0)])
        found = []
        while (message := consumer.poll(30)) is not None and not message.error():
            value = message.value()
            found.append(((message.key() or b"").decode(), None if value is None else len(value)))
        consumer.close()
        return found


@pytest.fixture
def bench(broker: Broker, prefix: str) -> Bench:
    return Bench(broker, prefix)


@pytest.mark.parametrize("transactions", [False, True], ids=["lease", "transactions"])
def test_records_larger_than_a_batch_keep_their_place(bench: Bench, transactions: bool) -> None:
    """Order within a partition holds across batches, and a record that no batch has room for goes alone."""
    sizes = [10, 20_000, LARGE, 10, 9_000, 9_000, 1]
    messages: list[Message] = [(bench.out, n % 2, str(n).encode(), b"x" * size) for n, size in enumerate(sizes)]

    async def send() -> int | None:
        producer = bench.producer()
        await producer.start()
        outbox = bench.transactional() if transactions else Idempotent(lambda: producer)
        states = [(bench.log, 1, str(n).encode(), b"x" * 9_000) for n in range(3)]
        try:
            return await bench.send(outbox, [*messages, (bench.out, 0, b"gone", None)], states)
        finally:
            await producer.stop()

    assert asyncio.run(send()) == 2
    assert bench.read(bench.out, 0) == [("0", 10), ("2", LARGE), ("4", 9_000), ("6", 1), ("gone", None)]
    assert bench.read(bench.out, 1) == [("1", 20_000), ("3", 10), ("5", 9_000)]
    assert bench.read(bench.log, 1) == [("0", 9_000), ("1", 9_000), ("2", 9_000)]


def test_a_transaction_carries_the_offset_of_its_source_and_the_epoch(bench: Bench) -> None:
    async def committed() -> list[tuple[int, str]]:
        await bench.send(bench.transactional(), [(bench.out, 0, b"k", b"v")])
        consumer = AIOKafkaConsumer(bootstrap_servers=bench.bootstrap, group_id=bench.group, enable_auto_commit=False)
        await consumer.start()
        try:
            while not (found := await consumer._coordinator.fetch_committed_offsets([TopicPartition(*bench.source)])):
                await asyncio.sleep(0.05)  # the coordinator of the group is told after that of the transaction
        finally:
            await consumer.stop()
        return [(place.offset, place.metadata) for place in found.values()]

    assert asyncio.run(asyncio.wait_for(committed(), 60)) == [(SOURCE_OFFSET, f"epoch of {bench.source[0]}")]


def test_who_held_the_partition_before_is_refused(bench: Bench) -> None:
    """DESIGN, "A worker that lost its partitions must not write": and nothing of what it had begun is read."""

    other = (bench.source[0], 1)

    async def fence() -> None:
        first, second = bench.transactional(), bench.transactional()
        await first.hold({bench.source, other})
        left_open = first._producers[other]
        await left_open.begin_transaction()
        await left_open.send_and_wait(bench.out, b"half", b"begun", partition=0)
        await second.hold({bench.source, other})
        await second.send(bench.source, [(bench.out, 0, b"second", b"v")], [], SOURCE_OFFSET)
        with pytest.raises(ProducerFenced):
            await left_open.commit_transaction()
        with pytest.raises(ProducerFenced):
            await first.send(bench.source, [(bench.out, 0, b"first", b"v")], [], SOURCE_OFFSET)
        await asyncio.gather(first.hold(frozenset()), second.hold(frozenset()))

    asyncio.run(asyncio.wait_for(fence(), 60))
    gc.collect()  # aiokafka's futures that nobody asked tell of it as they go: here, not in the middle of something else
    assert bench.read(bench.out, 0) == [("second", 1)]
