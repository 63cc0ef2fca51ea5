"""The sink: a plain Kafka consumer of the clean topics that keeps ClickHouse up to date.

A commit is five steps, and a crash after any of them loses nothing:

1. poll, until there are 50,000 messages, 64 MB, a second has gone by, or everything that the topics hold was read;
2. insert (writer.py), receipts last: after a crash the batch is read and inserted again, which changes nothing;
3. send dead letters for what can't be taken, and wait until the broker has them: after a crash they are sent again with the same ids;
4. commit the offsets behind the batch: after a crash the next batch begins there;
5. forget the batch.

While ClickHouse is down the partitions are paused and the batch is tried again with growing waits; the consumer stays in its group and
reads nothing more, so memory is bounded.
"""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any

from clickhouse_connect.driver.client import Client
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka import Message as KafkaMessage

from schemas.codec import encode
from schemas.records import DeadLetter
from sinks.batch import Message, Refusal
from sinks.meaning import Model
from sinks.patience import Patience
from sinks.processors import processors
from sinks.writer import Unavailable, Writer

log = logging.getLogger(__name__)

BATCH_MESSAGES = 50_000
BATCH_BYTES = 64 * 1024 * 1024
BATCH_SECONDS = 1.0
CAUGHT_UP_SECONDS = 0.05
"""At the end of the topics a batch waits no longer: somebody may wait for it (`produce --wait`), and parts must not get too many."""
LONGEST_WAIT = 30.0
REST_SECONDS = 0.1
"""How long a broker that does not hold an empty fetch is left alone."""
STATISTICS_MS = 5_000
SESSION_MS = 10_000
"""How long the partitions of a sink that died wait for another one; heartbeats come from a thread of their own."""
SOCKET_MS = 10_000
"""How long a broker may take to answer: one that went away in the middle of a request is asked again after that, not after a minute."""
REPLAYABLE = timedelta(days=7)
"""How long a clean message that can't be taken stays where it is: the shortest retention of a topic that the sink reads."""

FOR_GOOD = (KafkaError._FATAL, KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED)
"""After these a consumer reads nothing more. A fatal error comes under a code of its own, and as itself does not call itself fatal."""

Place = tuple[str, int]  # topic with prefix, partition


def run(
    client: Client,
    consumer_config: Mapping[str, Any],
    producer_config: Mapping[str, Any],
    prefix: str,
    secret: bytes,
    model: Model | None,
    stop: Event,
) -> None:
    """Sink until `stop` is set. Raises KafkaException where the broker refuses the consumer for good."""
    Sink(client, consumer_config, producer_config, prefix, secret, model, stop).run()


