"""An agent's states as this process holds them, by partition: a copy of a changelog up to an offset that it knows.

What a partition's copy holds is what the changelog holds up to that offset, no more: a state is written here after the broker has it.
"""

from collections.abc import Callable, Mapping, Set
from typing import Protocol

from agents.binding.batch import Read

Changes = Mapping[bytes, bytes | None]
"""New values by key; None removes one."""


class States(Protocol):
    """Where the states are. Partitions are held by whoever reads the changelog, as their owner or as a standby."""

    def reader(self, partition: int) -> Read:
        """Gives a state of the partition by its key, or None."""
        ...

    def apply(self, partition: int, changes: Changes, offset: int | None) -> None:
        """Take in what the changelog holds up to `offset` (None: up to somewhere behind the last one known). What is copied already, or
        is of a partition that is not kept, changes nothing."""
        ...

    def offset(self, partition: int) -> int | None:
        """Changelog offset up to which the partition is copied; None: nothing is."""
        ...

    def keep(self, partitions: Set[int]) -> None:
        """Hold these partitions from now on, and let go of every other."""
        ...

    def close(self) -> None:
        """No more is read or written."""
        ...


class MemoryStates:
    """States in memory: a restart reads the changelog from its start."""

    def __init__(self) -> None:
        self._values: dict[int, dict[bytes, bytes]] = {}
        self._offsets: dict[int, int] = {}

    def reader(self, partition: int) -> Read:
        """Gives a state of the partition by its key, or None."""
        return self._values[partition].get

    def apply(self, partition: int, changes: Changes, offset: int | None) -> None:
        """Take in what the changelog holds up to `offset`."""
        values = self._values.get(partition)
        if values is None or (offset is not None and offset <= self._offsets.get(partition, -1)):
            return
        for key, value in changes.items():
            if value is None:
                values.pop(key, None)
            else:
                values[key] = value
        if offset is not None:
            self._offsets[partition] = offset

    def offset(self, partition: int) -> int | None:
        """Changelog offset up to which the partition is copied."""
        return self._offsets.get(partition)

    def keep(self, partitions: Set[int]) -> None:
        """Hold these, and forget every other: what becomes of it, its new owner decides."""
        for partition in self._values.keys() - partitions:
            del self._values[partition]
            self._offsets.pop(partition, None)
        for partition in partitions - self._values.keys():
            self._values[partition] = {}

    def close(self) -> None:
        """Nothing is left behind."""
        self._values.clear()


NewStates = Callable[[str, str], States]
"""Makes the states of an agent, by its name and the identity of its changelog."""


def in_memory(_agent: str, _epoch: str) -> States:
    """States that a restart reads from the changelog."""
    return MemoryStates()
