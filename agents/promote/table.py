"""The table of one partition while a batch is taken: the states as they were, and what the batch has made of them so far."""

from collections.abc import Iterator

from agents.binding.batch import Read
from agents.promote.credits import Kept
from agents.promote.pool import Copy
from schemas.codec import encode, load
from schemas.records import PoolAlias


def _key(*parts: str) -> bytes:
    return "\0".join(parts).encode()


def segment_key(org: str, space: str, n: int) -> bytes:
    """Key of segment `n` of a pool's directory."""
    return _key("segment", org, space, str(n))


class Table:
    """Copies and aliases by id, each read once and written once a batch."""

    def __init__(self, read: Read, epoch: str, offset: int) -> None:
        """`epoch` and `offset`: where in candidates the batch begins."""
        self._read, self._epoch, self._offset = read, epoch, offset
        self._kept: dict[tuple[str, str], Kept] = {}
        self._copies: dict[tuple[str, str], Copy | None] = {}
        self._changed: dict[tuple[str, str], Copy] = {}
        self._aliases: dict[bytes, bytes] = {}

    def read(self, key: bytes) -> bytes | None:
        """A value as the batch has it so far."""
        return self._aliases.get(key) or self._read(key)

    def copy(self, org: str, shared_id: str) -> Copy | None:
        """The copy with this id, or the one that an original with this id landed on."""
        copy = self._own(org, shared_id)
        if copy is None and (alias := self.read(_key("alias", org, shared_id))) is not None:
            copy = self._own(org, load(PoolAlias, alias).target)
        return copy

    def put(self, copy: Copy) -> None:
        """A copy that is new or changed."""
        key = (copy.fixed.org, copy.fixed.shared_id)
        self._copies[key] = self._changed[key] = copy

    def kept(self, copy: Copy) -> Kept:
        """The credits that a copy keeps."""
        org, shared_id = key = (copy.fixed.org, copy.fixed.shared_id)
        if key not in self._kept:
            self._kept[key] = Kept(self._read, lambda n: _key("credits", org, shared_id, str(n)))
        return self._kept[key]

    def alias(self, org: str, shared_id: str, target: str) -> None:
        """An original landed on another's copy, for good."""
        self._aliases[_key("alias", org, shared_id)] = encode(PoolAlias(target=target))

    def states(self) -> Iterator[tuple[bytes, bytes]]:
        """What the batch has changed."""
        yield from self._aliases.items()
        for kept in self._kept.values():
            yield from kept.states()
        for (org, shared_id), copy in self._changed.items():
            yield _key("copy", org, shared_id), copy.save()

    def _own(self, org: str, shared_id: str) -> Copy | None:
        key = (org, shared_id)
        if key not in self._copies:
            value = self._read(_key("copy", org, shared_id))
            copy = None if value is None else Copy.load(value)
            if copy is not None:
                copy.begin(self._epoch, self._offset)
            self._copies[key] = copy
        return self._copies[key]
