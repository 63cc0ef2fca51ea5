"""The binding to Faust 0.15.3: whole fetched batches go to a core, whole producer batches go out.

Faust keeps what it is good at: groups, assignment, table recovery, standbys, the commit timer. Its per-message path (two tasks a message
in the drain, a queue, an iterator, a future a record) serves nothing here. A batch goes through in five steps:

1. fetch: Faust's consumer has records of one partition; none are taken while partitions change hands;
2. step: the core makes of them records to send and new states;
3. send: the records go out, and the broker has them;
4. state: the new states go to the changelog, the broker has them, and only then are they this process's;
5. commit: the offset may be committed, by the timer or when the partition is handed over.

A crash before the end of 3 repeats the batch on the old states; before the end of 4 on states of which some are new, and each state
knows what it took; before 5 on the new states. What is sent again is the same each time, so readers drop it. With transactions 3 to 5 are
one: a crash before its end leaves nothing of the batch, after it all.

Steps 1 and 5 are transport.py's, 2 to 4 `App.take`'s, what is sent how outbox.py's, what is kept where states.py's.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import faust
from aiokafka.errors import ProducerFenced
from aiokafka.structs import ConsumerRecord
from faust.stores.base import Store
from faust.types import TP

from agents.binding.batch import Core, Incoming, partitions_of
from agents.binding.lease import EXIT_CRASHED, EXIT_LEASE_OVER, EXIT_SEND_FAILED, SESSION_SECONDS, Lease, die
from agents.binding.outbox import Idempotent, Outbox, Transactional, ship
from agents.binding.states import NewStates, States
from agents.binding.transport import Transport
from schemas.codec import encode
from schemas.records import Tick

TICK_SECONDS = 60.0
_MAX_REQUEST_BYTES = 40 * 1024 * 1024
_MAX_BATCH_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where an agent runs. `epochs`: identity of each topic, by its name without prefix; `member`: a name that this process has in its
    groups and that its successor takes over; `new_states`: makes where an agent's states are; `transactions`: whether what a batch makes
    goes out as one, fenced by the broker, or by the lease alone; `security`: Faust's credentials."""

    brokers: str
    prefix: str
    partitions: int
    data: Path
    epochs: Mapping[str, str]
    member: str
    new_states: NewStates
    transactions: bool = False
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


