"""An engine's process: what it has counted, what it costs."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from pipelines import tether

ROOT = Path(__file__).parents[1]


class Process:
    """A running engine. `counted`: credits so far, as it says itself."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.counted = 0
        self._log = log
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", tether.__file__, str(os.getpid()), *command],  # a runner that is killed leaves none
                env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._ps = psutil.Process(self._process.pid)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.strip().isdigit():
                self.counted = int(line)

    def cpu(self) -> float:
        """CPU seconds so far, of it and its children."""
        times = self._ps.cpu_times()
        return float(times.user + times.system)

    def peak(self) -> float:
        """Peak resident memory so far, MB."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def ended(self) -> str | None:
        """What it wrote last, where it has ended by itself."""
        if self._process.poll() is None:
            return None
        return f"ended with {self._process.returncode}: {self._log.read_text(errors='replace')[-500:]}"

    def hold(self) -> None:
        """Stop the process until `go`."""
        self._process.send_signal(signal.SIGSTOP)

    def go(self) -> None:
        """Let it continue."""
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """Ask it to end, and see to it."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)
            self._process.terminate()
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
