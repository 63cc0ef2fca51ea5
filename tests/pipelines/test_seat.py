"""A seat is held by one process at a time, freed by its death, and named alike for who comes next."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from pipelines.errors import SettingsError
from pipelines.seat import seat

HOLD = """
import sys
from pathlib import Path
from pipelines.seat import seat
with seat(Path(sys.argv[1]), "worker") as name:
    print(name, flush=True)
    sys.stdin.read()
"""


def test_each_role_and_holder_has_a_name_of_its_own(tmp_path: Path) -> None:
    """Two members of a group under one name would fence each other."""
    with ExitStack() as stack:
        names = [stack.enter_context(seat(tmp_path, role)) for role in ("worker", "worker", "sink")]
    assert len(set(names)) == 3
    with seat(tmp_path, "worker") as again:
        assert again == names[0]


def test_a_killed_holder_frees_its_seat(tmp_path: Path) -> None:
    """After kill -9 the successor has the same name, so the group gives it its partitions at once."""
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    name = holder.stdout.readline().strip()
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    with seat(tmp_path, "worker") as mine:
        assert mine == name


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """One clear line that says what to do."""
    (tmp_path / "data").write_text("a file")
    with pytest.raises(SettingsError, match="set TIDEGATE_DATA"), seat(tmp_path / "data", "worker"):
        pass
