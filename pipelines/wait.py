"""Waits until what was sent has come to its end everywhere: each agent has read it and the sink has written what came of it.

An agent commits only after the broker has what it sent, so the end of the next topic, asked for after that commit, holds everything
that the messages caused there. Each stage waits for such a snapshot, and never for what others send meanwhile.
"""

import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pipelines.errors import Failure
from pipelines.offsets import Offsets, Partition
from pipelines.produce import Sent
from pipelines.readers import READERS

Watch = Callable[[str, int, int | None], None]
"""Told what is waited for, how much of it is done, and of how much."""
Ends = Mapping[str, Mapping[str, tuple[str, str | None]]]
"""How parts ended: receipt id -> part -> end and reason."""
ENDS = ("stored", "held", "refused", "dead_lettered", "duplicate", "waiting")

FAILED = ("refused", "dead_lettered")
"""Ends of what did not get in."""

_POLL_SECONDS = 0.1
_IDS_A_QUERY = 100
"""So many fit into a request's address, whatever their offsets."""
_ORDER = ("aggregate", "promote", "journal", "sink")
"""Who reads what the one before it, and scan before all, has sent."""


@dataclass(frozen=True, slots=True)
class Part:
    """How one part of a message ended."""

    line: int
    id: str
    part: str
    end: str
    reason: str | None


class Stalled(Failure):
    """Nothing moved for too long."""


class Patience:
    """Runs out after some seconds without progress, however long the whole takes."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._state: object = None
        self._since = time.monotonic()

    def spend(self, state: object, missing: str) -> None:
        """Wait a moment. Raises Stalled, saying what is missing, where `state` has not changed for too long."""
        now = time.monotonic()
        if state != self._state:
            self._state, self._since = state, now
        elif now - self._since > self._seconds:
            raise Stalled(f"nothing moved for {self._seconds:g} s, and {missing}")
        time.sleep(_POLL_SECONDS)


def until_read(offsets: Offsets, group: str, targets: Mapping[Partition, int], seconds: float, watch: Watch) -> None:
    """Wait until a group has read each partition up to an offset. Raises Stalled after `seconds` without progress."""
    patience = Patience(seconds)
    starts = offsets.starts({topic for topic, _ in targets})
    total: int | None = None
    while True:
        committed = offsets.committed(group, targets)
        left = {p: end - committed.get(p, starts[p]) for p, end in targets.items()}
        left = {p: n for p, n in left.items() if n > 0}
        if not left:
            return
        records = sum(left.values())
        total = total or records
        watch(f"{group} reads", total - records, total)
        topics = ", ".join(sorted({topic for topic, _ in left}))
        patience.spend(records, f"{group} has still to read {topics} ({records} left): does it run? `tidegate status` shows how far it is")


def behind(sent: Iterable[Sent]) -> dict[Partition, int]:
    """Of each partition that messages were sent to, the offset behind the last of them."""
    found: dict[Partition, int] = {}
    for message in sent:
        place = (message.topic, message.partition)
        found[place] = max(found.get(place, 0), message.offset + 1)
    return found


def until_shown(offsets: Offsets, sent: Iterable[Sent], seconds: float, watch: Watch) -> None:
    """Wait until what messages of the raw side caused can be read from ClickHouse. Raises Stalled."""
    until_read(offsets, "scan", behind(sent), seconds, watch)
    for group in _ORDER:
        until_read(offsets, group, offsets.ends(READERS[group]), seconds, watch)


def until_ended(sent: Sequence[Sent], ends_of: Callable[[Sequence[str]], Ends], seconds: float, watch: Watch) -> list[Part]:
    """Wait until each part of each message has its end (SPEC 9.3), and tell them, in the order of lines. Raises Stalled.

    `ends_of` gives the newest end of each part of the messages with some receipt ids.
    """
    found: list[Part] = []
    for start in range(0, len(sent), _IDS_A_QUERY):
        batch = sent[start : start + _IDS_A_QUERY]
        patience = Patience(seconds)
        while True:
            ends = ends_of([message.receipt for message in batch])
            missing = [(m, parts) for m in batch if (parts := _missing(m, ends.get(m.receipt, {})))]
            if not missing:
                break
            watch("receipts", start + len(batch) - len(missing), len(sent))
            first, parts = missing[0]
            more = f"; {len(missing) - 1} more like it" if len(missing) > 1 else ""
            patience.spend(len(missing), f"line {first.line} ({first.receipt}) has no end of {', '.join(parts)}{more}")
        found.extend(Part(m.line, m.receipt, part, end, reason) for m in batch for part, (end, reason) in sorted(ends[m.receipt].items()))
    return found


def _missing(message: Sent, ended: Container[str]) -> list[str]:
    return [] if "message" in ended else [part for part in message.parts if part not in ended]
