"""`tidegate up`: broker, engine and worker under one data directory, on loopback, one process to stop."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from urllib.parse import urlsplit

from clickhouse_connect.driver.exceptions import ClickHouseError
from confluent_kafka import KafkaException

from pipelines import admin, broker, datadir, ports, principals, runtime, secret
from pipelines.child import Child
from pipelines.errors import SettingsError, Unreachable
from pipelines.kafka import client_config, reach
from pipelines.runtime import Process, Running
from pipelines.settings import Settings, load
from sinks.client import connect

AGENTS = "scan,aggregate,promote,journal"
READY_SECONDS = 120.0
GLANCE_SECONDS = 0.05


class Stopped(Exception):
    """Somebody asked for the end."""


class Signals:
    """Ctrl-C, TERM and a closed terminal ask for the end; the second time, at once."""

    def __init__(self) -> None:
        self.asked = 0

    def note(self, number: int, frame: FrameType | None) -> None:
        """A signal handler."""
        self.asked += 1

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take the signals while the block runs."""
        # nohup has it ignored, and wants it so
        hangup = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
        before = {number: signal.signal(number, self.note) for number in (signal.SIGINT, signal.SIGTERM, *hangup)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class Up:
    """The parts of one `up`, in the order in which they are started; they are stopped the other way round."""

    def __init__(self, settings: Settings, chosen: dict[str, int], say: Callable[[str], None], signals: Signals) -> None:
        self.settings, self.say, self.signals = settings, say, signals
        self.me = Process.of("up", os.getpid())
        self.started_at = runtime.now()
        self.children: list[Child] = []
        self.kafka_port, self.clickhouse_port, self.http_port = chosen.get("kafka"), chosen.get("clickhouse"), chosen["http"]

    def start(self) -> None:
        """Start the parts, each when what it needs is there, and wait until all can take work. Raises Failure where one can't."""
        # First of all: children look there for each other, and the next start for what a crash left.
        self._write()
        if self.settings.clickhouse:
            self._clickhouse(self.settings.clickhouse)
        brokers = self.settings.brokers
        if self.kafka_port:
            port = self.kafka_port
            self._add("broker", broker.command(self.settings.data, port), answers=lambda: ports.answers(port))
            self._until_ready()
            brokers = f"{ports.LOOPBACK}:{port}"
        assert brokers is not None
        self._topics(brokers)
        self._first_organisation(brokers)
        if self.clickhouse_port:
            self._add("engine", [sys.executable, "-m", "pipelines.engine"])
        else:
            self._add("sink", [sys.executable, "-m", "pipelines.cli.main", "sink"])
            self._add("api", [sys.executable, "-m", "pipelines.cli.main", "api"])
        self._add("worker", [sys.executable, "-m", "pipelines.cli.main", "worker", "--agents", AGENTS])
        self._until_ready()

    def running(self) -> Running:
        """What runs now."""
        return Running(
            self.me,
            f"{ports.LOOPBACK}:{self.kafka_port}" if self.kafka_port else None,
            f"http://{ports.LOOPBACK}:{self.clickhouse_port}" if self.clickhouse_port else None,
            f"http://{ports.LOOPBACK}:{self.http_port}",
            tuple(known for child in self.children if (known := child.identity())),
            self.started_at,
        )

    def look_after(self) -> None:
        """Until somebody asks for the end, start again whatever dies. Raises Stopped, or Unreachable where a part would not stay up."""
        while True:
            self._glance()

    def stop(self) -> None:
        """Last started, first stopped: whoever sends goes before whoever keeps."""
        for child in reversed(self.children):
            child.stop(now=self.signals.asked > 1)

    def _add(self, name: str, command: list[str], answers: Callable[[], bool] | None = None) -> None:
        # noida-db saves once a second: killed, it comes back as it was then, topics, groups and changelogs of one moment. Whoever was ahead
        # of it would take the offsets that it gives out anew for known, so all begin again from what it knows.
        stands_on = self.children[0] if self.kafka_port and self.children else None
        log = self.settings.data / "logs" / f"{name}.log"
        # The HTTP interface listens on loopback whatever the settings say: `up` is for one machine.
        where = {"TIDEGATE_API_HOST": ports.LOOPBACK, "TIDEGATE_API_PORT": str(self.http_port)}
        environ = os.environ | {"TIDEGATE_DATA": str(self.settings.data), "PYTHONUNBUFFERED": "1"} | where
        child = Child(name, command, log, self.say, environ, answers=answers, stands_on=stands_on)
        self.children.append(child)
        child.start()
        self._write()

    def _until_ready(self) -> None:
        until = time.monotonic() + READY_SECONDS
        while waiting := [child for child in self.children if not child.ready]:
            self._glance()
            if time.monotonic() > until:
                late = waiting[0]
                raise Unreachable(f"{late.name} could take no work within {READY_SECONDS:.0f} s: its log, {late.log}, may say why")

    def _glance(self) -> None:
        if self.signals.asked:
            raise Stopped
        if [child for child in self.children if child.watch()]:
            self._write()
        time.sleep(GLANCE_SECONDS)

    def _write(self) -> None:
        self.running().write(self.settings.data)

    def _clickhouse(self, dsn: str) -> None:
        try:
            connect(dsn, None, create=True).close()
        except ClickHouseError as error:
            reason = next(iter(str(error).splitlines()), "no reason given")
            raise Unreachable(
                f"ClickHouse at {urlsplit(dsn).netloc.rpartition('@')[2]} ({self.settings.origins['clickhouse']}) can't be used: {reason}; "
                "check that it runs, the address, the user and the user's rights"
            ) from error

    def _topics(self, brokers: str) -> None:
        s = self.settings
        reach(s, brokers)
        try:
            made = admin.create(client_config(s, brokers), admin.Layout(s.prefix, s.partitions, s.replication, s.min_isr))
            if s.secret is not None:  # the first time it is made after these settings were read: the worker tells it then
                secret.agree(client_config(s, brokers), s, "scan", found=True)
        except KafkaException as error:
            raise Unreachable(
                f"the topics could not be made at {brokers}: {error.args[0]} (TIDEGATE_REPLICATION is {s.replication}, "
                f"{s.origins['replication']})"
            ) from error
        if wrong := next((topic for topic in made if not topic.ok), None):
            raise SettingsError(f"topic {wrong.topic} {wrong.problem}")

    def _first_organisation(self, brokers: str) -> None:
        """Where there is nobody yet, somebody who administers an organisation, whose key stays in the data directory."""
        file = self.settings.data / "administrator.key"
        settings = load(os.environ | {"TIDEGATE_DATA": str(self.settings.data)})  # the secret may be new
        try:
            made = principals.begin(settings, brokers, file)
        except KafkaException as error:
            raise Unreachable(f"who there is can't be read at {brokers}: {error.args[0]}") from error
        if made:
            self.say(f"organisation {made.org} is made: {made.principal} administers it with the key in {file}")


def up(
    settings: Settings,
    on_ready: Callable[[Running], None],
    say: Callable[[str], None],
    *,
    kafka_port: int | None = None,
    clickhouse_port: int | None = None,
    http_port: int | None = None,
) -> None:
    """Run until Ctrl-C or TERM. `on_ready` is told once, when everything can take work; `say` is told, a line at a time, what went wrong
    and was mended. Ports left out: those of the last time, else free ones. Raises SettingsError or Unreachable, each saying what to do."""
    wanted: dict[str, int | None] = {"http": http_port or settings.api_port}
    if settings.brokers is None:
        wanted["kafka"] = kafka_port
    if settings.clickhouse is None:
        wanted["clickhouse"] = clickhouse_port
    if settings.open:
        say("open: messages without a signature are taken for whoever they name; for one person on one machine")
    signals = Signals()
    with signals.listening(), datadir.held(settings.data, say):
        parts = Up(settings, ports.choose(settings.data, wanted), say, signals)
        try:
            parts.start()
            on_ready(parts.running())
            parts.look_after()
        except Stopped:
            pass
        finally:
            parts.stop()
