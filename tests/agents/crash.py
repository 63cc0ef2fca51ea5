"""Every point at which a crash can end a batch: after each of the writes that a worker makes of it, in the order in which it makes them.

A worker (agents/binding/agent.py) sends what a batch came to, waits, writes the states, in order, waits, and commits. The broker keeps
each write that it took, and the next worker begins at the last commit.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from agents.binding.batch import Core, Incoming, Outgoing

Write = Outgoing | tuple[bytes, bytes | None]
"""A record that goes out, or a state under its key."""
Said = tuple[str, bytes, bytes | None, int]


@dataclass(slots=True)
class Kept:
    """What outlives a worker: the records that it sent, its states, and its commit (an index into the log)."""

    sent: list[Outgoing] = field(default_factory=list)
    states: dict[bytes, bytes] = field(default_factory=dict)
    committed: int = 0

    def copy(self) -> "Kept":
        """The same, to be gone on with apart."""
        return Kept(list(self.sent), dict(self.states), self.committed)

    def said(self) -> set[Said]:
        """All that was sent, each once: readers drop what they have."""
        return {(o.topic, o.key, o.value, o.log) for o in self.sent}

    def write(self, write: Write) -> None:
        """Take a write."""
        if isinstance(write, Outgoing):
            self.sent.append(write)
        elif write[1] is None:
            self.states.pop(write[0], None)
        else:
            self.states[write[0]] = write[1]


@dataclass(frozen=True, slots=True)
class Worker:
    """Runs a new core for each life over a log of one partition."""

    make: Callable[[], Core]
    log: Sequence[Incoming]

    def writes(self, core: Core, kept: Kept, size: int) -> list[Write]:
        """The writes of the next batch of at most `size` records, in order."""
        batch = self.log[kept.committed : kept.committed + size]
        result = core.step(batch[0].partition, batch, kept.states.get)
        return [*result.out, *result.states.items()]

    def life(self, kept: Kept, size: int, end: int | None = None) -> Kept:
        """A life that ends well: from the last commit to the end of the log (or to `end`), in batches of `size`."""
        core = self.make()
        last = len(self.log) if end is None else end
        while kept.committed < last:
            fits = min(size, last - kept.committed)
            for write in self.writes(core, kept, fits):
                kept.write(write)
            kept.committed += fits
        return kept

    def crashes(self, kept: Kept, size: int) -> Iterator[Kept]:
        """What is left after a crash at each point of the next batch: before its first write, and after each, before its commit."""
        writes = self.writes(self.make(), kept, size)
        for end in range(len(writes) + 1):
            left = kept.copy()
            for write in writes[:end]:
                left.write(write)
            yield left

    def every_crash(self, size: int, behind: int) -> Iterator[Kept]:
        """The same for each batch of the log, taken in batches of `size`, with the commits of so many whole batches lost as well."""
        kept = Kept()
        for start in range(0, len(self.log), size):
            self.life(kept, size, start)
            for left in self.crashes(kept, size):
                left.committed = max(0, start - behind * size)
                yield left
