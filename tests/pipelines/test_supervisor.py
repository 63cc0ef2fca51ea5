"""`tidegate up` with its real processes: ready, looked after, stopped, and there again after any of them was killed with -9."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from confluent_kafka import Consumer, TopicPartition

from pipelines import ports, runtime
from pipelines.broker import until_saved
from pipelines.kafka import client_config, consumer_config, producer, reach
from pipelines.runtime import Running
from pipelines.settings import Settings, load
from tests.brokers import Broker

pytestmark = pytest.mark.processes

READY_SECONDS = 120.0
PARTS = ("broker", "engine", "worker")


@dataclass(frozen=True)
class Up:
    """A `tidegate up` that has said that it is ready."""

    process: subprocess.Popen[str]
    settings: Settings
    said: dict[str, object]

    def running(self) -> Running:
        found = runtime.find(self.settings)
        assert found is not None
        return found

    def pid(self, name: str) -> int:
        return {child.name: child.pid for child in self.running().children}[name]

    def stopped(self) -> None:
        """Its end was clean, and nothing of it is left."""
        pids = [child.pid for child in self.running().children]
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0
        assert not any(psutil.pid_exists(pid) for pid in pids)
        assert runtime.find(self.settings) is None


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pipelines.cli.main", *arguments]


def environ(data: Path, **more: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TIDEGATE_")}
    return clean | {"TIDEGATE_DATA": str(data), **more}


@contextmanager
def up(data: Path, **more: str) -> Iterator[Up]:
    """Start it, and wait for its line."""
    settings = load(environ(data, **more))
    process = subprocess.Popen(
        command("up", "--json"), env=environ(data, **more), stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, "it ended before it was ready; its reasons are on stderr"
        yield Up(process, settings, json.loads(line))
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(60)


def ended(data: Path, *arguments: str, **more: str) -> tuple[int, str]:
    """Exit status and the one line on stderr of an `up` that can't run."""
    done = subprocess.run(command("up", *arguments), env=environ(data, **more), capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.returncode, done.stderr


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + READY_SECONDS
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.05)


def keep(one: Up, value: bytes) -> None:
    """Put a record on the broker, as `produce` does."""
    brokers = str(one.said["brokers"])
    sender = producer(one.settings, brokers)
    sender.produce("tidegate.schemas", value, b"k", partition=0)
    assert sender.flush(30) == 0
    until_saved(one.settings.data)


def kept(one: Up) -> list[bytes | None]:
    """The records that `keep` put there."""
    consumer = Consumer(consumer_config(one.settings, str(one.said["brokers"]), "look") | {"enable.partition.eof": True})
    consumer.assign([TopicPartition("tidegate.schemas", 0, 0)])
    found = []
    while (message := consumer.poll(30)) is not None and message.error() is None:
        found.append(message.value())
    consumer.close()
    return found


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One that several tests share; none of them ends it."""
    with up(tmp_path_factory.mktemp("data")) as one:
        yield one
        one.stopped()


def test_its_line_tells_where_and_commands_find_it(running: Up) -> None:
    told = running.running()
    assert running.said == {"ready": True, "brokers": told.brokers, "clickhouse": told.clickhouse, "http": told.http}
    with urllib.request.urlopen(f"{told.http}/readyz") as answer:
        assert json.load(answer) == {"ok": True}
    assert {child.name for child in running.running().children} == set(PARTS)
    reach(running.settings, str(running.said["brokers"]))
    asked = subprocess.run(
        command("sql", "SELECT 1 AS one", "--json"), env=environ(running.settings.data), capture_output=True, text=True, check=True
    )
    assert json.loads(asked.stdout) == {"one": 1}


def test_it_listens_on_loopback_alone(running: Up) -> None:
    family = [psutil.Process(running.process.pid), *psutil.Process(running.process.pid).children(recursive=True)]
    listening = [c.laddr.ip for p in family for c in p.net_connections("inet") if c.status == psutil.CONN_LISTEN]
    assert set(listening) == {ports.LOOPBACK}


def test_a_second_one_is_told_who_holds_the_directory(running: Up) -> None:
    status, line = ended(running.settings.data)
    assert status == 2
    assert f"another `tidegate up` holds {running.settings.data}, pid {running.process.pid}: stop that one" in line


@pytest.mark.parametrize("name", PARTS)
def test_a_part_killed_with_9_comes_back_with_its_data(running: Up, name: str) -> None:
    keep(running, name.encode())
    before = running.pid(name)
    os.kill(before, signal.SIGKILL)
    until(lambda: {c.name for c in running.running().children if c.pid != before} == set(PARTS))
    reach(running.settings, str(running.said["brokers"]), READY_SECONDS)
    assert name.encode() in kept(running)
    until(lambda: ports.answers(int(str(running.said["clickhouse"]).rpartition(":")[2])))
    assert running.process.poll() is None


def test_stopped_and_started_again_it_has_its_data_and_addresses(tmp_path: Path) -> None:
    with up(tmp_path) as first:
        keep(first, b"one")
        os.killpg(first.process.pid, signal.SIGINT)  # as Ctrl-C does
        assert first.process.wait(60) == 0
    with up(tmp_path) as second:
        assert second.said == first.said
        assert kept(second) == [b"one"]
        second.stopped()


def test_killed_with_9_its_children_die_with_it_and_the_next_start_is_clean(tmp_path: Path) -> None:
    with up(tmp_path) as first:
        keep(first, b"one")
        children = first.running().children
        first.process.kill()
        first.process.wait()
        until(lambda: not any(child.alive() for child in children))
        assert runtime.up_file(tmp_path).exists()
    with up(tmp_path) as second:
        assert kept(second) == [b"one"]
        second.stopped()


def test_with_a_broker_of_ones_own_none_is_started(tmp_path: Path, noida_broker: Broker, prefix: str) -> None:
    own = {"TIDEGATE_BROKERS": noida_broker.bootstrap, "TIDEGATE_PREFIX": prefix, "TIDEGATE_PARTITIONS": "2"}
    with up(tmp_path, **own, TIDEGATE_REPLICATION="1", TIDEGATE_MIN_ISR="1") as one:
        assert one.said["brokers"] == noida_broker.bootstrap
        assert {child.name for child in one.running().children} == {"engine", "worker"}
        assert client_config(one.settings, noida_broker.bootstrap)["security.protocol"] == "PLAINTEXT"
        one.stopped()


def test_a_broker_that_can_not_be_reached_is_named(tmp_path: Path) -> None:
    status, line = ended(tmp_path, TIDEGATE_BROKERS="127.0.0.1:1")
    assert status == 3
    assert "no Kafka broker answers at 127.0.0.1:1 (environment)" in line


def test_a_clickhouse_that_can_not_be_reached_is_named(tmp_path: Path) -> None:
    status, line = ended(tmp_path, TIDEGATE_CLICKHOUSE="http://127.0.0.1:1")
    assert status == 3
    assert "ClickHouse at 127.0.0.1:1 (environment) can't be used: " in line


def test_a_port_in_use_is_named(tmp_path: Path, noida_broker: Broker) -> None:
    port = noida_broker.bootstrap.rpartition(":")[2]
    status, line = ended(tmp_path, "--kafka-port", port)
    assert status == 2
    assert f"port {port} for kafka is in use: stop what listens there" in line


def test_a_directory_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, line = ended(tmp_path / "file" / "data")
    assert status == 2
    assert "can't be written" in line
    assert "set TIDEGATE_DATA" in line
