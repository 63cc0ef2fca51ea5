"""Messages as the sink gets them, and a topic's share of a batch: sorted by how it can be read, and decoded when it must be."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from schemas.codec import HEADER_BYTES, MARKER, decode
from schemas.problem import Problem
from schemas.store import WRITERS
from sinks.columns import current
from sinks.processors import Processor


@dataclass(frozen=True, slots=True)
class Message:
    """A record of a topic, as the consumer gives it. `topic` is without prefix, `at` the broker's time in milliseconds since 1970, UTC."""

    topic: str
    partition: int
    offset: int
    at: int
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A message that can't be taken, and why."""

    message: Message
    problem: Problem


def _head(message: Message) -> bytes:
    return message.value[:HEADER_BYTES] if message.value is not None else b""


Pair = tuple[Message, Any]
"""A message and its record."""


class Batch:
    """A topic's messages of a batch, without those that hold nothing or another kind of record than the processor's.

    `plain`: by kind, those written with its newest schema, so that ClickHouse could read them; the others are odd. What can't be decoded is
    added to `refusals`.
    """

    def __init__(self, processor: Processor, messages: Iterable[Message], refusals: dict[Message, Problem]) -> None:
        self.refusals = refusals
        self.plain: dict[type, list[Message]] = {}
        self._decoded: dict[type, list[Pair]] = {}
        by_head: dict[bytes, list[Message]] = {}
        for head, together in groupby((m for m in messages if m.value is not None), key=_head):
            by_head.setdefault(head, []).extend(together)
        kinds = {MARKER + current(p.kind): p.kind for p in processor.projections}
        odd: list[Message] = []
        for head, found in by_head.items():
            writer = WRITERS.get(head.removeprefix(MARKER)) if head.startswith(MARKER) else None
            if head in kinds:
                self.plain[kinds[head]] = found
            elif writer is None or writer.name in processor.kinds:
                odd += found
        self._odd = self._decode(odd)

    @property
    def kinds_decoded(self) -> set[type]:
        """Kinds whose plain messages were decoded."""
        return set(self._decoded)

    def odd(self, kind: type) -> list[Pair]:
        """Messages and records of a kind that were written with an older schema."""
        return [pair for pair in self._odd if isinstance(pair[1], kind)]

    def decoded(self, kind: type) -> list[Pair]:
        """The plain messages with their records."""
        if kind not in self._decoded:
            self._decoded[kind] = self._decode(self.plain.get(kind, ()))
        return self._decoded[kind]

    def pairs(self) -> Iterator[Pair]:
        """All that was decoded."""
        yield from self._odd
        for pairs in self._decoded.values():
            yield from pairs

    def _decode(self, messages: Iterable[Message]) -> list[Pair]:
        taken = []
        for message in messages:
            record = decode(message.value)
            if isinstance(record, Problem):
                self.refusals[message] = record
            else:
                taken.append((message, record))
        return taken
