"""Every topic, declared once: record key, what it is partitioned by, how long it keeps what it holds."""

from dataclasses import dataclass
from typing import Literal

DAY_MS = 24 * 3600 * 1000
RUN_BYTES = 32 * 1024 * 1024
"""Largest run before compression (DESIGN.md, "The forms on the wire")."""
MESSAGE_BYTES = 8 * 1024 * 1024
"""Largest message on a topic that carries whole runs, as compressed on the wire."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic without its prefix. `retention_ms` None: kept for ever."""

    name: str
    key: str
    partitioned_by: str
    policy: Literal["delete", "compact"]
    retention_ms: int | None = None
    side: Literal["raw", "clean"] = "clean"
    large: bool = False

    def config(self) -> dict[str, str]:
        """Topic settings as Kafka names them."""
        out = {"message.timestamp.type": "LogAppendTime", "cleanup.policy": self.policy}
        if self.policy == "delete":
            out["retention.ms"] = str(self.retention_ms if self.retention_ms is not None else -1)
        if self.large:
            out["max.message.bytes"] = str(MESSAGE_BYTES)
        return out


TOPICS: tuple[Topic, ...] = (
    Topic("runs", "org/agent", "producer's choice", "delete", 7 * DAY_MS, "raw", large=True),
    Topic("outcomes", "org/agent", "producer's choice", "delete", 7 * DAY_MS, "raw"),
    Topic("writes", "org/agent", "producer's choice", "delete", 7 * DAY_MS, "raw"),
    Topic("principals", "org/principal", "org/principal", "compact"),
    Topic("identities", "org/principal", "org/principal", "compact"),
    Topic("learnings", "learning or outcome id", "org/agent", "delete", 30 * DAY_MS, large=True),
    Topic("entries", "learning id/version", "org/agent", "compact"),
    Topic("counters", "learning id", "org/agent", "compact"),
    Topic("candidates", "shared or learning id", "org/space", "delete", 30 * DAY_MS),
    Topic("shared", "shared id/version", "org/space", "compact"),
    Topic("pool-members", "shared id/agent", "org/space", "compact"),
    Topic("recalls", "org/agent", "org/agent", "delete", 30 * DAY_MS),
    Topic("reviews", "org/subject", "producer's choice", "delete", 30 * DAY_MS),
    Topic("claim-writes", "org/agent", "producer's choice", "delete", 7 * DAY_MS, "raw"),
    Topic("erasures", "org/requested by", "producer's choice", "delete", 7 * DAY_MS, "raw"),
    Topic("erased", "org/receipt id/partition", "org", "compact"),
    Topic("findings", "run or learning id", "org/agent", "delete", 90 * DAY_MS),
    Topic("receipts", "receipt id", "org/agent", "delete", 7 * DAY_MS),
    Topic("requests", "org/request", "org/request", "delete", 7 * DAY_MS),
    Topic("decisions", "org", "org", "delete", 30 * DAY_MS),
    Topic("journal", "org/sequence", "org", "delete"),
    Topic("journal-texts", "org/sequence/name", "org", "compact"),
    Topic("journal-seals", "org/chain, key id or entry", "org", "compact"),
    Topic("episodes", "org/agent/id", "org/agent", "compact", large=True),
    Topic("claims", "org/agent/id", "org/agent", "compact"),
    Topic("dead-letters", "source topic", "source topic", "delete", 30 * DAY_MS),
    Topic("schemas", "fingerprint", "fingerprint", "compact"),
    Topic("meta", "topic", "topic", "compact"),
)

STATEFUL: dict[str, str] = {"aggregate": "learnings", "promote": "candidates", "journal": "decisions"}
"""Agents that keep a table, and the topic whose partitions it follows."""


def changelog(prefix: str, agent: str) -> str:
    """Full name of an agent's changelog, as Faust makes it: app id, table, "changelog"."""
    return f"{prefix}{agent}-state-changelog"
