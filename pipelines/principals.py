"""Who there is, as the topic of principals says it."""

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

from pipelines.admin import ClientConfig
from pipelines.offsets import Offsets
from schemas import codec
from schemas.problem import Problem
from schemas.records import Principal

_TOPIC = "principals"
_SECONDS = 30.0


def known(client_config: ClientConfig, offsets: Offsets, prefix: str) -> list[Principal]:
    """The newest record of each principal, by organisation and name. Raises KafkaException."""
    found: dict[tuple[str, str], Principal] = {}
    unread = {p for p, end in offsets.ends([_TOPIC]).items() if end > 0}
    consumer = Consumer(dict(client_config) | {"group.id": "none", "enable.auto.commit": False, "enable.partition.eof": True})
    try:
        consumer.assign([TopicPartition(prefix + topic, partition, OFFSET_BEGINNING) for topic, partition in unread])
        while unread:
            message = consumer.poll(_SECONDS)
            if message is None:
                raise KafkaException(f"{prefix + _TOPIC} could not be read to its end within {_SECONDS:.0f} s")
            if error := message.error():
                if error.code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(error)
                unread.discard((_TOPIC, message.partition()))
                continue
            record = codec.decode_as(Principal, message.value())
            if not isinstance(record, Problem):
                found[record.org, record.principal] = record
    finally:
        consumer.close()
    return [found[name] for name in sorted(found)]
