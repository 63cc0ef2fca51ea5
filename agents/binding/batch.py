"""What goes into an agent's core and what comes out of it: records and bytes, nothing of Faust.

A core is a pure function of a batch: the records of one partition and the states they touch, in; the new states and the records to
send, out. Whoever binds it sends the records, waits until the broker has them, then writes the states, then commits: a crash in
between repeats an event on the old state, and what is then sent again is the same (its ids are deterministic).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from schemas.partition import partition_of
from schemas.records import Source


@dataclass(slots=True)
class Incoming:
    """One record of a partition. `topic` is without prefix, `epoch` the topic's identity, `at` the broker's time (UTC).

    Nobody changes it; it is not frozen because that would triple the time to make one, and one is made of every record.
    """

    topic: str
    epoch: str
    partition: int
    offset: int
    at: datetime
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]] = ()

    def source(self, index: int = 0) -> Source:
        """This record as the source of what it causes."""
        return Source(topic=self.topic, epoch=self.epoch, partition=self.partition, offset=self.offset, index=index)

    @property
    def receipt(self) -> str:
        """Receipt id of the message (INTERFACES: topic:partition:offset)."""
        return f"{self.topic}:{self.partition}:{self.offset}"


EVERYWHERE = -1
"""Instead of a murmur2: a copy for each partition of the topic."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One record to send. `topic` is without prefix; `log` the murmur2 of what the topic is partitioned by; no value: a tombstone."""

    topic: str
    key: bytes
    value: bytes | None
    log: int


@dataclass(slots=True)
class Result:
    """What a batch came to: records to send, in order, and the states that changed (None: removed)."""

    out: list[Outgoing] = field(default_factory=list)
    states: dict[bytes, bytes | None] = field(default_factory=dict)


def partitions_of(log: int, partitions: int) -> Sequence[int]:
    """The partitions that a record goes to, of as many."""
    return range(partitions) if log == EVERYWHERE else (partition_of(log, partitions),)


Read = Callable[[bytes], bytes | None]


class Core(Protocol):
    """An agent without its binding."""

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        """Take a batch of one partition, oldest first. `read` gives a state of that partition as it was before the batch."""
        ...
