"""Where the topics end and how far the consumer groups have come."""

import time
from collections.abc import Iterable

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from pipelines.meta import ClientConfig

Partition = tuple[str, int]
"""A topic, without prefix, and a partition of it."""
_TIMEOUT_SECONDS = 30.0
_MOVING = (KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_NOT_AVAILABLE, KafkaError.COORDINATOR_LOAD_IN_PROGRESS)

_LEADERLESS = (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE, KafkaError.UNKNOWN_TOPIC_OR_PART)


class Offsets:
    """Offsets of one deployment's topics and groups. Every call asks the broker, and raises KafkaException where it has no answer."""

    def __init__(self, client_config: ClientConfig, prefix: str) -> None:
        self._config, self._prefix = dict(client_config), prefix
        self._admin = AdminClient(self._config)
        self._onlookers: dict[str, Consumer] = {}

    def ends(self, topics: Iterable[str]) -> dict[Partition, int]:
        """Offset that the next record of each partition will have."""
        return self._listed(topics, OffsetSpec.latest())  # type: ignore[no-untyped-call]

    def starts(self, topics: Iterable[str]) -> dict[Partition, int]:
        """Offset of the oldest record that each partition still has."""
        return self._listed(topics, OffsetSpec.earliest())  # type: ignore[no-untyped-call]

    def committed(self, group: str, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Offset that a group (without prefix) will read next, of each of some partitions where it has committed one."""
        places = [TopicPartition(self._prefix + topic, partition) for topic, partition in partitions]
        until = time.monotonic() + _TIMEOUT_SECONDS
        while True:
            try:
                found = self._onlooker(group).committed(places, timeout=_TIMEOUT_SECONDS)
                if failed := next((tp.error for tp in found if tp.error is not None), None):
                    raise KafkaException(failed)
            except KafkaException as error:
                if error.args[0].code() not in _MOVING or time.monotonic() > until:
                    raise
                time.sleep(0.1)  # the group's coordinator is moving
            else:
                return {(tp.topic.removeprefix(self._prefix), tp.partition): tp.offset for tp in found if tp.offset >= 0}

    def _onlooker(self, group: str) -> Consumer:
        """A consumer that never joins its group. An admin client can be asked as well, but where the coordinator is moving
        the process dies of it (librdkafka 2.16, list_consumer_group_offsets: https://github.com/confluentinc/librdkafka/issues/5040)."""
        if group not in self._onlookers:
            self._onlookers[group] = Consumer({**self._config, "group.id": self._prefix + group, "enable.auto.commit": False})
        return self._onlookers[group]

    def members(self, groups: Iterable[str]) -> dict[str, int]:
        """How many processes are in each group (without prefix) now; one that was killed is until its session is over."""
        answers = self._admin.describe_consumer_groups([self._prefix + group for group in groups])
        return {name.removeprefix(self._prefix): len(answer.result(_TIMEOUT_SECONDS).members) for name, answer in answers.items()}

    def _listed(self, topics: Iterable[str], which: OffsetSpec) -> dict[Partition, int]:
        names, until = list(topics), time.monotonic() + _TIMEOUT_SECONDS
        while True:
            try:
                return self._asked(names, which)
            except KafkaException as error:
                code = error.args[0].code() if isinstance(error.args[0], KafkaError) else None
                if code not in _LEADERLESS or time.monotonic() > until:
                    raise
                time.sleep(0.1)  # topics that were just made, or whose broker went, have no leader for a moment

    def _asked(self, topics: Iterable[str], which: OffsetSpec) -> dict[Partition, int]:
        there = self._admin.list_topics(timeout=_TIMEOUT_SECONDS).topics
        wanted = [self._prefix + topic for topic in topics]
        if missing := [name for name in wanted if name not in there]:
            raise KafkaException(f"topic {missing[0]} does not exist; `tidegate topics --create` makes the topics")
        asked = {TopicPartition(name, p): which for name in wanted for p in there[name].partitions}
        answers = self._admin.list_offsets(asked, request_timeout=_TIMEOUT_SECONDS) if asked else {}
        return {(tp.topic.removeprefix(self._prefix), tp.partition): answer.result().offset for tp, answer in answers.items()}
