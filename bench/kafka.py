"""What the benchmark asks of a broker: topics made and removed, groups looked at, outcomes sent, what came out read."""

import time
from collections.abc import Iterable, Iterator
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, ConsumerGroupState, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from bench import job

_TIMEOUT_SECONDS = 20.0
_ANSWER_SECONDS = 3.0


class Kafka:
    """One broker."""

    def __init__(self, brokers: str) -> None:
        self.brokers = brokers
        self._admin = AdminClient({"bootstrap.servers": brokers})

    def create(self, names: Iterable[str]) -> None:
        """Make topics; those of states are compact."""
        new = [
            NewTopic(
                name, job.PARTITIONS, 1, config={"cleanup.policy": "compact"} if name.endswith("changelog") else {"retention.ms": "-1"}
            )
            for name in names
        ]
        for made in self._admin.create_topics(new, operation_timeout=_TIMEOUT_SECONDS).values():
            made.result(_TIMEOUT_SECONDS)

    def topics(self, prefix: str) -> list[str]:
        """Topics whose names begin so."""
        return sorted(name for name in self._admin.list_topics(timeout=_TIMEOUT_SECONDS).topics if name.startswith(prefix))

    def remove(self, prefix: str) -> None:
        """Remove a run's topics."""
        if names := self.topics(prefix):
            for gone in self._admin.delete_topics(names, operation_timeout=_TIMEOUT_SECONDS).values():
                gone.exception(_TIMEOUT_SECONDS)

    def settled(self, groups: Iterable[str], members: int) -> bool:
        """Whether each group is stable with so many members."""
        names = list(groups)
        if not names:
            return True
        try:
            told = [
                f.result(_ANSWER_SECONDS) for f in self._admin.describe_consumer_groups(names, request_timeout=_ANSWER_SECONDS).values()
            ]
        except (KafkaException, TimeoutError):  # the coordinator may not be there yet
            return False
        return all(group.state == ConsumerGroupState.STABLE and len(group.members) >= members for group in told)

    def producer(self, **settings: Any) -> Producer:
        """A producer that places records as every client does."""
        return Producer({"bootstrap.servers": self.brokers, "partitioner": "murmur2_random", "enable.idempotence": True, **settings})

    def fill(self, topic: str, messages: Iterable[tuple[bytes, bytes]]) -> None:
        """Send messages, in order, as fast as it goes."""
        producer = self.producer(**{"linger.ms": 20, "queue.buffering.max.messages": 1_000_000})
        for key, value in messages:
            producer.produce(topic, value, key=key)
        if producer.flush(60):
            raise TimeoutError(f"the broker did not take what was sent to {topic}")

    def reader(self, topic: str, **settings: Any) -> Consumer:
        """A consumer of a whole topic from its beginning, of what is committed."""
        config = {"bootstrap.servers": self.brokers, "group.id": "bench-reader", "enable.auto.commit": False, **settings}
        consumer = Consumer({**config, "isolation.level": "read_committed", "enable.partition.eof": True})
        consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in range(job.PARTITIONS)])
        return consumer

    def read(self, topic: str) -> Iterator[tuple[bytes, bytes | None]]:
        """Key and value of every record of a topic, in order in each partition."""
        consumer = self.reader(topic)
        left, end = set(range(job.PARTITIONS)), time.monotonic() + 60
        while left and time.monotonic() < end:
            for message in consumer.consume(10_000, 1.0):
                if message.error():
                    left.discard(message.partition())
                else:
                    yield message.key() or b"", message.value()
        consumer.close()
