"""Topics on a broker: made as declared, checked against what was declared, each with its epoch."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, ResourceType

from pipelines import meta
from pipelines.meta import ClientConfig
from pipelines.topics import STATEFUL, TOPICS, changelog

_TIMEOUT_SECONDS = 30.0
_AGAIN_SECONDS = 0.1
_ZERO_ID = "AAAAAAAAAAAAAAAAAAAAAA"
"""How a topic id of zero reads: the broker gives none."""


@dataclass(frozen=True, slots=True)
class TopicState:
    """A declared topic as it stands on the broker. `problem` says what is wrong and what to do; None: it is as declared."""

    topic: str
    partitions: int
    policy: str
    ok: bool
    problem: str | None


@dataclass(frozen=True, slots=True)
class Layout:
    """How the topics of one deployment are made: all have the same number of partitions, so that tables follow their sources."""

    prefix: str
    partitions: int
    replication: int
    min_isr: int

    def declared(self) -> dict[str, dict[str, str]]:
        """Every topic by its full name, changelogs included, with its settings."""
        common = {"min.insync.replicas": str(self.min_isr)}
        topics = {self.prefix + t.name: t.config() | common for t in TOPICS}
        logs = {changelog(self.prefix, agent): {"cleanup.policy": "compact"} | common for agent in STATEFUL}
        return topics | logs


def create(config: ClientConfig, layout: Layout) -> list[TopicState]:
    """Make what is missing, and give each topic that is new an epoch; then check. Raises KafkaException where the broker refuses."""
    admin = AdminClient(dict(config))
    declared = layout.declared()
    missing = declared.keys() - admin.list_topics(timeout=_TIMEOUT_SECONDS).topics.keys()
    if missing:
        new = [NewTopic(name, layout.partitions, layout.replication, config=declared[name]) for name in sorted(missing)]
        for made in admin.create_topics(new, operation_timeout=_TIMEOUT_SECONDS).values():
            made.result(_TIMEOUT_SECONDS)
    # A crash between the two would leave topics without an epoch: those are named too.
    unnamed = {layout.prefix + name for name, epoch in _epochs_once_known(config, layout).items() if epoch == _ZERO_ID}
    meta.write(config, layout.prefix, {name: uuid.uuid4().hex for name in missing | unnamed})
    return check(config, layout)


def _epochs_once_known(config: ClientConfig, layout: Layout) -> dict[str, str]:
    """A broker at work may not know yet of a topic that it has just made."""
    until = time.monotonic() + _TIMEOUT_SECONDS
    while True:
        try:
            return epochs(config, layout)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART or time.monotonic() > until:
                raise
        time.sleep(_AGAIN_SECONDS)


def check(config: ClientConfig, layout: Layout) -> list[TopicState]:
    """Every declared topic as it stands. Raises KafkaException where the broker can't be reached."""
    admin = AdminClient(dict(config))
    declared = layout.declared()
    there = {name: len(topic.partitions) for name, topic in admin.list_topics(timeout=_TIMEOUT_SECONDS).topics.items()}
    asked = [ConfigResource(ResourceType.TOPIC, name) for name in declared if name in there]
    actual = {
        resource.name: {k: entry.value for k, entry in answer.result(_TIMEOUT_SECONDS).items()}
        for resource, answer in (admin.describe_configs(asked) if asked else {}).items()
    }
    return [_state(name, there.get(name, 0), wanted, actual.get(name, {}), layout) for name, wanted in declared.items()]


def _state(name: str, partitions: int, wanted: Mapping[str, str], actual: Mapping[str, str], layout: Layout) -> TopicState:
    problem = None
    if partitions == 0:
        problem = "does not exist: run `tidegate topics --create`"
    elif partitions != layout.partitions:
        problem = (
            f"has {partitions} partitions where TIDEGATE_PARTITIONS says {layout.partitions}: keys would be looked for in the wrong place; "
            "set TIDEGATE_PARTITIONS to what the topics were made with"
        )
    else:
        differs = next((k for k in ("cleanup.policy", "message.timestamp.type") if k in wanted and actual.get(k) != wanted[k]), None)
        if differs:
            problem = f"has {differs}={actual.get(differs)} where {wanted[differs]} is declared: alter the topic's configuration"
    return TopicState(name, partitions, wanted["cleanup.policy"], problem is None, problem)


def epochs(config: ClientConfig, layout: Layout) -> dict[str, str]:
    """Identity of each topic, changelogs included, by its name without prefix: the broker's topic id or, where it gives none, the one in
    its meta record.

    A topic made anew begins at offset 0 again; its new epoch keeps its records from being taken for old ones.
    """
    admin = AdminClient(dict(config))
    names = list(layout.declared())
    answers = admin.describe_topics(TopicCollection(names))
    ids = {name: str(answer.result(_TIMEOUT_SECONDS).topic_id) for name, answer in answers.items()}
    if any(i == _ZERO_ID for i in ids.values()):
        named = meta.read(config, layout.prefix, "scan-reader")
        ids = {name: named.get(name, i) if i == _ZERO_ID else i for name, i in ids.items()}
    return {name.removeprefix(layout.prefix): i for name, i in ids.items()}
