"""A whole deployment under `tidegate up`, on a broker of a test's own choice, driven by its commands as anybody would."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient

from pipelines.offsets import Offsets
from pipelines.produce import Headers
from pipelines.settings import load
from schemas.signing import Signer
from tests.brokers import Broker, tied

Json = dict[str, Any]
TIDEGATE = (sys.executable, "-m", "pipelines.cli.main")
AGENTS = "scan,aggregate,promote,journal"
PARTITIONS = 4
PATIENCE_SECONDS = 120.0
OUT_OF_REACH = 3
"""The status of a command that a broker or ClickHouse did not answer."""


def until(holds: Callable[[], bool], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Wait for a condition. Fails, saying for what, where it does not come true in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s in vain for {what}"
        time.sleep(0.1)


class Flow:
    """`tidegate up` with its engine and worker on a broker that is there already."""

    def __init__(self, broker: Broker, data: Path, prefix: str) -> None:
        self.data, self.prefix, self.brokers = data, prefix, broker.bootstrap
        self.environ = os.environ | {
            "TIDEGATE_DATA": str(data),
            "TIDEGATE_BROKERS": broker.bootstrap,
            "TIDEGATE_PREFIX": prefix,
            "TIDEGATE_PARTITIONS": str(PARTITIONS),
            "TIDEGATE_REPLICATION": "1",
            "TIDEGATE_MIN_ISR": "1",
        }
        self._up: subprocess.Popen[str] | None = None
        self._beside: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start, and wait until it can take work."""
        self._up = self._process("up")

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Stop everything, and wait for its end."""
        for worker in self._beside:
            worker.kill()
            worker.wait()
        self._beside.clear()
        if self._up is not None:
            self._up.send_signal(number)
            self._up.communicate(timeout=60)
            self._up = None

    def _process(self, *command: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(tied([*TIDEGATE, *command]), env=self.environ, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline().startswith("ready"), f"tidegate {command[0]} was never ready"
        return process

    @contextmanager
    def another_worker(self) -> Iterator[subprocess.Popen[str]]:
        """One worker more while the block runs."""
        process = self._process("worker", "--agents", AGENTS)
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=60)

    def begin_worker(self) -> "subprocess.Popen[bytes]":
        """Start one worker more, and do not wait for it; it ends with the rest at the latest."""
        with (self.data / "logs" / "beside.log").open("ab") as log:
            command = tied([*TIDEGATE, "worker", "--agents", AGENTS])
            worker = subprocess.Popen(command, env=self.environ, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self._beside.append(worker)
        return worker

    def kill(self, child: str) -> None:
        """kill -9 of a child; `up` starts another."""
        os.kill(self.pid(child), signal.SIGKILL)

    def pid(self, child: str) -> int:
        """Process of a child of `up`, as it was last told."""
        told = json.loads((self.data / "run" / "up.json").read_text())
        return int(next(c["pid"] for c in told["children"] if c["name"] == child))

    def tidegate(self, *command: str, given: str | None = None) -> list[Json]:
        """What a command prints with --json."""
        done = self._run(*command, given=given)
        assert done.returncode == 0, f"tidegate {' '.join(command)}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return [json.loads(line) for line in done.stdout.splitlines()]

    def _run(self, *command: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*TIDEGATE, *command, "--json"], env=self.environ, input=given, capture_output=True, text=True, timeout=300)

    def load(self, agents: Sequence[Json]) -> None:
        """Make agents known."""
        self.tidegate("agents", "load", "-", given=_lines(agents))

    def produce(self, topic: str, records: Sequence[Json], *, wait: bool = True) -> Json:
        """Send records; with `wait` until each part of them has come to its end."""
        return self.tidegate("produce", topic, "-", *(["--wait"] if wait else []), given=_lines(records))[-1]

    def send(self, topic: str, messages: Sequence[tuple[bytes | None, bytes | None]]) -> None:
        """Send bytes as no command of ours would, signed as ours do."""
        producer = Producer({"bootstrap.servers": self.brokers, "partitioner": "murmur2_random"})
        signer = Signer.operator(load(self.environ).need_secret())
        for key, value in messages:
            org = (key or b"").partition(b"/")[0].decode(errors="replace")
            headers: Headers = [signer.header(topic, org, value or b"")]
            producer.produce(self.prefix + topic, value, key, headers=headers)
        assert producer.flush(30) == 0

    def messages(self, topic: str) -> set[tuple[bytes | None, bytes | None]]:
        """Key and value of every message that a topic holds, each combination once."""
        config = {
            "bootstrap.servers": self.brokers,
            "group.id": f"{self.prefix}look",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
        consumer = Consumer(config)
        found: set[tuple[bytes | None, bytes | None]] = set()
        for number in range(PARTITIONS):
            consumer.assign([TopicPartition(self.prefix + topic, number, OFFSET_BEGINNING)])
            while not (fault := (message := _polled(consumer)).error()):
                found.add((message.key(), message.value()))
            assert fault.code() == KafkaError._PARTITION_EOF, fault.str()
        consumer.close()
        return found

    def settled(self) -> Json:
        """Wait until no group has a record left to read, and give what `status` says then."""
        last: Json = {}

        def idle() -> bool:
            nonlocal last
            done = self._run("status")
            if done.returncode == OUT_OF_REACH:
                return False  # an engine that was killed is on its way back
            assert done.returncode == 0, done.stderr[-2000:]
            last = json.loads(done.stdout.splitlines()[-1])
            return bool(last["idle"])

        until(idle, "the flow to come to rest")
        return last

    def offsets(self) -> Offsets:
        """Where topics end and groups stand."""
        return Offsets({"bootstrap.servers": self.brokers}, self.prefix)

    def members(self) -> int:
        """How many workers share the work: members that each agent's group has, where it is at rest with the same number, else 0."""
        admin = AdminClient({"bootstrap.servers": self.brokers})
        found = admin.describe_consumer_groups([self.prefix + agent for agent in AGENTS.split(",")]).values()
        groups = [group.result(30) for group in found]
        numbers = {len(group.members) if group.state == ConsumerGroupState.STABLE else 0 for group in groups}
        return min(numbers) if len(numbers) == 1 else 0

    def sql(self, query: str) -> list[Json]:
        """Rows."""
        return self.tidegate("sql", query)

    def make_anew(self, topic: str) -> None:
        """Delete a topic with all that it holds, and make it again as declared."""
        admin = AdminClient({"bootstrap.servers": self.brokers})
        name = self.prefix + topic
        admin.delete_topics([name])[name].result(30)
        until(lambda: name not in admin.list_topics(timeout=30).topics, f"{name} to be gone")
        self.tidegate("topics", "--create")

    def rewind(self, agent: str, topics: Sequence[str]) -> None:
        """Set an agent's group back to the start of topics, as an operator would while it is stopped."""
        admin = AdminClient({"bootstrap.servers": self.brokers})
        group = self.prefix + agent
        start = [TopicPartition(self.prefix + topic, p, 0) for topic in topics for p in range(PARTITIONS)]

        def done() -> bool:
            try:
                answer = admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, start)])[group].result(30)
            except KafkaException:
                return False  # it has members until their session is over
            return not any(place.error for place in answer.topic_partitions)

        until(done, f"group {group} to be set back")


def _polled(consumer: Consumer) -> Message:
    message = consumer.poll(PATIENCE_SECONDS)
    assert message is not None, "the broker gave neither a message nor the end of the partition"
    return message


def _lines(records: Sequence[Json]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)
