"""A topic read from its beginning to where it ends now, outside of any group."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

_SILENCE_SECONDS = 30.0


def to_the_end(config: Mapping[str, Any], topic: str, partitions: Iterable[int] | Mapping[int, int], group: str) -> Iterator[Message]:
    """Every record of some partitions of a topic (its full name), each partition in order. Raises KafkaException.

    `partitions` may say from which offset on each is read. `group` is joined by nobody; a client has to name one that its user may use, for
    it asks who coordinates it.
    """
    own = {"group.id": group, "enable.auto.commit": False, "enable.partition.eof": True, "isolation.level": "read_committed"}
    consumer = Consumer(dict(config) | own)
    try:
        since = partitions if isinstance(partitions, Mapping) else {}
        consumer.assign([TopicPartition(topic, p, since.get(p) or OFFSET_BEGINNING) for p in partitions])
        open_ = set(partitions)
        while open_:
            message = consumer.poll(_SILENCE_SECONDS)
            if message is None:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"{topic} could not be read to its end"))
            error = message.error()
            if error is None:
                yield message
            elif error.code() == KafkaError._PARTITION_EOF:
                open_.discard(message.partition() or 0)
            else:
                raise KafkaException(error)
    finally:
        consumer.close()
