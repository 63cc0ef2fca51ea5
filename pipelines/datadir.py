"""The data directory as `up` takes it: made, held by one process at a time, and cleared of what a crash left."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from pipelines import runtime
from pipelines.errors import SettingsError

STOP_SECONDS = 10.0
PRIVATE = 0o700


@contextmanager
def held(data: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Make a data directory and hold it. Raises SettingsError where it can't be written, or where another `up` holds it.

    The kernel lets go of the lock when its holder dies, however it dies; what else a crash left is cleared here.
    """
    try:
        for folder in (data, data / "run", data / "logs"):
            folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        lock = os.open(data / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise SettingsError(f"the data directory {data} can't be written ({error.strerror}): set TIDEGATE_DATA to one that can") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        holder = runtime.last(data)
        pid = f", pid {holder.up.pid}" if holder else ""
        raise SettingsError(
            f"another `tidegate up` holds {data}{pid}: stop that one (Ctrl-C there) or set TIDEGATE_DATA to another directory"
        ) from None
    try:
        _clear(data, say)
        runtime.make_keys(data)
        yield
    finally:
        runtime.up_file(data).unlink(missing_ok=True)
        os.close(lock)


def _clear(data: Path, say: Callable[[str], None]) -> None:
    """End what an `up` that was killed left running: it holds ports, and files that have one owner."""
    left = runtime.last(data)
    if left is None:
        return
    orphans = [(child.name, process) for child in left.children if (process := child.alive())]
    for name, process in orphans:
        say(f"cleared what a crash left: {name}, pid {process.pid}")
        process.terminate()
    _, still = psutil.wait_procs([process for _, process in orphans], timeout=STOP_SECONDS)
    for process in still:
        process.kill()
    psutil.wait_procs(still, timeout=STOP_SECONDS)
    runtime.up_file(data).unlink(missing_ok=True)
