"""What goes out: whole producer batches, one open batch a partition, in order; nothing is taken for sent before the broker has it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from typing import Protocol

from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.producer.message_accumulator import BatchBuilder
from aiokafka.structs import OffsetAndMetadata

Message = tuple[str, int, bytes | None, bytes | None]
"""Full topic name, partition, key, value."""
Partition = tuple[str, int]
"""A source's full topic name, and a partition of it."""
_NOT_WORTH_COMPRESSING = 16 * 1024
"""Bytes: compressing less takes a tenth of the time that a trickle takes, for a few packets."""
Offsets = dict[Partition, int]
"""By partition of a full topic name, the offset of the last message that was sent there."""


class Outbox(Protocol):
    """Sends what an agent made of a batch. `commits`: the source's offset goes out with it, and nobody else may commit it."""

    commits: bool

    async def hold(self, sources: Set[Partition]) -> None:
        """These partitions are this process's from now on, and no others. Raises KafkaError."""
        ...

    async def send(self, source: Partition, out: Iterable[Message], states: Iterable[Message], offset: int) -> int | None:
        """Send records and states, until the broker has them; `offset` is the one behind the batch. Gives the last state's offset.

        Raises KafkaError where the broker has not got them: the caller must stop then, for a later message sent after a lost one would
        leave a gap that no replay fills.
        """
        ...


class Idempotent:
    """Through one producer: records first, states when the broker has those. The caller's lease is what keeps a process out that lost
    its partitions."""

    commits = False

    def __init__(self, producer: Callable[[], AIOKafkaProducer]) -> None:
        self._producer = producer
        self._waiting: list[Message] = []
        self._next: asyncio.Task[Offsets] | None = None

    async def hold(self, sources: Set[Partition]) -> None:
        """Nothing to do: one producer serves all."""

    async def send(self, source: Partition, out: Iterable[Message], states: Iterable[Message], offset: int) -> int | None:
        """Send records, then states."""
        await self._ship(list(out))
        kept = list(states)
        sent = await self._ship(kept)
        return sent.get(kept[0][:2]) if kept else None

    async def _ship(self, messages: Sequence[Message]) -> Offsets:
        """Send with what the batches of other partitions, taken at the same time, have to send: a request costs more than what is in it."""
        if not messages:
            return {}
        self._waiting += messages
        if self._next is None:
            self._next = asyncio.create_task(self._ship_waiting())
        return await asyncio.shield(self._next)

    async def _ship_waiting(self) -> Offsets:
        messages, self._waiting, self._next = self._waiting, [], None
        return await ship(self._producer(), messages)


class Transactional:
    """Through a producer a source partition: records, states and the source's offset in one transaction, so that readers see all or
    none, and a process that lost the partition is refused by the broker.

    `new` makes a producer for a transactional id, `metadata` what is committed beside a topic's offset.
    """

    commits = True

    def __init__(self, new: Callable[[str], AIOKafkaProducer], name: str, group: str, metadata: Callable[[str], str]) -> None:
        self._new, self._name, self._group, self._metadata = new, name, group, metadata
        self._producers: dict[Partition, AIOKafkaProducer] = {}

    async def hold(self, sources: Set[Partition]) -> None:
        """Open the producers: the broker ends what a former owner of a partition left open, and refuses that owner from then on.

        All are opened anew: a partition that came back may have been another's in between.
        """
        await asyncio.gather(*(producer.stop() for producer in self._producers.values()))
        self._producers = {source: self._new(f"{self._name}-{source[0]}-{source[1]}") for source in sources}
        await asyncio.gather(*(producer.start() for producer in self._producers.values()))

    async def send(self, source: Partition, out: Iterable[Message], states: Iterable[Message], offset: int) -> int | None:
        """Send all in one transaction."""
        producer = self._producers[source]
        await producer.begin_transaction()
        kept = list(states)
        _, sent = await asyncio.gather(ship(producer, out, transactional=True), ship(producer, kept, transactional=True))
        place: Mapping[TopicPartition, OffsetAndMetadata] = {
            TopicPartition(*source): OffsetAndMetadata(offset, self._metadata(source[0])),
        }
        await producer.send_offsets_to_transaction(place, self._group)
        await producer.commit_transaction()
        return sent.get(kept[0][:2]) if kept else None


async def ship(producer: AIOKafkaProducer, messages: Iterable[Message], *, transactional: bool = False) -> Offsets:
    """Send through a producer in batches (a future a batch, not a record) and wait until the broker has all. Gives the highest offset
    that a message to each partition got, where the broker tells. Raises KafkaError."""
    open_: dict[tuple[str, int], list[tuple[bytes | None, bytes | None]]] = {}
    for topic, partition, key, value in messages:
        open_.setdefault((topic, partition), []).append((key, value))
    sent = [(to, done) for to, pairs in open_.items() for done in await _ship_partition(producer, *to, pairs, transactional)]
    offsets = await asyncio.gather(*(done for _, done in sent))
    last: Offsets = {}
    for (to, _), offset in zip(sent, offsets, strict=True):
        if offset is not None:
            last[to] = max(offset, last.get(to, -1))
    return last


async def _ship_partition(
    producer: AIOKafkaProducer, topic: str, partition: int, pairs: list[tuple[bytes | None, bytes | None]], transactional: bool
) -> list[Awaitable[int | None]]:
    sent: list[Awaitable[int | None]] = []
    few = sum(len(key or b"") + len(value or b"") for key, value in pairs) < _NOT_WORTH_COMPRESSING
    batch = BatchBuilder(2 * _NOT_WORTH_COMPRESSING, 0, is_transactional=transactional) if few else producer.create_batch()
    for key, value in pairs:
        if batch.append(key=key, value=value, timestamp=None) is None:  # full; an empty batch takes a record of any size
            sent.append(await _close(producer, batch, topic, partition))
            batch = producer.create_batch()
            batch.append(key=key, value=value, timestamp=None)
    sent.append(await _close(producer, batch, topic, partition))
    return sent


async def _close(producer: AIOKafkaProducer, batch: BatchBuilder, topic: str, partition: int) -> Awaitable[int | None]:
    batch.close()
    done = await producer.send_batch(batch, topic, partition=partition)
    return _last_offset(done, batch.record_count())


async def _last_offset(done: "asyncio.Future[object]", records: int) -> int | None:
    """None: a retry found the batch there, and the broker no longer knows where."""
    first: int = getattr(await done, "offset", -1)
    return first + records - 1 if first >= 0 else None
