"""One supervised process: started, watched, started again when it dies, stopped."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from pipelines import tether
from pipelines.errors import Unreachable
from pipelines.runtime import Process

TRIES = 5
"""Deaths in a row before a child is given up that was ready for less than `SETTLED_SECONDS` each time."""
FIRST_TRIES = 2
"""The same for one that never was ready: its settings are wrong, rather than its luck."""
SETTLED_SECONDS = 2.0
FIRST_WAIT_SECONDS = 0.2
LONGEST_WAIT_SECONDS = 30.0
LOG_BYTES = 10 * 1024 * 1024
TAIL_LINES = 12
READY_LINE = b"ready"


@dataclass(slots=True)
class Child:
    """A process under a supervisor. Its output goes to `log`; it is ready when `answers` says so or, without one, when it has
    printed a line `ready`. `stands_on`: the one without which it can't run; it is ended when that one dies, and starts again with it."""

    name: str
    command: Sequence[str]
    log: Path
    say: Callable[[str], None]
    environ: Mapping[str, str]
    stop_seconds: float = 20.0
    answers: Callable[[], bool] | None = None
    stands_on: "Child | None" = None
    ready: bool = False
    deaths: int = 0
    was_ready: bool = False
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _ready_at: float = field(default=0.0, init=False)
    _again_at: float = field(default=0.0, init=False)
    _read: int = field(default=0, init=False)

    def start(self) -> None:
        """Start it, tied to this process, in a session of its own: a Ctrl-C is for the supervisor alone, which knows the order."""
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        with self.log.open("ab") as log:
            self._read = log.tell()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", tether.__file__, str(os.getpid()), *self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environ,
                start_new_session=True,
            )
        self.ready = False

    def identity(self) -> Process | None:
        """Who it is now, where it runs."""
        with suppress(psutil.Error):
            return Process.of(self.name, self._process.pid) if self._process and self._process.poll() is None else None
        return None

    def watch(self) -> bool:
        """Look after it once; True when it was started anew. Raises Unreachable where it would not stay up."""
        if self.stands_on is not None and not self.stands_on.ready:
            self.ready = False
            self.stop(now=True)
            return False
        if self._process is None:
            if time.monotonic() < self._again_at:
                return False
            self.start()
            return True
        status = self._process.poll()
        if status is None:
            if not self.ready and self._is_ready():
                self.ready = self.was_ready = True
                self._ready_at = time.monotonic()
            return False
        self._died(status)
        return False

    def stop(self, *, now: bool) -> None:
        """Ask it to end, and end it where it does not in time (at once with `now`)."""
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL if now else signal.SIGTERM)
        try:
            process.wait(self.stop_seconds)
        except subprocess.TimeoutExpired:
            self.say(f"{self.name} did not stop within {self.stop_seconds:.0f} s and was killed")
            process.kill()
            process.wait()

    def tail(self) -> list[str]:
        """The last lines of its log."""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 8192))
            return log.read().decode(errors="replace").splitlines()[-TAIL_LINES:]

    def _is_ready(self) -> bool:
        if self.answers is not None:
            return self.answers()
        with self.log.open("rb") as log:
            log.seek(self._read)
            new = log.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        return READY_LINE in whole.splitlines()

    def _died(self, status: int) -> None:
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        self._process = None
        settled = self.ready and time.monotonic() - self._ready_at >= SETTLED_SECONDS
        self.deaths = 1 if settled else self.deaths + 1
        self.ready = False
        if self.deaths >= (TRIES if self.was_ready else FIRST_TRIES):
            for line in self.tail():
                self.say(f"{self.name}: {line}")
            raise Unreachable(f"{self.name} ended {self.deaths} times in a row, last with {how}: the end of its log, {self.log}, says why")
        wait = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 3 ** (self.deaths - 1))
        self._again_at = time.monotonic() + wait
        self.say(f"{self.name} ended ({how}); it is started again in {wait:.1f} s")
