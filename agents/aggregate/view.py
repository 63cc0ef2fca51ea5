"""The table as one batch sees it: exact after any crash, whichever of a batch's values were saved.

A batch's values are saved one by one, and a crash may keep some and lose others; the batch, or several, are then taken again. So each
value is stored with what it was before its batch (`Saved`: position, base, before, body). Whoever reads it asks for the table as it was
at one offset, the horizon: a value written later gives what it was before. All that a batch decides is thus decided again from the very
state that it was decided from, and comes out the same: figures, versions, what is sent.

Two things are relied on: the values of a batch are saved before those of the next (the binding waits for the changelog), and a batch
begins where the one before ended or earlier. What a sender sent twice is another matter: the watermarks in AgentState know it.
"""

from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar, cast

from agents.binding.batch import Incoming, Read
from schemas.codec import encode, load
from schemas.records import PartitionState, Saved

PARTITION = b"P"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MISSING = object()

T = TypeVar("T")


class Ahead(Exception):
    """A value shows that the table was whole at a later offset than the batch's first record tells."""

    def __init__(self, base: int) -> None:
        super().__init__(base)
        self.base = base


@lru_cache(maxsize=16_384)
def _load(kind: Any, message: bytes) -> Any:
    return load(kind, message)


class View:
    """Values of one partition by key, as records. `whole_at`: an offset at which the table is known to have been whole."""

    def __init__(self, read: Read, first: Incoming, whole_at: int) -> None:
        self._read = read
        self._was: dict[bytes, bytes | None] = {}
        self._batch: dict[bytes, Any] = {}
        self._record: dict[bytes, Any] = {}
        self._written: set[bytes] = set()
        self.horizon, self.generation, self._opened = self._open(first, whole_at)

    def _open(self, first: Incoming, whole_at: int) -> tuple[int, int, PartitionState]:
        raw = self._read(PARTITION)
        if raw is None:
            return whole_at, 0, PartitionState(epoch=first.epoch, generation=0, position=-1, clock=_EPOCH)
        saved: Saved = _load(Saved, raw)
        now: PartitionState = _load(PartitionState, saved.body or b"")
        if now.epoch != first.epoch:  # the log was made anew: all that stands here is from before it
            self._was[PARTITION] = saved.body
            return whole_at, now.generation + 1, replace(now, epoch=first.epoch, generation=now.generation + 1, position=-1)
        horizon = max(whole_at, now.position if first.offset > now.position else saved.base)
        self._was[PARTITION] = body = saved.body if now.position <= horizon else saved.before
        state = _load(PartitionState, body) if body is not None else replace(now, clock=_EPOCH, next_due=None, timers=(), removed=())
        return horizon, now.generation, replace(state, epoch=first.epoch, generation=now.generation, position=horizon)

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
            found = self._batch[key] = _load(cast(Any, kind), body) if body is not None else None
        return found  # type: ignore[no-any-return]

    def put(self, key: bytes, record: Any | None) -> None:
        """Set what stands under a key; None removes it."""
        self._record[key] = record

    def keep(self) -> None:
        """The record at hand is done: what it put stays."""
        self._batch |= self._record
        self._written |= self._record.keys()
        self._record.clear()

    def drop(self) -> None:
        """The record at hand failed: forget what it put."""
        self._record.clear()

    def states(self, position: int) -> dict[bytes, bytes | None]:
        """The values that changed, as they are stored, the partition's first; `position`: offset of the batch's last record."""
        changed = {}
        for key in self._written - {PARTITION}:
            record = self._batch[key]
            body = encode(record) if record is not None else None
            if body != self._before(key):
                changed[key] = body
        now = self.partition
        gone = tuple(sorted(key for key, body in changed.items() if body is None))
        out: dict[bytes, bytes | None] = {}
        out[PARTITION] = self._saved(PARTITION, encode(replace(now, position=position, removed=gone)), position)
        for key in now.removed:
            out[key] = None
        for key in sorted(changed):
            out[key] = self._saved(key, changed[key], position)
        return out

    def _saved(self, key: bytes, body: bytes | None, position: int) -> bytes:
        return encode(Saved(generation=self.generation, position=position, base=self.horizon, before=self._was.get(key), body=body))

    def _before(self, key: bytes) -> bytes | None:
        if key not in self._was:
            self._was[key] = self._find(key)
        return self._was[key]

    def _find(self, key: bytes) -> bytes | None:
        raw = self._read(key)
        if raw is None:
            return None
        saved: Saved = _load(Saved, raw)
        if saved.generation < self.generation or saved.position <= self.horizon:
            return saved.body
        if saved.base > self.horizon:
            raise Ahead(saved.base)
        return saved.before
