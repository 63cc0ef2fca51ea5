"""Dead letters sent again: the raw bytes that a dead letter points at, as a new record of the same topic."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from pipelines.meta import ClientConfig
from pipelines.offsets import Offsets
from schemas import codec
from schemas.partition import log_hash, partition_of
from schemas.records import DeadLetter

_SECONDS = 30.0
_AT_AN_OFFSET = {"group.id": "none", "enable.auto.commit": False, "enable.partition.eof": True, "auto.offset.reset": "error"}


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where a dead-lettered message stands. `epoch`: identity that its topic had then; empty where it was not noted."""

    topic: str
    epoch: str
    partition: int
    offset: int

    @property
    def id(self) -> str:
        """Id of the dead letter, and receipt id of the message."""
        return f"{self.topic}:{self.partition}:{self.offset}"


@dataclass(frozen=True, slots=True)
class Replay:
    """What became of one replay: the receipt id of the new record, or why the message can't be sent again."""

    id: str
    receipt: str | None
    problem: str | None


def replay(
    pointers: Iterable[Pointer],
    client_config: ClientConfig,
    producer: Producer,
    offsets: Offsets,
    prefix: str,
    epochs: Mapping[str, str],
) -> Iterator[Replay]:
    """Send each message again, with its key and headers, once the broker has the one before. Raises KafkaException."""
    wanted = sorted(set(pointers), key=lambda p: (p.topic, p.partition, p.offset))
    starts = offsets.starts({p.topic for p in wanted if p.topic in epochs})
    consumer = Consumer(dict(client_config) | _AT_AN_OFFSET)
    try:
        for pointer in wanted:
            problem = _gone(pointer, starts, epochs)
            message = None if problem else _read(consumer, prefix, pointer)
            if message is None:
                yield Replay(pointer.id, None, problem or "its message is no longer there")
            else:
                yield Replay(pointer.id, _send(producer, pointer, message), None)
    finally:
        consumer.close()


def mark(letters: Iterable[DeadLetter], receipt: str, producer: Producer, prefix: str, partitions: int) -> None:
    """Say of dead letters as what their message was sent again: the newest record of a dead letter counts. Raises KafkaException."""
    failed: list[KafkaError] = []
    for letter in letters:
        producer.produce(
            f"{prefix}dead-letters",
            codec.encode(replace(letter, replayed_as=receipt)),
            letter.topic.encode(),
            partition_of(log_hash(letter.topic), partitions),
            on_delivery=lambda error, _: failed.append(error) if error else None,
        )
    producer.flush()
    if failed:
        raise KafkaException(failed[0])


def _gone(pointer: Pointer, starts: Mapping[tuple[str, int], int], epochs: Mapping[str, str]) -> str | None:
    if pointer.topic not in epochs or (pointer.topic, pointer.partition) not in starts:
        return "its topic is no longer there"
    if pointer.epoch and pointer.epoch != epochs[pointer.topic]:
        return "its topic was made anew since: what stands there now is another message"
    if pointer.offset < starts[pointer.topic, pointer.partition]:
        return "its message is gone: the topic no longer keeps it"
    return None


def _read(consumer: Consumer, prefix: str, pointer: Pointer) -> Message | None:
    """The message at exactly that offset, if there still is one."""
    place = TopicPartition(prefix + pointer.topic, pointer.partition, pointer.offset)
    consumer.assign([place])
    message = consumer.poll(_SECONDS)
    if message is None:
        raise KafkaException(f"{pointer.id} could not be read within {_SECONDS:.0f} s")
    if error := message.error():
        if error.code() in (KafkaError._PARTITION_EOF, KafkaError.OFFSET_OUT_OF_RANGE, KafkaError._AUTO_OFFSET_RESET):
            return None
        raise KafkaException(error)
    return message if message.offset() == pointer.offset else None


def _send(producer: Producer, pointer: Pointer, message: Message) -> str:
    """Receipt id of the new record. It goes to the same partition: only raw topics are partitioned by their key."""
    done: list[tuple[KafkaError | None, Message]] = []
    producer.produce(
        message.topic() or "",
        message.value(),
        message.key(),
        pointer.partition,
        headers=message.headers() or [],
        on_delivery=lambda error, sent: done.append((error, sent)),
    )
    producer.flush()
    error, sent = done[0]
    if error is not None:
        raise KafkaException(error)
    return f"{pointer.topic}:{sent.partition()}:{sent.offset()}"
