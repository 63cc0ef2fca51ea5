"""Faust's transport, changed where whole batches and a fence need it: its consumer, its producer, and what lies under them.

This file and agent.py know Faust's and aiokafka's private parts; tests/agents/binding/test_private_parts.py names each. Where a release
moves one, that test fails: read the same method in the new release and mend it here.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import uvloop
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError
from aiokafka.structs import ConsumerRecord, OffsetAndMetadata
from faust.transport.drivers import aiokafka as driver
from faust.types import TP

from agents.binding.lease import EXIT_SEND_FAILED, Lease, die
from agents.binding.outbox import Outbox
from agents.binding.states import States

_WAIT_SECONDS = 1.0
_ASK_AGAIN_SECONDS = 0.1
_EMPTY_FETCH_SECONDS = 0.05
_FETCH_SECONDS = 0.024
"""From one fetch to the next, at least: what comes in between then makes one batch, where else each record would be one."""


class Host(Protocol):
    """What the transport asks of its app, beside what Faust's own does. `sources`: the topics whose batches are taken, by full name;
    `changelog`: its table's; `held`: their partitions that are this process's."""

    agent_name: str
    sources: Mapping[str, str]
    changelog: str | None
    held: set[TP]
    lease: Lease
    outbox: Outbox
    states: States
    consumer_generation_id: int
    should_stop: bool
    tables: Any

    def epoch(self, topic: str) -> str:
        """Identity of a topic, by its full name."""
        ...

    def recovered(self) -> bool:
        """Whether it has its partitions and what their table held."""
        ...

    async def take(self, tp: TP, records: Sequence[ConsumerRecord], behind: int) -> None:
        """Take a batch; `behind` is the offset after it. When it returns, what came of it is on the broker."""
        ...


class _Hosted:
    """Part of a transport, with its app as what it is."""

    app: Any

    @property
    def host(self) -> Host:
        host: Host = self.app
        return host


class Consumer(_Hosted, driver.Consumer):
    """Hands whole batches to the app. `busy` is held while batches are taken: whoever commits or hands a partition over waits for it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.busy = asyncio.Lock()
        self._next: dict[TP, int] = {}

    def _new_consumer_thread(self) -> "Thread":
        return Thread(self, loop=self.loop, beacon=self.beacon)

    async def _drain_messages(self, fetcher: Any) -> None:
        try:
            while not (self._stopped.is_set() or fetcher._stopped.is_set()):
                await asyncio.sleep(0)
                found, _ = await self._wait_next_records(timeout=_WAIT_SECONDS)
                records = found or {}
                if self.should_stop:
                    continue
                generation = self.host.consumer_generation_id
                for tp, fetched in records.items():
                    if tp.topic not in self.host.sources:
                        await self._copy(TP(*tp), fetched, generation)
                async with self.busy:
                    await asyncio.gather(
                        *(self._take(TP(*tp), fetched, generation) for tp, fetched in records.items() if tp.topic in self.host.sources)
                    )
                    if not records:
                        await self._pass_markers()
                await self._end_recovery()
        except self.consumer_stopped_errors:
            if not self.host.should_stop:
                raise
        except asyncio.CancelledError:
            if not self.host.should_stop:
                raise

    async def _copy(self, tp: TP, fetched: Sequence[ConsumerRecord], generation: int) -> None:
        """A changelog, in recovery or as a standby: the whole batch is copied, and Faust is told of its last record, from which it knows
        how far the table is. After a rebalance it is asked for again from where the copy ends."""
        if generation != self.host.consumer_generation_id:
            return
        last = fetched[-1]
        self.host.states.apply(tp.partition, {r.key: r.value for r in fetched}, last.offset)
        await self.wait_first(self.callback(self._to_message(tp, last)), self.suspend_flow.wait())
        self._read_offset[tp] = last.offset

    async def _take(self, tp: TP, fetched: Sequence[ConsumerRecord], generation: int) -> None:
        if not self.flow_active or generation != self.host.consumer_generation_id:
            await self._give_back(tp, fetched[0].offset)
            return
        read = self._read_offset[tp]
        fresh = fetched if read is None else [r for r in fetched if r.offset >= read]
        if not fresh:
            return
        behind = fresh[-1].offset + 1
        await self.host.take(tp, fresh, behind)
        self._read_offset[tp] = behind
        if not self.host.outbox.commits:
            self._next[tp] = behind

    async def _give_back(self, tp: TP, offset: int) -> None:
        """Records that came while partitions change hands are not taken. The consumer's position is behind them already, and Faust's own
        seek after a rebalance leaves a partition without a committed offset where it stands: so they are asked for again here."""
        if tp in self.assignment():
            await self.seek(tp, offset)

    async def _pass_markers(self) -> None:
        """Commit past the ends of transactions, which are offsets without a record: else a group that read everything looks behind."""
        if not self.flow_active or not self.host.recovered():
            return
        for tp in self.host.held & self.assignment():
            read, at = self._read_offset[tp], await self.position(tp)
            if read is not None and at is not None and at > read:
                self._read_offset[tp] = self._next[tp] = at

    async def _end_recovery(self) -> None:
        """Faust waits for the record before a changelog's end, and where a transaction ended there it is none: tell it. A partition that
        is still paused was not sought yet: its position is of what was read before the rebalance."""
        recovery = self.host.tables.recovery
        if not recovery.in_recovery:
            return
        for tp, highwater in list(recovery.active_highwaters.items()):
            copied = recovery.active_offsets[tp]
            behind = highwater is not None and copied is not None and copied < highwater
            if behind and tp in self._get_active_partitions() and (await self.position(tp) or 0) > highwater:
                recovery.active_offsets[tp] = highwater
        if recovery.in_recovery and recovery.active_highwaters and not recovery.need_recovery():
            recovery._set_recovery_ended()
            recovery.signal_recovery_end.set()

    async def on_partitions_revoked(self, revoked: set[TP]) -> None:
        """Finish the batches at work and commit them, then hand over: the successor replays nothing."""
        self.stop_flow()
        async with self.busy:
            await self.commit()
        await super().on_partitions_revoked(revoked)
        self._next = {tp: offset for tp, offset in self._next.items() if tp not in revoked}

    async def on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        """A new generation is an answer of the coordinator: the lease begins anew. The outbox holds the partitions before recovery reads
        how far their changelogs go."""
        self.host.lease.renew()
        thread: Any = self._thread
        self.host.lease.follow(thread._consumer._coordinator)
        be_patient(thread._consumer._fetcher)
        end_anew(self.host.tables.recovery)
        self.host.held = {tp for tp in assigned if tp.topic in self.host.sources}
        try:
            await self.host.outbox.hold(self.host.held)
        except KafkaError as error:
            die(EXIT_SEND_FAILED, f"the broker lets agent {self.host.agent_name} send nothing ({type(error).__name__}: {error})")
        await super().on_partitions_assigned(assigned, generation_id)

    def _filter_tps_with_pending_acks(self, topics: Any = None) -> Any:
        yield from super()._filter_tps_with_pending_acks(topics)
        yield from (tp for tp in self._next if topics is None or tp in topics or tp.topic in topics)

    def _new_offset(self, tp: TP) -> int | None:
        return self._next.get(tp) or super()._new_offset(tp)