class Sink:
    """One member of the group `<prefix>sink`, and the batch it is filling.

    The configurations are librdkafka's; the group and how it reads are set here. `secret` makes the refs of a pool's rows,
    `model` vectors of wordings. `has_part` is set once the group has given it partitions.
    """

    def __init__(
        self,
        client: Client,
        consumer_config: Mapping[str, Any],
        producer_config: Mapping[str, Any],
        prefix: str,
        secret: bytes,
        model: Model | None,
        stop: Event,
    ) -> None:
        self.has_part = Event()
        self._prefix = prefix
        self._stop = stop
        self._topics = processors(secret)
        self._writer = Writer(client, self._topics, model)
        self._patience = Patience()
        self._consumer = Consumer(
            {
                "queued.max.messages.kbytes": BATCH_BYTES // 1024,
                "session.timeout.ms": SESSION_MS,
                "socket.timeout.ms": SOCKET_MS,
                **consumer_config,
                "group.id": f"{prefix}sink",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
                "statistics.interval.ms": STATISTICS_MS,
                "stats_cb": self._patience.told,
            }
        )
        self._producer = Producer(dict(producer_config))
        self._batch: list[Message] = []
        self._bytes = 0
        self._began = 0.0
        self._positions: dict[Place, int] = {}  # read up to here, not committed yet
        self._committed: dict[Place, int] = {}
        self._at_end: set[Place] = set()
        self._assigned: set[Place] = set()

    def run(self) -> None:
        """Sink until `stop` is set. Raises KafkaException where the broker refuses it for good."""
        topics = [self._prefix + topic for topic in self._topics]
        self._consumer.subscribe(topics, on_assign=self._on_assign, on_revoke=self._on_revoke, on_lost=self._on_revoke)
        try:
            self._retry(self._writer.prepare)
            while not self._stop.is_set():
                self._poll()
                if self._due():
                    self._flush()
                elif self._patience.needed and not self._batch and self._at_end >= self._assigned:
                    self._rest()
        finally:
            self._consumer.close()
            self._producer.close()

    def _poll(self) -> None:
        first = self._consumer.poll(0.02 if self._batch else 0.2)
        if first is None:
            return
        for message in (first, *self._consumer.consume(BATCH_MESSAGES - len(self._batch) or 1, 0)):
            self._take(message)

    def _rest(self) -> None:
        """Ask the broker for nothing for a while; then its partitions' ends are told anew."""
        self._at_end.clear()
        self._consumer.pause(self._consumer.assignment())
        message = self._consumer.poll(REST_SECONDS)
        self._consumer.resume(self._consumer.assignment())
        if message is not None:
            self._take(message)

    def _take(self, message: KafkaMessage) -> None:
        error = message.error()
        topic, partition, offset = message.topic(), message.partition(), message.offset()
        if error is not None and error.code() != KafkaError._PARTITION_EOF:
            if error.fatal() or error.code() in FOR_GOOD:
                raise KafkaException(error)
            log.warning("%s", error.str())
            return
        assert topic is not None and partition is not None and offset is not None
        place = (topic, partition)
        if error is not None:  # the end of a partition; markers of transactions may stand between the last message and here
            self._at_end.add(place)
            if self._committed.get(place) != offset:
                self._positions[place] = offset
            return
        self._patience.read()
        if not self._batch:
            self._began = time.monotonic()
        value = message.value()
        self._batch.append(Message(topic.removeprefix(self._prefix), partition, offset, message.timestamp()[1], value))
        self._bytes += len(value or b"")
        self._at_end.discard(place)
        self._positions[place] = offset + 1

    def _due(self) -> bool:
        """Whether it is time for steps 2 to 5."""
        if not self._batch:
            return bool(self._positions) and self._at_end >= self._assigned
        age = time.monotonic() - self._began
        if len(self._batch) >= BATCH_MESSAGES or self._bytes >= BATCH_BYTES or age >= BATCH_SECONDS:
            return True
        return age >= CAUGHT_UP_SECONDS and self._at_end >= self._assigned

    def _flush(self) -> None:
        batch = self._batch
        refusals: list[Refusal] = []
        if batch and not self._retry(lambda: refusals.extend(self._writer.write(batch))):
            return
        self._dead_letter(refusals)
        self._commit()
        self._batch = self._batch[len(batch) :]  # what a rebalance brought while ClickHouse was down stays
        self._bytes = sum(len(m.value or b"") for m in self._batch)

    def _retry(self, act: Callable[[], object]) -> bool:
        """Do it, waiting longer each time that ClickHouse is not there. False: told to stop before it was done."""
        wait = 0.1
        while True:
            try:
                act()
            except Unavailable as error:
                log.warning("ClickHouse does not take a batch, next try in %.1f s: %s", wait, error)
            else:
                self._consumer.resume(self._consumer.assignment())
                return True
            until = time.monotonic() + wait
            while time.monotonic() < until:
                if self._stop.is_set():
                    return False
                self._consumer.pause(self._consumer.assignment())
                message = self._consumer.poll(0.1)  # answers the group; a partition that was just assigned may have one ready
                if message is not None:
                    self._take(message)
            wait = min(2 * wait, LONGEST_WAIT)

    def _dead_letter(self, refusals: list[Refusal]) -> None:
        letters = [r for r in refusals if r.message.topic != "dead-letters"]  # a dead letter that can't be taken would come round for ever
        for refusal in letters:
            message, problem = refusal.message, refusal.problem
            log.warning("%s:%d:%d can't be taken: %s", message.topic, message.partition, message.offset, problem.code)
            at = datetime.fromtimestamp(message.at / 1000, UTC)
            letter = DeadLetter(
                id=f"{message.topic}:{message.partition}:{message.offset}",
                topic=message.topic,
                epoch="",
                partition=message.partition,
                offset=message.offset,
                part="message",
                reason=problem.code,
                field=problem.field,
                at=at,
                replayable_until=at + REPLAYABLE,
            )
            self._producer.produce(f"{self._prefix}dead-letters", key=message.topic.encode(), value=encode(letter), on_delivery=_delivered)
        if letters:
            self._producer.flush()

    def _commit(self) -> None:
        offsets = [TopicPartition(topic, partition, offset) for (topic, partition), offset in self._positions.items()]
        try:
            if offsets:
                self._consumer.commit(offsets=offsets, asynchronous=False)
                self._committed |= self._positions
        except KafkaException as error:  # another member has the partitions now, or the broker is away: what is not committed is read again
            log.warning("offsets were not committed: %s", error)
        self._positions.clear()

    def _on_assign(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        self._assigned |= {(p.topic, p.partition) for p in partitions}
        self.has_part.set()

    def _on_revoke(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        gone = {(p.topic, p.partition) for p in partitions}
        self._assigned -= gone
        self._at_end -= gone
        self._batch = [m for m in self._batch if (self._prefix + m.topic, m.partition) not in gone]
        for place in gone:
            self._positions.pop(place, None)
            self._committed.pop(place, None)


def _delivered(error: KafkaError | None, _: KafkaMessage) -> None:
    if error is not None:
        raise KafkaException(error)
