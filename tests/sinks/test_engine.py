"""The engine's process: one owner of its data, which are there after it was killed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from schemas.codec import encode
from sinks.client import connect
from sinks.processors import processors
from tests.brokers import Broker
from tests.sinks import records as r

TOKEN = "t0ken"
PATIENCE = 60.0
ENGINE = """
import json, signal, sys, threading
from pathlib import Path
from sinks.engine import serve
given = json.loads(sys.argv[1])
stop = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stop.set())
kafka = {"bootstrap.servers": given["brokers"]}
secret = bytes.fromhex(given["secret"])
ready = lambda port: print(port, flush=True)
serve(Path(given["path"]), given["token"], 0, kafka, kafka, given["prefix"], secret, None, None, ready, stop)
"""


class Engine:
    """An engine in a process of its own."""

    def __init__(self, path: Path, broker: Broker, prefix: str) -> None:
        given = {"path": str(path), "token": TOKEN, "brokers": broker.bootstrap, "prefix": prefix, "secret": r.SECRET.hex()}
        self.log = path.parent / "engine.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", ENGINE, json.dumps(given)],
                cwd=Path(__file__).parents[2],
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "TZ": "Asia/Tokyo"},
            )

    def client(self) -> Client:
        """A client of it, once it is ready."""
        assert self.process.stdout is not None
        port = self.process.stdout.readline().decode().strip()
        assert port, self.log.read_text()[-2000:]
        return connect(f"http://127.0.0.1:{port}", TOKEN)

    def end(self, number: int) -> int:
        """Send it a signal; its exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@pytest.fixture
def topics(noida_broker: Broker, prefix: str) -> Iterator[Producer]:
    """The sink's topics, and a producer to them."""
    config: dict[str, Any] = {"bootstrap.servers": noida_broker.bootstrap}
    admin = AdminClient(config)
    for made in admin.create_topics([NewTopic(prefix + topic, 1, 1) for topic in processors(r.SECRET)]).values():
        made.result(PATIENCE)
    producer = Producer(config)
    yield producer
    producer.close()


def until_count(client: Client, number: int) -> None:
    """Wait until as many learnings can be read."""
    end = time.monotonic() + PATIENCE
    while (found := client.command("SELECT count() FROM learnings FINAL")) != number:
        assert time.monotonic() < end, found


@pytest.mark.processes
def test_killed_and_started_again(tmp_path: Path, noida_broker: Broker, prefix: str, topics: Producer) -> None:
    """Its data survive kill -9, what the crash left is cleared, and TERM stops it cleanly. Times do not depend on the host's zone."""

    def send(number: int) -> None:
        topics.produce(f"{prefix}entries", encode(r.learning(entry_key=f"a/{number}")))
        assert topics.flush(PATIENCE) == 0

    path = tmp_path / "clickhouse"
    engine = Engine(path, noida_broker, prefix)
    with engine.client() as client:
        send(1)
        until_count(client, 1)
    assert engine.end(signal.SIGKILL) == -signal.SIGKILL
    (path / "inserts" / "left.native").write_bytes(b"rows of a crash")

    send(2)
    engine = Engine(path, noida_broker, prefix)
    with engine.client() as client:
        until_count(client, 2)
        assert not (path / "inserts" / "left.native").exists()
        assert {row[0] for row in client.query("SELECT updated_at FROM v_learnings").result_rows} == {r.minutes(1)}
    assert engine.end(signal.SIGTERM) == 0, engine.log.read_text()[-2000:]


@pytest.mark.processes
def test_a_second_owner_is_refused(tmp_path: Path, noida_broker: Broker, prefix: str, topics: Producer) -> None:
    """chDB admits one process a path."""
    path = tmp_path / "clickhouse"
    first = Engine(path, noida_broker, prefix)
    with first.client() as client:
        second = Engine(path, noida_broker, prefix)
        assert second.process.wait(PATIENCE) != 0
        assert client.command("SELECT 1") == 1
    assert first.end(signal.SIGTERM) == 0
