"""How far each consumer group is behind."""

from collections.abc import Iterable, Mapping
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


@dataclass(frozen=True, slots=True)
class Group:
    """How a group stands. `members`: processes in it; `left`: records of all its topics that it has not read."""

    group: str
    members: int
    left: int
    behind: tuple[str, ...]


def groups(found: Iterable[Lag], members: Mapping[str, int]) -> list[Group]:
    """What lags come to, group by group. `behind`: the topics that have records left for it."""
    lags = list(found)
    behind = {group: [row for row in lags if row.group == group and row.lag] for group in READERS}
    return [
        Group(group, members.get(group, 0), sum(row.lag for row in rows), tuple(sorted({row.topic for row in rows})))
        for group, rows in behind.items()
    ]


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
