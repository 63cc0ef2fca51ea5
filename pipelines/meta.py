"""The topic `meta`: what a deployment has to remember about itself, by key; the newest record of a key counts."""

from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient

from pipelines.reading import to_the_end
from schemas.partition import murmur2, partition_of

ClientConfig = Mapping[str, Any]
"""librdkafka's settings."""
_TIMEOUT_SECONDS = 30.0


def read(config: ClientConfig, prefix: str, group: str) -> dict[str, str]:
    """Everything that it remembers. Raises KafkaException where the broker does not answer, or the topic is not there.

    `group`, without prefix: one that the client's user may use.
    """
    found: dict[str, str] = {}
    for message in to_the_end(config, _topic(prefix), list(range(_partitions(config, prefix))), prefix + group):
        key, value = message.key(), message.value()
        if key and value:
            found[key.decode()] = value.decode()
    return found


def write(config: ClientConfig, prefix: str, records: Mapping[str, str]) -> None:
    """Remember something more. Raises KafkaException where the broker does not take it."""
    if not records:
        return
    failed: list[str] = []
    producer = Producer(dict(config) | {"enable.idempotence": True})
    partitions = _partitions(config, prefix)
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


def _partitions(config: ClientConfig, prefix: str) -> int:
    """As many as there are, whatever the settings say: whoever has other settings must be able to read why they are wrong."""
    there = AdminClient(dict(config)).list_topics(timeout=_TIMEOUT_SECONDS).topics.get(_topic(prefix))
    if there is None:
        raise KafkaException(f"topic {_topic(prefix)} does not exist; `tidegate topics --create` makes the topics")
    return len(there.partitions)
