"""By hand on aiokafka: as confluent_hand.py, on asyncio, filling producer batches itself."""

import asyncio
import signal
import time
from typing import Any

import uvloop
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRebalanceListener, TopicPartition
from aiokafka.partitioner import murmur2

from bench import job

BATCH = 2_000
COMMIT_SECONDS = 1.0


class Batches:
    """Records to go out, one open producer batch a partition."""

    def __init__(self, producer: AIOKafkaProducer) -> None:
        self._producer = producer
        self._open: dict[tuple[str, int], Any] = {}
        self._sent: list[asyncio.Future[Any]] = []

    async def add(self, topic: str, key: bytes, value: bytes, partition: int | None = None) -> None:
        """Put a record into its partition's batch; a full one is sent."""
        if partition is None:
            partition = (murmur2(key) & 0x7FFFFFFF) % job.PARTITIONS
        batch = self._open.get((topic, partition))
        if batch is None or batch.append(key=key, value=value, timestamp=None) is None:
            if batch is not None:
                await self._ship(topic, partition, batch)
            batch = self._open[topic, partition] = self._producer.create_batch()
            batch.append(key=key, value=value, timestamp=None)

    async def push(self) -> None:
        """Send what is open."""
        for (topic, partition), batch in self._open.items():
            await self._ship(topic, partition, batch)
        self._open.clear()

    async def flush(self) -> None:
        """Wait until the broker has everything."""
        await self.push()
        sent, self._sent = self._sent, []
        await asyncio.gather(*sent)

    async def _ship(self, topic: str, partition: int, batch: Any) -> None:
        batch.close()
        self._sent.append(await self._producer.send_batch(batch, topic, partition=partition))


class Loop(ConsumerRebalanceListener):  # type: ignore[misc]
    """One process's share of the partitions."""

    def __init__(self, setting: job.Setting) -> None:
        self._setting = setting
        self._progress = job.Progress()
        self._outcomes, self._credits = setting.topic("outcomes"), setting.topic("credits")
        self._candidates, self._changelog = setting.topic("candidates"), setting.topic("changelog")
        self._states: dict[int, dict[bytes, bytes]] = {}
        self._done: dict[TopicPartition, int] = {}
        self._ready = asyncio.Event()

    async def run(self) -> None:
        """Work until TERM."""
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        servers = {"bootstrap_servers": self._setting.brokers}
        producer = AIOKafkaProducer(**servers, acks="all", enable_idempotence=True, max_batch_size=131_072)
        self._consumer = AIOKafkaConsumer(
            **servers, group_id=f"{self._setting.name}-hand", auto_offset_reset="earliest", enable_auto_commit=False, fetch_max_wait_ms=50
        )
        await producer.start()
        self._out = Batches(producer)
        self._consumer.subscribe([self._outcomes, self._credits], listener=self)
        await self._consumer.start()
        due = time.monotonic() + COMMIT_SECONDS
        while not stop.is_set():
            got = await self._consumer.getmany(timeout_ms=20, max_records=BATCH)
            if got:
                await self._ready.wait()  # records come while on_partitions_assigned still loads the states
                await self._take(got)
            if time.monotonic() > due:
                await self._commit()
                due = time.monotonic() + COMMIT_SECONDS
        await self._commit()
        await self._consumer.stop()
        await producer.stop()

    async def _take(self, got: dict[TopicPartition, list[Any]]) -> None:
        add, counted = self._out.add, 0
        changed: dict[bytes, int] = {}
        for tp, messages in got.items():
            if tp.topic == self._credits:
                states = self._states[tp.partition]
                for message in messages:
                    learning = message.key
                    id_, flags, at = job.unpack_credit(message.value)
                    before = states.get(learning)
                    after, passes = job.count(before, id_, flags)
                    if after is not before:
                        states[learning] = after
                        changed[learning] = tp.partition
                    if passes:
                        await add(self._candidates, learning, job.candidate(learning, after, at))
                counted += len(messages)
            else:
                for message in messages:
                    for learning, credit in job.split(job.decode(message.value)):
                        await add(self._credits, learning, credit)
            self._done[tp] = messages[-1].offset + 1
        for learning, partition in changed.items():
            await add(self._changelog, learning, self._states[partition][learning], partition)
        await self._out.push()
        self._progress.counted += counted

    async def _commit(self) -> None:
        await self._out.flush()
        if self._done:
            await self._consumer.commit(dict(self._done))
            self._done.clear()

    async def on_partitions_revoked(self, revoked: Any) -> None:
        """Hand over: what was taken is committed."""
        self._ready.clear()
        await self._commit()
        self._states.clear()

    async def on_partitions_assigned(self, assigned: Any) -> None:
        """Load the states of what came."""
        for tp in assigned:
            if tp.topic == self._credits:
                self._states[tp.partition] = await self._load(tp.partition)
        self._ready.set()

    async def _load(self, partition: int) -> dict[bytes, bytes]:
        consumer = AIOKafkaConsumer(bootstrap_servers=self._setting.brokers, enable_auto_commit=False)
        await consumer.start()
        tp = TopicPartition(self._changelog, partition)
        consumer.assign([tp])
        states: dict[bytes, bytes] = {}
        end = (await consumer.end_offsets([tp]))[tp]
        if end:
            await consumer.seek_to_beginning(tp)
            while await consumer.position(tp) < end:
                for messages in (await consumer.getmany(tp, timeout_ms=500)).values():
                    states.update((m.key, m.value) for m in messages)
        await consumer.stop()
        return states


async def main() -> None:
    """Run in this process."""
    await Loop(job.Setting()).run()


if __name__ == "__main__":
    uvloop.run(main())
