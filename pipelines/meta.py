"""The topic `meta`: what a deployment has to remember about itself, by key; the newest record of a key counts."""

from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from schemas.partition import murmur2, partition_of

ClientConfig = Mapping[str, Any]
"""librdkafka's settings."""
_TIMEOUT_SECONDS = 30.0


def read(config: ClientConfig, prefix: str) -> dict[str, str]:
    """Everything that it remembers. Raises KafkaException where the broker does not answer, or the topic is not there."""
    consumer = Consumer(dict(config) | {"group.id": "none", "enable.auto.commit": False, "enable.partition.eof": True})
    try:
        open_ = set(range(_partitions(consumer, prefix)))
        consumer.assign([TopicPartition(_topic(prefix), p, 0) for p in open_])
        found: dict[str, str] = {}
        while open_:
            message = consumer.poll(_TIMEOUT_SECONDS)
            if message is None:
                raise KafkaException(f"{_topic(prefix)} could not be read to its end within {_TIMEOUT_SECONDS:.0f} s")
            if message.error():
                open_.discard(message.partition())
                continue
            key, value = message.key(), message.value()
            if key and value:
                found[key.decode()] = value.decode()
        return found
    finally:
        consumer.close()


def write(config: ClientConfig, prefix: str, records: Mapping[str, str]) -> None:
    """Remember something more. Raises KafkaException where the broker does not take it."""
    if not records:
        return
    failed: list[str] = []
    producer = Producer(dict(config) | {"enable.idempotence": True})
    partitions = _partitions(producer, prefix)
    for key, value in sorted(records.items()):
        producer.produce(
            _topic(prefix),
            value.encode(),
            key.encode(),
            partition=partition_of(murmur2(key.encode()), partitions),
            on_delivery=lambda error, _: failed.append(error.str()) if error else None,
        )
    if producer.flush(_TIMEOUT_SECONDS):
        failed.append(f"no answer within {_TIMEOUT_SECONDS:.0f} s")
    if failed:
        raise KafkaException(f"the broker did not take a record of {_topic(prefix)}: {failed[0]}")


def _topic(prefix: str) -> str:
    return prefix + "meta"


def _partitions(client: Consumer | Producer, prefix: str) -> int:
    """As many as there are, whatever the settings say: whoever has other settings must be able to read why they are wrong."""
    there = client.list_topics(_topic(prefix), timeout=_TIMEOUT_SECONDS).topics[_topic(prefix)]
    if there.error is not None or not there.partitions:
        raise KafkaException(f"topic {_topic(prefix)} does not exist; `tidegate topics --create` makes the topics")
    return len(there.partitions)
