"""The table as one batch sees it: exact after any crash, whichever of a batch's values were saved.

A crash may keep some of a batch's values and lose others; the batch, or several, are then taken again. So each value is stored with what
it was before its batch (`Saved`: position, before, body). Whoever reads it asks for the table as it was at one offset, the horizon, and a
value written later gives what it was before. All that a batch decides is thus decided again from the very state that it was decided from,
and comes out the same: figures, versions, what is sent.

The horizon is where the batches before ended. PartitionState tells it, and its value is the first that a batch gives to be saved. What is
relied on: the values of a batch are saved before those of the next; and a crash keeps those that were given first (a changelog keeps its
order) or, where each batch is committed before the next begins, any. What a sender sent twice is another matter: the watermarks in
AgentState know it.
"""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from agents.binding.batch import Incoming, Read
from schemas.codec import encode, load
from schemas.records import PartitionState, Saved

PARTITION = b"P"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MISSING = object()

T = TypeVar("T")


class Memo:
    """Records by the bytes that they are stored as, those used last: what a batch wrote, the next reads without decoding it.

    `limit`: bytes of what is remembered; the records themselves take a few times as much.
    """

    def __init__(self, limit: int) -> None:
        self._limit, self._size = limit, 0
        self._records: dict[bytes, Any] = {}

    def load(self, kind: Any, message: bytes) -> Any:
        """The record of a message. Raises ValueError where it is none of that kind."""
        record = self._records.pop(message, None)
        if record is None or type(record) is not kind:
            record = load(kind, message)
            self._size += len(message)
        self._records[message] = record
        self._forget()
        return record

    def encode(self, record: Any) -> bytes:
        """The message of a record, which is remembered."""
        message = encode(record)
        if self._records.pop(message, None) is None:
            self._size += len(message)
        self._records[message] = record
        self._forget()
        return message

    def _forget(self) -> None:
        while self._size > self._limit:
            oldest = next(iter(self._records))
            del self._records[oldest]
            self._size -= len(oldest)


_memo = Memo(32 * 1024 * 1024)


class View:
    """Values of one partition by key, as records, for a batch that begins with `first`. Records up to `horizon` were taken for good."""

    def __init__(self, read: Read, first: Incoming) -> None:
        self._read = read
        self._was: dict[bytes, bytes | None] = {}
        self._batch: dict[bytes, Any] = {}
        self._record: dict[bytes, Any] = {}
        self._written: set[bytes] = set()
        self._stale: set[bytes] = set()  # keys under which a batch that is taken again left what it made
        self.horizon, self.generation, self._opened = self._open(first)

    def _open(self, first: Incoming) -> tuple[int, int, PartitionState]:
        fresh = PartitionState(epoch=first.epoch, generation=0, position=-1, base=-1, clock=_EPOCH)
        raw = self._read(PARTITION)
        if raw is None:
            return -1, 0, fresh
        saved: Saved = _memo.load(Saved, raw)
        now: PartitionState = _memo.load(PartitionState, saved.body or b"")
        body, horizon, generation = saved.body, now.position, now.generation
        if now.epoch != first.epoch:  # the log was made anew: all that stands here is from before it
            horizon, generation = -1, now.generation + 1
        elif first.offset <= now.position:
            body, horizon = saved.before, now.base
        self._was[PARTITION] = body
        state: PartitionState = _memo.load(PartitionState, body) if body is not None else fresh
        return horizon, generation, replace(state, epoch=first.epoch, generation=generation)

    @property
    def partition(self) -> PartitionState:
        """What the partition has come to."""
        return self._record.get(PARTITION) or self._batch.get(PARTITION) or self._opened

    def get(self, kind: type[T], key: bytes) -> T | None:
        """The record under a key, or None."""
        found = self._record.get(key, _MISSING)
        if found is _MISSING:
            found = self._batch.get(key, _MISSING)
        if found is _MISSING:
            body = self._before(key)
            found = self._batch[key] = _memo.load(cast(Any, kind), body) if body is not None else None
        return found  # type: ignore[no-any-return]

    def put(self, key: bytes, record: Any | None) -> None:
        """Set what stands under a key; None removes it."""
        self._record[key] = record

    def keep(self) -> None:
        """The record at hand is done: what it put stays."""
        self._batch.update(self._record)
        self._written.update(self._record)
        self._record.clear()

    def drop(self) -> None:
        """The record at hand failed: forget what it put."""
        self._record.clear()

    def states(self, position: int) -> dict[bytes, bytes | None]:
        """The values that changed, as they are stored, the partition's first; `position`: offset of the batch's last record."""
        changed = {}
        for key in self._written - {PARTITION}:
            record = self._batch[key]
            body = _memo.encode(record) if record is not None else None
            if body != self._before(key) or key in self._stale:
                changed[key] = body
        now = self.partition
        gone = tuple(sorted(key for key, body in changed.items() if body is None))
        out: dict[bytes, bytes | None] = {}
        out[PARTITION] = self._saved(PARTITION, _memo.encode(replace(now, position=position, base=self.horizon, removed=gone)), position)
        for key in now.removed:
            out[key] = None
        for key in sorted(changed):
            out[key] = self._saved(key, changed[key], position)
        return out

    def _saved(self, key: bytes, body: bytes | None, position: int) -> bytes:
        return _memo.encode(Saved(generation=self.generation, position=position, before=self._was.get(key), body=body))

    def _before(self, key: bytes) -> bytes | None:
        if key not in self._was:
            self._was[key] = self._find(key)
        return self._was[key]

    def _find(self, key: bytes) -> bytes | None:
        raw = self._read(key)
        if raw is None:
            return None
        saved: Saved = _memo.load(Saved, raw)
        if saved.generation < self.generation or saved.position <= self.horizon:
            return saved.body
        self._stale.add(key)
        return saved.before
