"""A supervised process, with real ones: ready, dead, started anew, given up, stopped; and it dies with its parent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from pipelines import child as module
from pipelines import tether
from pipelines.child import FIRST_TRIES, Child
from pipelines.errors import Unreachable

SLEEPER = "print('ready', flush=True); import time; time.sleep(60)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(60)"


def until(holds: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.01)


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def make(tmp_path: Path, said: list[str]) -> Iterator[Callable[..., Child]]:
    made: list[Child] = []

    def start(code: str, **more: float) -> Child:
        child = Child("part", [sys.executable, "-c", code], tmp_path / f"part{len(made)}.log", said.append, os.environ, **more)  # type: ignore[arg-type]
        made.append(child)
        child.start()
        return child

    yield start
    for child in made:
        child.stop(now=True)


def watched(child: Child) -> bool:
    child.watch()
    return child.ready


def test_ready_when_it_says_so(make: Callable[..., Child]) -> None:
    child = make("print('not ready yet', flush=True);" + SLEEPER)
    until(lambda: watched(child))
    assert child.identity() is not None


def test_started_anew_after_kill_9(make: Callable[..., Child], said: list[str]) -> None:
    child = make(SLEEPER)
    until(lambda: watched(child))
    first = child.identity()
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)
    until(lambda: not watched(child))
    until(lambda: watched(child))
    second = child.identity()
    assert second is not None
    assert second.pid != first.pid
    assert said == ["part ended (signal SIGKILL); it is started again in 0.2 s"]


def test_ended_with_what_it_stands_on_and_started_again_after_it(make: Callable[..., Child]) -> None:
    below = make(SLEEPER)
    above = make(SLEEPER)
    above.stands_on = below
    until(lambda: watched(below))
    until(lambda: watched(above))
    first = above.identity()
    lower = below.identity()
    assert first is not None
    assert lower is not None
    os.kill(lower.pid, signal.SIGKILL)
    until(lambda: not watched(below))
    assert not watched(above)
    assert above.identity() is None
    assert not psutil.pid_exists(first.pid)
    until(lambda: watched(below))
    until(lambda: watched(above))


def test_given_up_with_the_end_of_its_log(make: Callable[..., Child], said: list[str]) -> None:
    child = make("print('no such host'); raise SystemExit(3)")
    with pytest.raises(Unreachable, match=rf"part ended {FIRST_TRIES} times in a row, last with exit status 3: the end of its log"):
        until(lambda: watched(child))
    assert "part: no such host" in said


def test_one_that_does_not_stop_is_killed(make: Callable[..., Child], said: list[str]) -> None:
    child = make(STUBBORN, stop_seconds=0.2)
    until(lambda: watched(child))
    child.stop(now=False)
    assert said == ["part did not stop within 0 s and was killed"]
    assert child.identity() is None


def test_a_long_log_is_put_aside(make: Callable[..., Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOG_BYTES", 10)
    (tmp_path / "part0.log").write_text("ready\n" * 10)
    child = make("import time; time.sleep(60)")
    assert (tmp_path / "part0.log.1").read_text() == "ready\n" * 10
    assert not watched(child)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends children with their parent on Linux only")
def test_dies_with_its_parent() -> None:
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os, subprocess, sys, time\n"
            "p = subprocess.Popen([sys.executable, sys.argv[1], str(os.getpid()), sys.executable, '-c', 'import time; time.sleep(60)'])\n"
            "print(p.pid, flush=True); time.sleep(60)",
            tether.__file__,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    process = psutil.Process(int(parent.stdout.readline()))
    until(lambda: process.cmdline()[1:2] == ["-c"])  # it has become the other program
    parent.kill()
    parent.wait()
    until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)
