"""The binding to Faust 0.15.3: whole fetched batches go to a core, whole producer batches go out.

Faust keeps what it is good at: groups, assignment, table recovery, the commit timer. Its per-message path (two tasks a message in the
drain, a queue, an iterator, a future a record) serves changelogs only. A batch goes through in five steps, in `_take`:

1. fetch: Faust's consumer has records of one partition; none are taken while partitions change hands;
2. step: the core makes of them records to send and new states;
3. send: the records go out, and the broker has them;
4. state: the new states go to the changelog, the broker has them, and only then are they the table's;
5. commit: the offset may be committed, by the timer or when the partition is handed over.

A crash before the end of 3 repeats the batch on the old states; before the end of 4 on states of which some are new, and each state
knows what it took; before 5 on the new states. What is sent again is the same each time, so readers drop it.

This file alone knows Faust's private parts: `Consumer._drain_messages`, `_wait_next_records`, `_read_offset`, `_new_offset`,
`_filter_tps_with_pending_acks`, `Producer._settings_extra`, `Producer._producer`, `App._new_transport`, `App._new_producer_transport`
and, of the thread's `_consumer`, `_coordinator` with `_do_heartbeat` and `_group_instance_id`, and `_fetcher._proc_fetch_request`.
tests/agents/binding/test_private_parts.py names each: where a release moves one, that test fails; read the same method in the new
release and mend it here.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import faust
from aiokafka.structs import ConsumerRecord
from faust.transport.drivers import aiokafka as driver
from faust.types import TP

from agents.binding.batch import Core, Incoming
from agents.binding.lease import EXIT_CRASHED, EXIT_SEND_FAILED, SESSION_SECONDS, Lease, die
from agents.binding.outbox import Message, Outbox
from schemas.codec import encode
from schemas.partition import partition_of
from schemas.records import Tick

TICK_SECONDS = 60.0
_EMPTY_FETCH_SECONDS = 0.05
_MAX_REQUEST_BYTES = 40 * 1024 * 1024
_MAX_BATCH_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where an agent runs. `epochs`: identity of each source topic, by its name without prefix; `member`: a name that this process has
    in its groups and that its successor takes over; `security`: Faust's credentials."""

    brokers: str
    prefix: str
    partitions: int
    data: Path
    epochs: Mapping[str, str]
    member: str
    security: Any = None


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent to be bound: its name, the topics it reads and its core. `stateful`: it keeps a table; `ticks`: it writes a tick a
    minute to each partition of its source that it holds, which moves stream time on where nothing else comes (SPEC 5.11)."""

    name: str
    sources: tuple[str, ...]
    core: Core
    stateful: bool = False
    ticks: bool = False
    max_poll_records: int = field(default=5_000)


class Consumer(driver.Consumer):
    """Hands whole batches to the app. `busy` is held while a batch is taken: whoever commits or hands a partition over waits for it."""

    app: "App"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.busy = asyncio.Lock()
        self._next: dict[TP, int] = {}

    async def _drain_messages(self, fetcher: Any) -> None:
        try:
            while not (self._stopped.is_set() or fetcher._stopped.is_set()):
                await asyncio.sleep(0)
                records, _ = await self._wait_next_records(timeout=1.0)
                if not records or self.should_stop:
                    continue
                generation = self.app.consumer_generation_id
                for tp, fetched in records.items():
                    await self._drain(TP(*tp), fetched, generation)
        except self.consumer_stopped_errors:
            if not self.app.should_stop:
                raise
        except asyncio.CancelledError:
            if not self.app.should_stop:
                raise

    async def _drain(self, tp: TP, fetched: Sequence[ConsumerRecord], generation: int) -> None:
        if tp.topic not in self.app.sources:  # a changelog, in recovery: Faust's own path
            for record in fetched:
                await self.wait_first(self.callback(self._to_message(tp, record)), self.suspend_flow.wait())
                self._read_offset[tp] = record.offset
            return
        async with self.busy:
            if not self.flow_active or generation != self.app.consumer_generation_id:
                await self._give_back(tp, fetched[0].offset)
                return
            read = self._read_offset[tp]
            fresh = fetched if read is None else [r for r in fetched if r.offset >= read]
            if fresh:
                await self.app.take(tp, fresh)
                self._read_offset[tp] = self._next[tp] = fresh[-1].offset + 1

    async def _give_back(self, tp: TP, offset: int) -> None:
        """Records that came while partitions change hands are not taken. The consumer's position is behind them already, and Faust's own
        seek after a rebalance leaves a partition without a committed offset where it stands: so they are asked for again here."""
        if tp in self.assignment():
            await self.seek(tp, offset)

    async def on_partitions_revoked(self, revoked: set[TP]) -> None:
        """Finish the batch at work and commit it, then hand over: the successor replays nothing."""
        self.stop_flow()
        async with self.busy:
            await self.commit()
        await super().on_partitions_revoked(revoked)
        self._next = {tp: offset for tp, offset in self._next.items() if tp not in revoked}

    async def on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        """A new generation is an answer of the coordinator: the lease begins anew."""
        self.app.lease.renew()
        thread: Any = self._thread
        self.app.lease.follow(thread._consumer._coordinator)
        be_patient(thread._consumer._fetcher)
        self.app.held = {tp for tp in assigned if tp.topic in self.app.sources}
        await super().on_partitions_assigned(assigned, generation_id)

    def _filter_tps_with_pending_acks(self, topics: Any = None) -> Any:
        yield from super()._filter_tps_with_pending_acks(topics)
        yield from (tp for tp in self._next if topics is None or tp in topics or tp.topic in topics)

    def _new_offset(self, tp: TP) -> int | None:
        return self._next.get(tp) or super()._new_offset(tp)


class Producer(driver.Producer):
    """Idempotent: a retry neither repeats nor reorders."""

    def _settings_extra(self) -> Mapping[str, Any]:
        return {"acks": "all", "enable_idempotence": True}


class Transport(driver.Transport):
    """Faust's aiokafka transport with our consumer and producer."""

    Consumer = Consumer
    Producer = Producer


