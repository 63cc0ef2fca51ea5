"""A name for each process of a group that outlives it: a worker that was killed takes its partitions up again at once.

Kafka's static membership (KIP-345): a member that comes back under its name needs no rebalance, where a nameless one must wait until the
session of its dead self is over. Whoever wakes up after another took its name is fenced by the broker.
"""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipelines.errors import SettingsError
from schemas.ids import short_hash

SEATS = 1024


@contextmanager
def seat(data: Path, role: str) -> Iterator[str]:
    """Hold the first free seat of a role on a data directory while the block runs, and give its name.

    The kernel frees the seat of a process that dies, however it dies. Raises SettingsError where the directory can't be written.
    """
    run = data / "run"
    place = short_hash(f"{socket.gethostname()}\0{data.resolve()}".encode())
    for number in range(SEATS):
        try:
            run.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(run / f"{role}-{number}.seat", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise SettingsError(
                f"the data directory {data} can't be written ({error.strerror}): set TIDEGATE_DATA to one that can"
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        try:
            yield f"{role}-{number}-{place}"
            return
        finally:
            os.close(lock)
    raise SettingsError(f"{SEATS} processes of role {role} run on {data} already: give this one a data directory of its own")