class App(faust.App):
    """One agent as a Faust app: its group is `<prefix><agent>`."""

    def __init__(self, agent: Agent, cluster: Cluster) -> None:
        super().__init__(
            cluster.prefix + agent.name,
            broker=[f"kafka://{b}" for b in cluster.brokers.split(",")],
            broker_credentials=cluster.security,
            datadir=cluster.data,
            Table=_Table,
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
        self.agent_name, self.cluster, self.lease = agent.name, cluster, Lease()
        self._core = agent.core
        self.sources = {cluster.prefix + name: name for name in agent.sources}
        self.held: set[TP] = set()
        raw: dict[str, Any] = {"key_type": bytes, "value_type": bytes, "key_serializer": "raw", "value_serializer": "raw"}
        for name in self.sources:
            self.agent(self.topic(name, **raw), name=name)(_subscribe)
        self.changelog: str | None = None
        if agent.stateful:
            table = self.Table("state", partitions=cluster.partitions, key_type=bytes, value_type=bytes)
            self.changelog = table.changelog_topic.get_topic_name()
        self.states: States = cluster.new_states(agent.name, self.epoch(self.changelog) if self.changelog else "")
        self.outbox: Outbox = (
            Transactional(self._producers, self.conf.id, self.conf.id, self.epoch)
            if cluster.transactions
            else Idempotent(lambda: self._producers(None))
        )
        if agent.ticks:
            self.timer(TICK_SECONDS)(self._tick)

    def _new_transport(self) -> Transport:
        return Transport(self.conf.broker_consumer, self)

    def _new_producer_transport(self) -> Transport:
        return Transport(self.conf.broker_producer, self)

    def _producers(self, transactional_id: str | None) -> Any:
        """aiokafka's producer: a new one of its own for an id, else the one that Faust has."""
        producer: Any = self.producer
        return producer._producer if transactional_id is None else producer._new_producer(transactional_id)

    def epoch(self, topic: str) -> str:
        """Identity of a topic, by its full name."""
        return self.cluster.epochs[topic.removeprefix(self.cluster.prefix)]

    def recovered(self) -> bool:
        """Whether it has its partitions and what their table held."""
        tables: Any = self.tables
        return bool(self.started and tables.recovery.completed.is_set())

    async def take(self, tp: TP, records: Sequence[ConsumerRecord], behind: int) -> None:
        """Steps 2 to 4 of a batch of one partition; `behind` is the offset after it."""
        topic, epoch, prefix = self.sources[tp.topic], self.epoch(tp.topic), self.cluster.prefix
        # A broker gives all records of a producer's batch one time.
        times = {stamp: datetime.fromtimestamp(stamp / 1000, UTC) for stamp in {r.timestamp for r in records}}
        batch = [Incoming(topic, epoch, r.partition, r.offset, times[r.timestamp], r.key, r.value, r.headers) for r in records]
        result = self._core.step(tp.partition, batch, self.states.reader(tp.partition) if self.changelog else _no_state)
        partitions = self.cluster.partitions
        out = ((prefix + o.topic, partition, o.key, o.value) for o in result.out for partition in partitions_of(o.log, partitions))
        changelog = self.changelog or ""
        states = ((changelog, tp.partition, key, value) for key, value in result.states.items())
        self.lease.check()
        try:
            offset = await self.outbox.send((tp.topic, tp.partition), out, states, behind)
        except ProducerFenced:
            die(EXIT_LEASE_OVER, f"partition {tp.partition} of {tp.topic} is another worker's")
        except Exception as error:
            die(EXIT_SEND_FAILED, f"the broker did not take what agent {self.agent_name} sent ({type(error).__name__}: {error})")
        if result.states:
            self.states.apply(tp.partition, result.states, offset)

    async def _tick(self) -> None:
        if self.rebalancing:
            return
        tick = encode(Tick(at=datetime.now(UTC)))
        self.lease.check()
        try:
            await ship(self._producers(None), [(tp.topic, tp.partition, b"tick", tick) for tp in self.held])
        except Exception as error:
            die(EXIT_SEND_FAILED, f"the broker did not take a tick of agent {self.agent_name} ({type(error).__name__}: {error})")


class _Copy(Store[bytes, bytes]):
    """What Faust asks of a table's store: how far a changelog is copied, and which partitions are to be kept. The consumer copies."""

    app: App

    def persisted_offset(self, tp: TP) -> int | None:
        return self.app.states.offset(tp.partition)

    def apply_changelog_batch(self, batch: Any, to_key: Any, to_value: Any) -> None:
        pass

    def reset_state(self) -> None:
        self.app.states.keep(frozenset())

    async def backup_partition(self, tp: Any, flush: bool = True, purge: bool = False, keep: int = 1) -> None:
        raise NotImplementedError("a changelog is the backup")

    def restore_backup(self, tp: Any, latest: bool = True, backup_id: int = 0) -> None:
        raise NotImplementedError("a changelog is the backup")

    async def on_rebalance(self, assigned: set[TP], revoked: set[TP], newly_assigned: set[TP], generation_id: int = 0) -> None:
        """Faust's recovery, where the next rebalance is on its way already, is not told of this one, and would go on where a copy ended
        that is no more."""
        app: Any = self.app
        app.states.keep({tp.partition for tp in assigned if tp.topic == app.changelog})
        for partition in range(app.cluster.partitions):
            if app.states.offset(partition) is None:
                app.tables.recovery.revoke(TP(app.changelog, partition))


class _Table(faust.Table):  # type: ignore[type-arg]
    def _new_store(self) -> Any:
        return _Copy("copy://", self.app, self, loop=self.loop)


def _no_state(_: bytes) -> None:
    return None


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
        die(EXIT_CRASHED, f"agent {app.agent_name} can't go on ({app.crash_reason!r})")
    app.lease.leave()
    await app.stop()
    await app.outbox.hold(frozenset())
    app.states.close()
