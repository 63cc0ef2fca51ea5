"""Say on a cluster who may do what with which topic: raw and internal topics have users of their own (DESIGN, "Identity").

Run by the `topics` service of docker-compose.yml, as an administrator, with the settings of `tidegate`; run again it changes nothing.
"""

import os
from collections.abc import Iterator

from confluent_kafka.admin import AclBinding, AclOperation, AclPermissionType, AdminClient, ResourcePatternType, ResourceType

from pipelines.kafka import client_config
from pipelines.settings import load
from pipelines.topics import TOPICS

READ, WRITE, BOTH = (AclOperation.READ,), (AclOperation.WRITE,), (AclOperation.READ, AclOperation.WRITE)
SEE = (AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS)
RAW = tuple(t.name for t in TOPICS if t.side == "raw")
CLEAN = tuple(t.name for t in TOPICS if t.side == "clean")
WORKER_AGENTS = ("scan", "aggregate", "promote")

TOPIC_RIGHTS: dict[str, dict[tuple[str, ...], tuple[AclOperation, ...]]] = {
    # A runtime sends, and reads nothing.
    "runtime": {RAW: WRITE},
    # The one service that reads the raw side; it writes none of it.
    "worker": {RAW: READ, tuple(n for n in CLEAN if not n.startswith("journal")): BOTH},
    "journal": {("decisions", "meta"): READ, ("journal", "journal-texts", "dead-letters"): WRITE, ("journal-seals",): BOTH},
    # It sends what it was sent, and what it has shown; by `requests` it knows what was sent to it twice.
    "api": {(*RAW, "recalls", "reviews"): WRITE, ("meta",): READ, ("requests",): BOTH},
    "sink": {CLEAN: READ, ("dead-letters",): WRITE},
}
OWN_NAMES: dict[str, tuple[str, ...]] = {"worker": WORKER_AGENTS, "journal": ("journal",), "sink": ("sink",), "api": ("api",)}
"""What the names of a user's groups, changelogs and transactions begin with, after the prefix."""


def bindings(prefix: str) -> Iterator[AclBinding]:
    """Every right that somebody has. Services see of every topic that it is there and how it is made: they check it as they start."""
    for user, rights in TOPIC_RIGHTS.items():
        for names, operations in rights.items():
            for name in names:
                for operation in operations:
                    yield _allow(user, ResourceType.TOPIC, prefix + name, ResourcePatternType.LITERAL, operation)
    # How far the sink has come: what it has not read, the interface reads itself.
    yield _allow("api", ResourceType.GROUP, prefix + "sink", ResourcePatternType.LITERAL, AclOperation.DESCRIBE)
    for user, owned in OWN_NAMES.items():
        for operation in SEE:
            yield _allow(user, ResourceType.TOPIC, prefix, ResourcePatternType.PREFIXED, operation)
        for name in owned:
            yield _allow(user, ResourceType.GROUP, prefix + name, ResourcePatternType.PREFIXED, AclOperation.READ)
            yield _allow(user, ResourceType.TRANSACTIONAL_ID, prefix + name, ResourcePatternType.PREFIXED, AclOperation.WRITE)
            for operation in BOTH:
                yield _allow(user, ResourceType.TOPIC, f"{prefix}{name}-", ResourcePatternType.PREFIXED, operation)


def _allow(user: str, kind: ResourceType, name: str, pattern: ResourcePatternType, operation: AclOperation) -> AclBinding:
    return AclBinding(kind, name, pattern, f"User:{user}", "*", operation, AclPermissionType.ALLOW)


def main() -> None:
    """Ask the brokers for every right. Raises KafkaException where they refuse one."""
    settings = load(os.environ)
    assert settings.brokers is not None
    admin = AdminClient(client_config(settings, settings.brokers))
    for asked in admin.create_acls(list(bindings(settings.prefix))).values():
        asked.result(30)


if __name__ == "__main__":
    main()
