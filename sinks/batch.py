"""Messages as the sink gets them, and a topic's share of a batch: sorted by how it can be read, and decoded when it must be."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
        kinds = {current(p.kind): p.kind for p in processor.projections}
        odd = []
        for message in messages:
            value = message.value
            if value is None:
                continue
            fingerprint = value[len(MARKER) : HEADER_BYTES] if value.startswith(MARKER) else b""
            if fingerprint in kinds:
                self.plain.setdefault(kinds[fingerprint], []).append(message)
            elif fingerprint not in WRITERS or WRITERS[fingerprint].name in processor.kinds:
                odd.append(message)
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
