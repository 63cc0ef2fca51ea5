"""Requests that the sink has still to read: a process that starts reads them itself (see idempotency.py)."""

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from pipelines.meta import ClientConfig
from pipelines.offsets import Offsets
from schemas.codec import decode_as
from schemas.problem import Problem
from schemas.records import Request

TOPIC = "requests"
_READ_SECONDS = 30.0
_BATCH = 1000


def unread(config: ClientConfig, prefix: str) -> list[Request]:
    """What stands on the topic behind the sink. Raises KafkaException where the broker does not answer."""
    offsets = Offsets(config, prefix)
    starts, ends = offsets.starts([TOPIC]), offsets.ends([TOPIC])
    done = offsets.committed("sink", ends)
    begin = {place: max(start, done.get(place, start)) for place, start in starts.items()}
    left = {place for place, end in ends.items() if begin[place] < end}
    if not left:
        return []
    consumer = Consumer(
        {
            **config,
            "group.id": f"{prefix}api-reader",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "error",
        }
    )
    found: list[Request] = []
    try:
        consumer.assign([TopicPartition(prefix + topic, partition, begin[topic, partition]) for topic, partition in left])
        while left:
            first = consumer.poll(_READ_SECONDS)
            if first is None:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
            for message in (first, *consumer.consume(_BATCH, 0)):
                error, partition = message.error(), message.partition()
                if error is not None and error.code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(error)
                if error is not None:
                    assert partition is not None
                    left.discard((TOPIC, partition))
                elif not isinstance(request := decode_as(Request, message.value()), Problem):
                    found.append(request)
    finally:
        consumer.close()
    return found
