"""How far each consumer group is behind."""

from dataclasses import dataclass

from pipelines.offsets import Offsets
from pipelines.readers import READERS


@dataclass(frozen=True, slots=True)
class Lag:
    """A group's place in a partition. `committed` None: it has committed nothing there, so that it begins at the oldest record."""

    group: str
    topic: str
    partition: int
    end: int
    committed: int | None
    lag: int


def lags(offsets: Offsets) -> list[Lag]:
    """Every group's place in every partition that it reads. Raises KafkaException.

    Commits are asked for before the ends: where no lag is left at all, no group had a record left to read when the ends were asked for,
    since an agent commits only after what it sends is in its topics.
    """
    starts = offsets.starts({topic for read in READERS.values() for topic in read})
    committed = {group: offsets.committed(group, [p for p in starts if p[0] in read]) for group, read in READERS.items()}
    ends = offsets.ends({topic for topic, _ in starts})
    found = []
    for group, read in READERS.items():
        for (topic, partition), end in sorted(ends.items()):
            if topic in read:
                at = committed[group].get((topic, partition))
                lag = end - max(starts[topic, partition], at or 0)
                found.append(Lag(group, topic, partition, end, at, max(lag, 0)))
    return found
