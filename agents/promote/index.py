"""Which copies of a pool are near a wording: an index of rare words, rebuilt from the pool's directory in the table.

The index finds every copy whose words are near enough (no sampling: `near` is exact), so the measure that decides sees all it must.
It is a cache: the directory is the truth. A directory is a list of segments in the table, filled one after the other; what a crash
lost of it is added again when the event that made the copy is taken again, and an entry that stands twice does no harm.
"""

import struct
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from agents.binding.batch import Read
from agents.promote.similarity import FOLDING
from schemas.codec import encode, load
from schemas.records import PoolSegment

SEGMENT_ENTRIES = 64
_NOWHERE = array("I")
_HEAD = struct.Struct(">16sqIB")  # shared id, offset that made it, CRC-32 of the epoch, number of words
_WORDS_A_ROW = 255


def word_hashes(words: Iterable[str]) -> tuple[int, ...]:
    """32-bit hashes of words, ascending; a collision only makes one more candidate."""
    return tuple(sorted({zlib.crc32(w.encode()) for w in words}))


@dataclass(frozen=True, slots=True)
class Entry:
    """A copy in the directory: `made` and `epoch` say which record of candidates made it, `words` are the hashes of its words."""

    shared_id: str
    made: int
    epoch: int
    words: tuple[int, ...]


def pack(entries: Iterable[Entry]) -> bytes:
    """Entries as a segment holds them, each a row; of one with more words than a row can hold as many rows as that takes."""
    return b"".join(_row(e, e.words[at : at + _WORDS_A_ROW]) for e in entries for at in range(0, len(e.words) or 1, _WORDS_A_ROW))


def unpack(data: bytes) -> Iterator[Entry]:
    """The entries of a segment."""
    for (shared_id, made, epoch), rows in groupby(_rows(data), lambda row: row[0]):
        yield Entry(shared_id, made, epoch, tuple(word for _, words in rows for word in words))


def _row(entry: Entry, words: Sequence[int]) -> bytes:
    head = _HEAD.pack(bytes.fromhex(entry.shared_id), entry.made, entry.epoch, len(words))
    return head + struct.pack(f">{len(words)}I", *words)


def _rows(data: bytes) -> Iterator[tuple[tuple[str, int, int], tuple[int, ...]]]:
    at = 0
    while at < len(data):
        shared, made, epoch, n = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        yield (shared.hex(), made, epoch), struct.unpack_from(f">{n}I", data, at)
        at += 4 * n


class Index:
    """The index of one pool."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._segments: list[bytes] = []
        self._by_id: dict[str, int] = {}
        self._ids: list[str] = []
        self._made, self._epochs, self._sizes = array("q"), array("I"), array("i")
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
        at = self._by_id[entry.shared_id] = len(self._ids)
        self._ids.append(entry.shared_id)
        self._made.append(entry.made)
        self._epochs.append(entry.epoch)
        self._sizes.append(len(entry.words))
        for word in entry.words:
            self._postings.setdefault(word, array("I")).append(at)

    def near(self, words: Sequence[int], spare: int, epoch: int, before: int) -> list[str]:
        """Ids of all copies made earlier that have all of `words` and at most `spare` more, or lack at most `spare` and have no other.

        Such a copy has one of any `spare` + 1 of the words, so only those that have one of the rarest are looked at; each more common word
        leaves fewer of them. `epoch` and `before` place the asker in the log: a copy made by a later record is not there yet.
        """
        postings = sorted((self._postings.get(w, _NOWHERE) for w in words), key=len)
        if spare < len(words):
            others = postings[spare + 1 :]
            found, held = np.unique(np.concatenate(postings[: spare + 1]), return_counts=True)
        else:
            others = []
            found, held = np.arange(len(self._ids)), np.bincount(np.concatenate([_NOWHERE, *postings]), minlength=len(self._ids))
        sizes = np.asarray(self._sizes)[found]
        earlier = (np.asarray(self._epochs)[found] != epoch) | (np.asarray(self._made)[found] < before)
        needed = np.minimum(sizes, len(words))
        kept = earlier & (abs(sizes - len(words)) <= spare) & (held + len(others) >= needed)
        for left, posting in zip(reversed(range(len(others))), others, strict=True):
            found, held, needed = found[kept], held[kept], needed[kept]
            if not len(found):
                return []
            places = np.asarray(posting)
            held += places[np.searchsorted(places, found).clip(max=len(places) - 1)] == found
            kept = held + left >= needed
        return [self._ids[at] for at in found[kept]]
