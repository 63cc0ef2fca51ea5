"""The outcomes and runs of an agent that are kept, in segments of 64 (SPEC 5.2, 5.10; DESIGN "State is small and flat").

Numbers count from 0 in the order of acceptance. The latest 4,096 are those that count as kept; as many again stay behind them, so that a
learning can be counted again from a point before the oldest of those (see recount.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from agents.aggregate.view import View
from schemas.codec import encode, load
from schemas.records import Segment

SEGMENT = 64
WINDOW = 4_096
RETAINED = 2 * WINDOW
_HASH = 8
NO_LINK = bytes(_HASH)

T = TypeVar("T")


@dataclass(slots=True)
class Kept:
    """One agent's kept outcomes or runs. `prefix`: of the keys of its segments; `count`: how many it ever kept."""

    view: View
    prefix: bytes
    count: int

    def append(self, id_: bytes, content: bytes, link: bytes, at_ms: int, entry: Any) -> int:
        """Keep one more; its number. Hashes are 8 bytes."""
        number = self.count
        segment = self._segment(number // SEGMENT) or Segment(ids=b"", contents=b"", links=b"")
        self.view.put(
            self._key(number // SEGMENT),
            Segment(
                ids=segment.ids + id_,
                contents=segment.contents + content,
                links=segment.links + link,
                ats=(*segment.ats, at_ms),
                entries=(*segment.entries, encode(entry)),
            ),
        )
        if number % SEGMENT == 0 and number >= RETAINED:
            self.view.put(self._key((number - RETAINED) // SEGMENT), None)
        self.count = number + 1
        return number

    @property
    def oldest(self) -> int:
        """Number of the oldest that counts as kept."""
        return max(0, self.count - WINDOW)

    def find(self, id_: bytes, *, beyond: bool = False) -> list[int]:
        """Numbers of those with an id, newest first; `beyond`: also of those that no longer count as kept."""
        return self._search("ids", id_, 0 if beyond else self.oldest)

    def linked(self, id_: bytes) -> list[int]:
        """Numbers of those that name an id (child runs), newest first."""
        return self._search("links", id_, self.oldest)

    def content(self, number: int) -> bytes:
        """Hash of the content of one."""
        return self._hash("contents", number)

    def id(self, number: int) -> bytes:
        """Hash of the id of one."""
        return self._hash("ids", number)

    def link(self, number: int) -> bytes:
        """Hash of the id that one names; NO_LINK where it names none."""
        return self._hash("links", number)

    def entry(self, kind: type[T], number: int) -> T | None:
        """What is kept of one; None where it has gone."""
        segment = self._segment(number // SEGMENT) if number < self.count else None
        return load(kind, segment.entries[number % SEGMENT]) if segment else None

    def change(self, number: int, entry: Any) -> None:
        """Replace what is kept of one."""
        segment = self._segment(number // SEGMENT)
        if segment:
            entries = list(segment.entries)
            entries[number % SEGMENT] = encode(entry)
            self.view.put(self._key(number // SEGMENT), replace(segment, entries=tuple(entries)))

    def after(self, kind: type[T], number: int) -> Iterator[tuple[int, T]]:
        """Those that came after one, oldest first, as far as they are there."""
        first = max(number + 1, (self.count - 1 - RETAINED) // SEGMENT * SEGMENT, 0)
        for n in range(first, self.count):
            entry = self.entry(kind, n)
            if entry is not None:
                yield n, entry

    def is_late(self, at_ms: int) -> bool:
        """Whether a time is before that of all that count as kept, while there are as many as may be (SPEC 5.2)."""
        if self.count < WINDOW or at_ms >= self._at(self.oldest) or at_ms >= self._at(self.count - 1):
            return False
        return all(at_ms < self._at(n) for n in range(self.oldest, self.count))

    def _at(self, number: int) -> int:
        segment = self._segment(number // SEGMENT)
        return segment.ats[number % SEGMENT] if segment else 0

    def _hash(self, column: str, number: int) -> bytes:
        segment = self._segment(number // SEGMENT)
        at = number % SEGMENT * _HASH
        return getattr(segment, column)[at : at + _HASH] if segment else b""

    def _search(self, column: str, wanted: bytes, oldest: int) -> list[int]:
        out = []
        for index in range((self.count - 1) // SEGMENT, oldest // SEGMENT - 1, -1):
            segment = self._segment(index)
            if segment is None:
                break
            hashes: bytes = getattr(segment, column)
            at = hashes.rfind(wanted)
            while at >= 0:
                number = index * SEGMENT + at // _HASH
                if at % _HASH == 0 and number >= oldest:
                    out.append(number)
                at = hashes.rfind(wanted, 0, at + _HASH - 1)
        return out

    def _segment(self, index: int) -> Segment | None:
        return self.view.get(Segment, self._key(index))

    def _key(self, index: int) -> bytes:
        return self.prefix + str(index).encode()
