"""By hand on confluent-kafka: the state in a dict, a changelog record a learning and batch, offsets committed behind a flush."""

import signal
import time
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

from bench import job

BATCH = 2_000
COMMIT_SECONDS = 1.0


class Loop:
    """One process's share of the partitions."""

    def __init__(self, setting: job.Setting) -> None:
        self._setting = setting
        self._progress = job.Progress()
        self._outcomes, self._credits = setting.topic("outcomes"), setting.topic("credits")
        self._candidates, self._changelog = setting.topic("candidates"), setting.topic("changelog")
        self._states: dict[int, dict[bytes, bytes]] = {}
        self._done: dict[tuple[str, int], int] = {}
        self._stopping = False
        brokers = {"bootstrap.servers": setting.brokers}
        self._producer = Producer(
            {
                **brokers,
                "linger.ms": 5,
                "enable.idempotence": True,
                "partitioner": "murmur2_random",
                "queue.buffering.max.messages": 1_000_000,
            }
        )
        self._consumer = Consumer(
            {
                **brokers,
                "group.id": f"{setting.name}-hand",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 50,
            }
        )

    def run(self) -> None:
        """Work until TERM."""
        signal.signal(signal.SIGTERM, self._stop)
        self._consumer.subscribe([self._outcomes, self._credits], on_assign=self._assigned, on_revoke=self._revoked)
        due = time.monotonic() + COMMIT_SECONDS
        while not self._stopping:
            self._take(self._consumer.consume(BATCH, 0.02))
            if time.monotonic() > due:
                self._commit()
                due = time.monotonic() + COMMIT_SECONDS
        self._commit()
        self._consumer.close()

    def _take(self, messages: list[Any]) -> None:
        changed: dict[bytes, int] = {}
        counted = 0
        for message in messages:
            if message.error():
                continue
            topic, partition, value = message.topic(), message.partition(), message.value()
            if topic == self._credits:
                states, learning = self._states[partition], message.key()
                id_, flags, at = job.unpack_credit(value)
                before = states.get(learning)
                after, passes = job.count(before, id_, flags)
                counted += 1
                if after is not before:
                    states[learning] = after
                    changed[learning] = partition
                if passes:
                    self._send(self._candidates, key=learning, value=job.candidate(learning, after, at))
            else:
                for learning, credit in job.split(job.decode(value)):
                    self._send(self._credits, key=learning, value=credit)
            self._done[topic, partition] = message.offset() + 1
        for learning, partition in changed.items():
            self._send(self._changelog, key=learning, value=self._states[partition][learning], partition=partition)
        self._producer.poll(0)
        self._progress.counted += counted

    def _send(self, topic: str, **record: Any) -> None:
        while True:
            try:
                self._producer.produce(topic, **record)
                return
            except BufferError:
                self._producer.poll(0.1)

    def _commit(self) -> None:
        self._producer.flush()
        if self._done:
            offsets = [TopicPartition(topic, partition, offset) for (topic, partition), offset in self._done.items()]
            self._consumer.commit(offsets=offsets, asynchronous=False)
            self._done.clear()

    def _assigned(self, _: Any, partitions: list[TopicPartition]) -> None:
        for tp in partitions:
            if tp.topic == self._credits:
                self._states[tp.partition] = self._load(tp.partition)

    def _revoked(self, _: Any, partitions: list[TopicPartition]) -> None:
        self._commit()
        for tp in partitions:
            if tp.topic == self._credits:
                self._states.pop(tp.partition, None)

    def _load(self, partition: int) -> dict[bytes, bytes]:
        consumer = Consumer({"bootstrap.servers": self._setting.brokers, "group.id": "load", "enable.auto.commit": False})
        tp = TopicPartition(self._changelog, partition, OFFSET_BEGINNING)
        first, end = consumer.get_watermark_offsets(tp, timeout=10)
        states = {}
        if end > first:
            consumer.assign([tp])
            at = first
            while at < end:
                for message in consumer.consume(10_000, 0.5):
                    states[message.key()] = message.value()
                    at = message.offset() + 1
        consumer.close()
        return states

    def _stop(self, *_: object) -> None:
        self._stopping = True


if __name__ == "__main__":
    Loop(job.Setting()).run()
