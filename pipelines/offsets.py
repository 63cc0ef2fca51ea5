"""Where the topics end and how far the consumer groups have come."""

import time
from collections.abc import Iterable

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from pipelines.meta import ClientConfig

Partition = tuple[str, int]
"""A topic, without prefix, and a partition of it."""
_TIMEOUT_SECONDS = 30.0


class Offsets:
    """Offsets of one deployment's topics and groups. Every call asks the broker, and raises KafkaException where it has no answer."""

    def __init__(self, client_config: ClientConfig, prefix: str) -> None:
        self._admin = AdminClient(dict(client_config))
        self._prefix = prefix

    def ends(self, topics: Iterable[str]) -> dict[Partition, int]:
        """Offset that the next record of each partition will have."""
        return self._listed(topics, OffsetSpec.latest())  # type: ignore[no-untyped-call]

    def starts(self, topics: Iterable[str]) -> dict[Partition, int]:
        """Offset of the oldest record that each partition still has."""
        return self._listed(topics, OffsetSpec.earliest())  # type: ignore[no-untyped-call]

    def committed(self, group: str) -> dict[Partition, int]:
        """Offset that a group (without prefix) will read next, of each partition where it has committed one."""
        until = time.monotonic() + _TIMEOUT_SECONDS
        while True:
            asked = self._admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(self._prefix + group)])
            (answer,) = asked.values()
            found = answer.result(_TIMEOUT_SECONDS).topic_partitions
            failed = next((tp.error for tp in found if tp.error is not None), None)
            if failed is None:
                return {(tp.topic.removeprefix(self._prefix), tp.partition): tp.offset for tp in found if tp.offset >= 0}
            if not failed.retriable() or time.monotonic() > until:
                raise KafkaException(failed)
            time.sleep(0.1)  # the group's coordinator is moving

    def _listed(self, topics: Iterable[str], which: OffsetSpec) -> dict[Partition, int]:
        there = self._admin.list_topics(timeout=_TIMEOUT_SECONDS).topics
        wanted = [self._prefix + topic for topic in topics]
        if missing := [name for name in wanted if name not in there]:
            raise KafkaException(f"topic {missing[0]} does not exist; `tidegate topics --create` makes the topics")
        asked = {TopicPartition(name, p): which for name in wanted for p in there[name].partitions}
        answers = self._admin.list_offsets(asked, request_timeout=_TIMEOUT_SECONDS) if asked else {}
        return {(tp.topic.removeprefix(self._prefix), tp.partition): answer.result().offset for tp, answer in answers.items()}
