"""What stands on the topic journal-seals: public keys, checkpoints, countersignatures; all that proves a journal but its entries."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from pipelines.admin import Layout
from pipelines.meta import ClientConfig
from pipelines.reading import to_the_end
from schemas.codec import decode, encode
from schemas.partition import log_hash, partition_of
from schemas.records import JournalCheckpoint, JournalCountersignature, JournalKey

TOPIC = "journal-seals"
ChainName = tuple[str, str]
"""Organisation and chain."""


@dataclass(slots=True)
class Seals:
    """Seals by kind. `keys`: each once; `checkpoints`: the newest of each chain; `countersignatures`: by organisation, chain, sequence."""

    keys: dict[JournalKey, None] = field(default_factory=dict)
    checkpoints: dict[ChainName, JournalCheckpoint] = field(default_factory=dict)
    countersignatures: dict[tuple[str, str, int], list[JournalCountersignature]] = field(default_factory=dict)

    def add(self, record: object) -> None:
        """One more; what is no seal is left out."""
        match record:
            case JournalKey():
                self.keys[record] = None
            case JournalCheckpoint():
                known = self.checkpoints.get((record.org, record.chain))
                if known is None or record.size >= known.size:
                    self.checkpoints[record.org, record.chain] = record
            case JournalCountersignature():
                self.countersignatures.setdefault((record.org, record.chain, record.sequence), []).append(record)


def seals(config: ClientConfig, layout: Layout) -> Seals:
    """All seals on the topic. Raises KafkaException."""
    found = Seals()
    for message in to_the_end(config, layout.prefix + TOPIC, list(range(layout.partitions)), reader(layout)):
        found.add(decode(message.value()))
    return found


def reader(layout: Layout) -> str:
    """The group in whose name the journal's topics are read: one that the journal's user may use (deploy/acls.py)."""
    return f"{layout.prefix}journal-reader"


def send(producer: Producer, layout: Layout, records: Iterable[JournalKey | JournalCountersignature]) -> None:
    """Send seals. The producer must be flushed after it; raises KafkaException where the broker refuses one meanwhile."""
    for record in records:
        if isinstance(record, JournalKey):
            key, log = f"key/{record.key}", log_hash(record.key)
        else:
            key, log = f"{record.org}/{record.chain}/{record.sequence}/{record.key}", log_hash(record.org)
        producer.produce(layout.prefix + TOPIC, encode(record), key.encode(), partition_of(log, layout.partitions), on_delivery=_delivered)


def _delivered(error: KafkaError | None, _: Message) -> None:
    if error is not None:
        raise KafkaException(error)
