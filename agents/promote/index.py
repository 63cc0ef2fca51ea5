"""Which copies of a pool are near a wording: an index of rare words, rebuilt from the pool's directory in the table.

The index finds every copy whose words overlap enough (no sampling: `near` is exact), so the measure that decides sees all it must.
It is a cache: the directory is the truth. A directory is a list of segments in the table, filled one after the other; what a crash
lost of it is added again when the event that made the copy is taken again, and an entry that stands twice does no harm.
"""

import struct
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import ceil

from agents.binding.batch import Read
from agents.promote.similarity import FOLDING
from schemas.codec import encode, load
from schemas.records import PoolSegment

SEGMENT_ENTRIES = 64
_HEAD = struct.Struct(">16sqIB")  # shared id, offset that made it, CRC-32 of the epoch, number of words


def word_hashes(words: Iterable[str]) -> tuple[int, ...]:
    """32-bit hashes of words, ascending; a collision only makes one more candidate."""
    return tuple(sorted({zlib.crc32(w.encode()) for w in words}))[:255]


@dataclass(frozen=True, slots=True)
class Entry:
    """A copy in the directory: `made` and `epoch` say which record of candidates made it, `words` are the hashes of its words."""

    shared_id: str
    made: int
    epoch: int
    words: tuple[int, ...]


def pack(entries: Iterable[Entry]) -> bytes:
    """Entries as a segment holds them."""
    return b"".join(
        _HEAD.pack(bytes.fromhex(e.shared_id), e.made, e.epoch, len(e.words)) + struct.pack(f">{len(e.words)}I", *e.words) for e in entries
    )


def unpack(data: bytes) -> Iterator[Entry]:
    """The entries of a segment."""
    at = 0
    while at < len(data):
        shared, made, epoch, n = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        yield Entry(shared.hex(), made, epoch, struct.unpack_from(f">{n}I", data, at))
        at += 4 * n


class Index:
    """The index of one pool."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._segments: list[bytes] = []
        self._entries: list[Entry] = []
        self._by_id: dict[str, int] = {}
        self._postings: dict[int, array[int]] = {}
        self._last: list[Entry] = []
        self._changed: dict[int, list[Entry]] = {}

    def refresh(self, read: Read, key: Callable[[int], bytes], words_of: Callable[[str], tuple[int, ...] | None]) -> None:
        """Make the index what the table says; cheap where nothing but its own changes happened since.

        `key(n)` names the table's value of segment n; `words_of` makes the words of a copy anew where another folding made them.
        """
        self._key = key
        if self._changed or (self._segments and read(key(len(self._segments) - 1)) != self._segments[-1]):
            self._clear()
        while (value := read(key(len(self._segments)))) is not None:
            segment = load(PoolSegment, value)
            self._segments.append(value)
            self._last = []
            for entry in unpack(segment.entries):
                words = entry.words if segment.folding == FOLDING else words_of(entry.shared_id)
                if words is not None:
                    self._last.append(Entry(entry.shared_id, entry.made, entry.epoch, words))
                    self._insert(self._last[-1])

    def add(self, entry: Entry) -> None:
        """Put a copy into the directory, where it does not stand there already."""
        if entry.shared_id in self._by_id:
            return
        self._insert(entry)
        if not self._segments or len(self._last) >= SEGMENT_ENTRIES:
            self._segments.append(b"")
            self._last = []
        self._last.append(entry)
        self._changed[len(self._segments) - 1] = self._last

    def states(self) -> Iterator[tuple[bytes, bytes]]:
        """Keys and values of the segments that changed since this was asked last."""
        for n, entries in self._changed.items():
            self._segments[n] = encode(PoolSegment(folding=FOLDING, entries=pack(entries)))
            yield self._key(n), self._segments[n]
        self._changed = {}

    def _insert(self, entry: Entry) -> None:
        if entry.shared_id in self._by_id:
            return
        at = len(self._entries)
        self._entries.append(entry)
        self._by_id[entry.shared_id] = at
        for word in entry.words:
            self._postings.setdefault(word, array("I")).append(at)

    def near(self, words: tuple[int, ...], threshold: float, epoch: int, before: int) -> list[str]:
        """Ids of all copies made earlier whose words have a Dice coefficient of at least `threshold` with `words`.

        A copy that shares that much misses at most len(words) - needed of them, so it holds one of any len(words) - needed + 1:
        the rarest are looked up. `epoch` and `before` place the asker in the log: a copy made by a later record is not there yet.
        """
        n = len(words)
        needed = ceil(threshold / (2 - threshold) * n - 1e-9)
        rarest = sorted(words, key=lambda w: (len(self._postings.get(w, ())), w))[: n - max(1, needed) + 1]
        mine = frozenset(words)
        out = []
        for at in sorted({at for w in rarest for at in self._postings.get(w, ())}):
            entry = self._entries[at]
            shared = len(mine.intersection(entry.words))
            if 2 * shared >= threshold * (n + len(entry.words)) - 1e-9 and _earlier(entry, epoch, before):
                out.append(entry.shared_id)
        return out


def _earlier(entry: Entry, epoch: int, before: int) -> bool:
    return entry.epoch != epoch or entry.made < before
