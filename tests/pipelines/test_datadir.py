"""The data directory has one holder; what a crash left in it is found and cleared."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from pipelines.datadir import held
from pipelines.errors import SettingsError
from pipelines.runtime import Process, Running, up_file


def test_a_second_holder_is_told_who_the_first_is(tmp_path: Path) -> None:
    with held(tmp_path, print):
        Running(Process.of("up", os.getpid()), None, None, None, (), "").write(tmp_path)
        with pytest.raises(SettingsError, match=rf"holds {tmp_path}, pid {os.getpid()}: stop that one"), held(tmp_path, print):
            pass
    with held(tmp_path, print):
        pass


def test_one_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="set TIDEGATE_DATA to one that can"), held(tmp_path / "file" / "data", print):
        pass


def test_what_a_crash_left_is_ended_and_only_that(tmp_path: Path) -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    orphan, stranger = subprocess.Popen(sleeper), subprocess.Popen(sleeper)
    try:
        (tmp_path / "run").mkdir()
        recycled = Process("worker", stranger.pid, Process.of("", os.getpid()).born)
        dead = Process("up", os.getpid(), "long ago")
        Running(dead, None, None, None, (Process.of("broker", orphan.pid), recycled), "").write(tmp_path)
        said: list[str] = []
        with held(tmp_path, said.append):
            assert said == [f"cleared what a crash left: broker, pid {orphan.pid}"]
            assert not psutil.pid_exists(orphan.pid)
            assert stranger.poll() is None
            assert not up_file(tmp_path).exists()
    finally:
        orphan.kill()
        stranger.kill()
        orphan.wait()
        stranger.wait()
