"""What runs on a data directory: how `up` writes it down, and how every other command finds it."""

import json
import os
import secrets
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil

from pipelines.errors import SettingsError, Unreachable
from pipelines.settings import SECRET_FILE, Settings

__all__ = ["Endpoints", "Process", "Running", "Unreachable", "find", "resolve"]


@dataclass(frozen=True, slots=True)
class Process:
    """A process that can be known again: a pid alone may be somebody else's by now. `born`: what no later process with it shares."""

    name: str
    pid: int
    born: str

    @classmethod
    def of(cls, name: str, pid: int) -> "Process":
        """The process that has this pid now. Raises psutil.NoSuchProcess."""
        return cls(name, pid, _born(pid))

    def alive(self) -> psutil.Process | None:
        """The very process, where it still runs."""
        with suppress(psutil.Error):
            process = psutil.Process(self.pid)
            if _born(self.pid) == self.born and process.status() != psutil.STATUS_ZOMBIE:
                return process
        return None


def _born(pid: int) -> str:
    """When a process began. On Linux in ticks of a boot: as a time of day it would move whenever the clock is set."""
    if sys.platform != "linux":
        return f"{psutil.Process(pid).create_time():.1f}"
    try:
        ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        raise psutil.NoSuchProcess(pid) from None
    return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {ticks}"


@dataclass(frozen=True, slots=True)
class Running:
    """What `up` started. `brokers`, `clickhouse`: addresses of the embedded ones, None where the settings name others; `http`: of the HTTP
    interface."""

    up: Process
    brokers: str | None
    clickhouse: str | None
    http: str | None
    children: tuple[Process, ...]
    started_at: str

    def write(self, data: Path) -> None:
        """Put it where `find` looks, whole or not at all."""
        new = up_file(data).with_suffix(".new")
        new.write_text(json.dumps(asdict(self)))
        new.replace(up_file(data))


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the engines are. Each address raises Unreachable, saying what to do, where there is none."""

    settings: Settings
    running: Running | None

    @property
    def brokers(self) -> str:
        """Bootstrap servers."""
        found = self.settings.brokers or (self.running and self.running.brokers)
        return found or self._missing("broker", "TIDEGATE_BROKERS")

    @property
    def clickhouse_dsn(self) -> str:
        """DSN for sinks.client.connect."""
        found = self.settings.clickhouse or (self.running and self.running.clickhouse)
        return found or self._missing("ClickHouse", "TIDEGATE_CLICKHOUSE")

    @property
    def token(self) -> str | None:
        """What the embedded ClickHouse asks for; None for a server, whose DSN says it."""
        if self.settings.clickhouse:
            return None
        path = token_file(self.settings.data)
        try:
            return path.read_text().strip()
        except OSError as error:
            raise SettingsError(f"the operator's token {path} can't be read: {error.strerror}") from error

    def _missing(self, engine: str, variable: str) -> str:
        raise Unreachable(
            f"there is no {engine} to ask: `tidegate up` does not run on {self.settings.data}, and {variable} is not set; "
            f"start `tidegate up` there, point TIDEGATE_DATA at where it runs, or set {variable}"
        )


def find(settings: Settings) -> Running | None:
    """What `up` started on the data directory, where it still runs."""
    found = last(settings.data)
    return found if found and found.up.alive() else None


def last(data: Path) -> Running | None:
    """What `up` wrote down last on a data directory, whether it still runs or not."""
    try:
        told = json.loads(up_file(data).read_text())
        children = tuple(Process(**child) for child in told.pop("children"))
        return Running(**{**told, "up": Process(**told["up"]), "children": children})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None  # a crash may have left anything here


def resolve(settings: Settings) -> Endpoints:
    """Where the engines are: those that the settings name, else those of the `up` that runs on the data directory."""
    return Endpoints(settings, find(settings))


def up_file(data: Path) -> Path:
    """Where `up` writes down what it started."""
    return data / "run" / "up.json"


def token_file(data: Path) -> Path:
    """The operator's token: who can read it acts for any agent."""
    return data / "operator.token"


def operator_token(data: Path) -> str | None:
    """The operator's token; None where the data directory has none that can be read."""
    try:
        return token_file(data).read_text().strip() or None
    except OSError:
        return None


def make_keys(data: Path) -> None:
    """Make the secret and the operator's token, readable for their owner alone, where they are not there yet."""
    for path in (data / SECRET_FILE, token_file(data)):
        with suppress(FileExistsError):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_hex(32) + "\n")


def now() -> str:
    """This moment, RFC 3339."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