class Thread(_Hosted, driver.AIOKafkaConsumerThread):
    """Where aiokafka's consumer lives. It reads committed records only, and a commit carries the epoch of its topic."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # mode makes a loop of asyncio's own, which takes half as much time again for the same requests.
        super().__init__(*args, thread_loop=uvloop.new_event_loop(), **kwargs)
        self._close_thread_loop_on_stop = True

    def _create_worker_consumer(self, transport: Any) -> Any:
        consumer: Any = super()._create_worker_consumer(transport)
        consumer._isolation_level = "read_committed"
        know_topics(consumer._client, {*self.host.sources, *filter(None, [self.host.changelog])})
        commit_with_epoch(consumer, self.host.epoch)
        return consumer


def end_anew(recovery: Any) -> None:
    """A recovery that begins waits for its own end. The end of the one before it is told for up to five seconds, and what a rebalance
    brought meanwhile would be taken for copied: its table would be empty."""
    if getattr(recovery._set_recovery_started, "anew", False):
        return
    begin = recovery._set_recovery_started

    def set_recovery_started() -> None:
        recovery.signal_recovery_end.clear()
        begin()

    set_recovery_started.anew = True  # type: ignore[attr-defined]
    recovery._set_recovery_started = set_recovery_started


def know_topics(client: Any, topics: Iterable[str]) -> None:
    """A leader gives its group the partitions that it knows of. A broker that has just come back may tell it of none, and then nobody
    would read anything until metadata are told again, minutes later: so it asks until it knows every topic that its agent has."""
    wait = client._maybe_wait_metadata

    async def maybe_wait_metadata() -> None:
        await wait()
        while not all(client.cluster.partitions_for_topic(topic) for topic in topics):
            await asyncio.sleep(_ASK_AGAIN_SECONDS)
            await client.force_metadata_update()

    client._maybe_wait_metadata = maybe_wait_metadata


def commit_with_epoch(consumer: Any, epoch: Callable[[str], str]) -> None:
    """Offsets are of one topic: one that was deleted and made anew is read from its start, whatever was committed of the old one."""
    commit = consumer.commit

    async def committing(offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        await commit({tp: OffsetAndMetadata(place.offset, epoch(tp.topic)) for tp, place in offsets.items()})

    async def committed(tp: TopicPartition) -> int | None:
        place = (await consumer._coordinator.fetch_committed_offsets([tp])).get(tp)
        if place is None or place.offset < 0:
            return None
        if place.metadata not in ("", epoch(tp.topic)):
            consumer._fetcher.seek_to(tp, 0)
            return None
        offset: int = place.offset
        return offset

    consumer.commit, consumer.committed = committing, committed


class Producer(_Hosted, driver.Producer):
    """Idempotent: a retry neither repeats nor reorders. What it puts on the wire, it puts there under the lease."""

    def _settings_extra(self) -> Mapping[str, Any]:
        return {"acks": "all", "enable_idempotence": True}

    def _new_producer(self, transactional_id: str | None = None) -> Any:
        producer: Any = super()._new_producer(transactional_id)
        self.host.lease.guard(producer.client)
        return producer


class Transport(driver.Transport):
    """Faust's aiokafka transport with our consumer and producer."""

    Consumer = Consumer
    Producer = Producer


def be_patient(fetcher: Any) -> None:
    """Ask a broker no more often than is of use.

    Kafka answers a fetch with the first record that comes, and a batch of one record costs as much as one of a hundred. noida-db answers at
    once even where there is nothing, and asking it again without a pause takes half a core.
    """
    if getattr(fetcher._proc_fetch_request, "patient", False):
        return
    fetch = fetcher._proc_fetch_request
    earliest: dict[Any, float] = {}

    async def proc_fetch_request(assignment: Any, node: Any, request: Any) -> bool:
        with suppress(asyncio.CancelledError):  # as the method itself: its partitions are gone, and so is its use
            await asyncio.sleep(max(0.0, earliest.get(node, 0.0) - time.monotonic()))
            asked = time.monotonic()
            earliest[node] = asked + _FETCH_SECONDS
            found: bool = await fetch(assignment, node, request)
            if not found and time.monotonic() - asked < _EMPTY_FETCH_SECONDS:
                earliest[node] = time.monotonic() + _EMPTY_FETCH_SECONDS
            return found
        return False

    proc_fetch_request.patient = True  # type: ignore[attr-defined]
    fetcher._proc_fetch_request = proc_fetch_request