def be_patient(fetcher: Any) -> None:
    """Wait a little where a broker answers a fetch at once with nothing: Kafka holds it until there is something (fetch.max.wait.ms),
    noida-db does not, and asking it again without a pause takes half a core."""
    if getattr(fetcher._proc_fetch_request, "patient", False):
        return
    fetch = fetcher._proc_fetch_request

    async def proc_fetch_request(assignment: Any, node: Any, request: Any) -> bool:
        asked = time.monotonic()
        found: bool = await fetch(assignment, node, request)
        if not found and time.monotonic() - asked < _EMPTY_FETCH_SECONDS:
            with suppress(asyncio.CancelledError):  # as the method itself: its partitions are gone, and so is its use
                await asyncio.sleep(_EMPTY_FETCH_SECONDS)
        return found

    proc_fetch_request.patient = True  # type: ignore[attr-defined]
    fetcher._proc_fetch_request = proc_fetch_request


class App(faust.App):
    """One agent as a Faust app: its group is `<prefix><agent>`."""

    def __init__(self, agent: Agent, cluster: Cluster) -> None:
        super().__init__(
            cluster.prefix + agent.name,
            broker=[f"kafka://{b}" for b in cluster.brokers.split(",")],
            broker_credentials=cluster.security,
            datadir=cluster.data,
            store="memory://",
            topic_partitions=cluster.partitions,
            topic_allow_declare=False,
            topic_disable_leader=True,
            autodiscover=False,
            web_enabled=False,
            web_tables_enabled=False,
            stream_wait_empty=False,
            broker_commit_interval=0.5,
            broker_max_poll_records=agent.max_poll_records,
            broker_session_timeout=SESSION_SECONDS,
            consumer_group_instance_id=cluster.member,
            broker_heartbeat_interval=SESSION_SECONDS / 5,
            broker_request_timeout=60.0,
            producer_compression_type="zstd",
            producer_max_request_size=_MAX_REQUEST_BYTES,
            producer_max_batch_size=_MAX_BATCH_BYTES,
        )
        self.agent_, self.cluster, self.lease = agent, cluster, Lease()
        self.sources = {cluster.prefix + name: name for name in agent.sources}
        self.held: set[TP] = set()
        raw: dict[str, Any] = {"key_type": bytes, "value_type": bytes, "key_serializer": "raw", "value_serializer": "raw"}
        for name in self.sources:
            self.agent(self.topic(name, **raw), name=name)(_subscribe)
        self.kept_states = self.Table("state", partitions=cluster.partitions, key_type=bytes, value_type=bytes) if agent.stateful else None
        if agent.ticks:
            self.timer(TICK_SECONDS)(self._tick)

    def _new_transport(self) -> Transport:
        return Transport(self.conf.broker_consumer, self)

    def _new_producer_transport(self) -> Transport:
        return Transport(self.conf.broker_producer, self)

    def recovered(self) -> bool:
        """Whether it has its partitions and what their table held."""
        tables: Any = self.tables
        return bool(self.started and tables.recovery.completed.is_set())

    async def take(self, tp: TP, records: Sequence[ConsumerRecord]) -> None:
        """Steps 2 to 4 of a batch of one partition."""
        topic = self.sources[tp.topic]
        epoch = self.cluster.epochs[topic]
        # A broker gives all records of a producer's batch one time.
        times = {stamp: datetime.fromtimestamp(stamp / 1000, UTC) for stamp in {r.timestamp for r in records}}
        batch = [Incoming(topic, epoch, r.partition, r.offset, times[r.timestamp], r.key, r.value) for r in records]
        table = self._table()
        # Faust keeps one mapping for all partitions of a table, a core's keys are its partition's own.
        mine = tp.partition.to_bytes(2, "big")
        result = self.agent_.core.step(tp.partition, batch, lambda key: table.get(mine + key))
        partitions = self.cluster.partitions
        await self._send((self.cluster.prefix + o.topic, partition_of(o.log, partitions), o.key, o.value) for o in result.out)
        if self.kept_states is None:
            return
        changelog = self.kept_states.changelog_topic.get_topic_name()
        states = {mine + key: value for key, value in result.states.items()}
        await self._send((changelog, tp.partition, key, value) for key, value in states.items())
        for key, value in states.items():
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value

    def _table(self) -> dict[bytes, bytes]:
        store: Any = self.kept_states.data if self.kept_states is not None else None
        return store.data if store is not None else {}

    async def _send(self, messages: Iterable[Message]) -> None:
        self.lease.check()
        try:
            producer: Any = self.producer
            await Outbox(producer._producer).send(messages)
        except Exception as error:
            die(EXIT_SEND_FAILED, f"the broker did not take what agent {self.agent_.name} sent ({type(error).__name__}: {error})")

    async def _tick(self) -> None:
        if self.rebalancing:
            return
        tick = encode(Tick(at=datetime.now(UTC)))
        await self._send([(tp.topic, tp.partition, b"tick", tick) for tp in self.held])


async def _subscribe(stream: Any) -> None:
    """Only so that Faust subscribes to the topic and assigns it together with the agent's table; batches go another way."""
    async for _ in stream:
        pass


async def run(apps: Sequence[App], stop: asyncio.Event, ready: Callable[[], None]) -> None:
    """Run agents in this process until `stop` is set. `ready()` is called once each has its partitions and its table.

    Raises what keeps an agent from starting; ends the process where an agent can't go on.
    """
    async with asyncio.TaskGroup() as group:
        for app in apps:
            group.create_task(_run_one(app, stop))
        while not stop.is_set() and not all(app.recovered() for app in apps):
            await asyncio.sleep(0.05)
        if not stop.is_set():
            ready()


async def _run_one(app: App, stop: asyncio.Event) -> None:
    app.cluster.data.mkdir(parents=True, exist_ok=True)
    await app.start()
    stopping, ended = asyncio.create_task(stop.wait()), asyncio.create_task(app.wait_until_stopped())
    await asyncio.wait([stopping, ended], return_when=asyncio.FIRST_COMPLETED)
    if app.crashed:
        die(EXIT_CRASHED, f"agent {app.agent_.name} can't go on ({app.crash_reason!r})")
    app.lease.leave()
    await app.stop()
