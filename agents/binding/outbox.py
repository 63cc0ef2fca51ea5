"""What goes out: whole producer batches, one open batch a partition, in order; nothing is taken for sent before the broker has it."""

import asyncio
from collections.abc import Iterable

from aiokafka import AIOKafkaProducer
from aiokafka.producer.message_accumulator import BatchBuilder

Message = tuple[str, int, bytes | None, bytes | None]
"""Full topic name, partition, key, value."""


class Outbox:
    """Sends through an aiokafka producer in batches: a future a batch, not a record."""

    def __init__(self, producer: AIOKafkaProducer) -> None:
        self._producer = producer

    async def send(self, messages: Iterable[Message]) -> None:
        """Send and wait until the broker has all of it. Raises aiokafka's KafkaError where it has not: the caller must stop then,
        for a later message sent after a lost one would leave a gap that no replay fills."""
        open_: dict[tuple[str, int], list[tuple[bytes | None, bytes | None]]] = {}
        for topic, partition, key, value in messages:
            open_.setdefault((topic, partition), []).append((key, value))
        sent = [f for (topic, partition), pairs in open_.items() for f in await self._ship(topic, partition, pairs)]
        await asyncio.gather(*sent)

    async def _ship(self, topic: str, partition: int, pairs: list[tuple[bytes | None, bytes | None]]) -> list["asyncio.Future[object]"]:
        sent: list[asyncio.Future[object]] = []
        batch = self._producer.create_batch()
        for key, value in pairs:
            if batch.append(key=key, value=value, timestamp=None) is None:  # full; an empty batch takes a record of any size
                sent.append(await self._close(batch, topic, partition))
                batch = self._producer.create_batch()
                batch.append(key=key, value=value, timestamp=None)
        sent.append(await self._close(batch, topic, partition))
        return sent

    async def _close(self, batch: BatchBuilder, topic: str, partition: int) -> "asyncio.Future[object]":
        batch.close()
        sent: asyncio.Future[object] = await self._producer.send_batch(batch, topic, partition=partition)
        return sent
