"""Brokers for tests: a Kafka (the environment's, a container's, or Apache Kafka from jars) and noida-db, one of each a test session.

`TIDEGATE_TEST_BROKERS` names the environment's. Where no Kafka is to be had its tests are skipped with the reason, or fail with it where
`TIDEGATE_TEST_REQUIRE_KAFKA=1` (CI).
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipelines import broker as embedded
from pipelines import ports, tether

HERE = Path(__file__).parent / "kafka"
VERSION = "4.4.0"
IMAGE = f"apache/kafka:{VERSION}"
READY_SECONDS = 60.0


class Missing(Exception):
    """No such broker is to be had here; the text says why."""


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker that answers at `bootstrap`. `kind`: kafka or noida-db; `how`: where it came from."""

    kind: str
    bootstrap: str
    how: str


@contextmanager
def kafka(data: Path) -> Iterator[Broker]:
    """The environment's Kafka, else one in a container, else one from jars. Raises Missing, with each one's reason."""
    if given := os.environ.get("TIDEGATE_TEST_BROKERS"):
        yield Broker("kafka", given, "TIDEGATE_TEST_BROKERS")
        return
    with ExitStack() as stack:
        reasons = []
        for source in (_container, _jars):
            try:
                found = stack.enter_context(source(data))
                break
            except Missing as missing:
                reasons.append(str(missing))
        else:
            raise Missing("; ".join(["TIDEGATE_TEST_BROKERS is not set", *reasons]))
        yield found


@contextmanager
def noida(data: Path) -> Iterator[Broker]:
    """The embedded broker."""
    port = free_port()
    with served(embedded.command(data, port), data / "noida-db.log", port):
        yield Broker("noida-db", f"127.0.0.1:{port}", "the package's binary")


@contextmanager
def _container(data: Path) -> Iterator[Broker]:
    import docker
    from testcontainers.core.container import DockerContainer

    try:
        docker.from_env().ping()
    except docker.errors.DockerException:
        raise Missing("no container engine answers") from None
    port = free_port()
    settings = {
        "KAFKA_PROCESS_ROLES": "broker,controller",
        "KAFKA_NODE_ID": "1",
        "KAFKA_LISTENERS": f"PLAINTEXT://:{port},CONTROLLER://:9093",
        "KAFKA_ADVERTISED_LISTENERS": f"PLAINTEXT://127.0.0.1:{port}",
        "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
        "KAFKA_CONTROLLER_QUORUM_VOTERS": "1@localhost:9093",
        "KAFKA_AUTO_CREATE_TOPICS_ENABLE": "false",
        "KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
        "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "1",
        "KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": "1",
        "KAFKA_TRANSACTION_STATE_LOG_MIN_ISR": "1",
    }
    container = DockerContainer(IMAGE).with_bind_ports(port, port)
    for name, value in settings.items():
        container.with_env(name, value)
    with container:
        _wait(port, lambda: None)
        yield Broker("kafka", f"127.0.0.1:{port}", f"container {IMAGE}")


@contextmanager
def _jars(data: Path) -> Iterator[Broker]:
    port = free_port()
    with from_jars(kafka_properties(data, port), uuid.uuid4().hex[:22], port):
        yield Broker("kafka", f"127.0.0.1:{port}", f"Apache Kafka {VERSION} from jars")


def kafka_properties(data: Path, port: int) -> Path:
    """A file of settings for one Kafka that keeps its log under `data`."""
    file = data / "server.properties"
    text = (HERE / "server.properties").read_text()
    file.write_text(text.format(port=port, controller_port=free_port(), data=data / "kafka"))
    return file


@contextmanager
def from_jars(properties: Path, cluster: str, port: int) -> Iterator[None]:
    """Format a log directory for a cluster id and serve it, until the block ends. Raises Missing without Java or Maven."""
    with served(formatted(properties, cluster), properties.with_suffix(".log"), port):
        yield


def formatted(properties: Path, cluster: str) -> list[str]:
    """Format a log directory for a cluster id; the command that serves it. Raises Missing without Java or Maven."""
    java = [_needed("java"), "-Xmx768m", "-XX:+UseSerialGC", "-cp", str(jars() / "*")]
    with properties.with_suffix(".log").open("wb") as out:
        format_ = [*java, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(properties)]
        subprocess.run(format_, check=True, stdout=out, stderr=out)
    return [*java, "kafka.Kafka", str(properties)]


def jars() -> Path:
    """Folder of Apache Kafka's jars, fetched once for the user. Raises Missing without Java or Maven."""
    _needed("java")
    mvn = _needed("mvn")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tidegate" / f"kafka-{VERSION}"
    if not cache.is_dir():
        partial = cache.with_name(f"{cache.name}.{os.getpid()}")
        partial.mkdir(parents=True)
        fetch = [mvn, "-q", "-B", "-f", str(HERE / "pom.xml"), "dependency:copy-dependencies", f"-DoutputDirectory={partial}"]
        done = subprocess.run(fetch, check=False, capture_output=True, text=True)
        if done.returncode:
            shutil.rmtree(partial)
            raise Missing(f"Maven did not fetch Apache Kafka {VERSION}: {(done.stdout + done.stderr).strip()[:500]}")
        try:
            partial.rename(cache)
        except OSError:  # another process was first
            shutil.rmtree(partial)
    return cache


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((ports.LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def _needed(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise Missing(f"{program} is not installed")
    return found


@contextmanager
def served(command: Sequence[str], log: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server until the block ends."""
    with log.open("ab") as out:
        process = subprocess.Popen(tied(command), stdout=out, stderr=out, start_new_session=True)
    try:
        _wait(port, lambda: f"{command[0]} ended: {log.read_text()[-2000:]}" if process.poll() is not None else None)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def tied(command: Sequence[str]) -> list[str]:
    """The command of a process that dies with this one, so that a test run that is killed leaves none."""
    return [sys.executable, "-I", "-S", tether.__file__, str(os.getpid()), *command]


def _wait(port: int, ended: Callable[[], str | None]) -> None:
    """Until a port answers. Raises RuntimeError with what `ended` says, or when it takes too long."""
    end = time.monotonic() + READY_SECONDS
    while not ports.answers(port):
        if why := ended():
            raise RuntimeError(why)
        if time.monotonic() > end:
            raise RuntimeError(f"nothing answers at port {port} after {READY_SECONDS:.0f} s")
        time.sleep(0.05)
