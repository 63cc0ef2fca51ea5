"""States in RocksDB, a database a partition, each with the changelog offset that it is a copy of.

There is no write-ahead log: values and offset are written together, so that a crash leaves an older copy with its older offset, and the
changelog has the rest.
"""

import shutil
import time
from collections.abc import Set
from pathlib import Path
from typing import Any, cast

from rocksdict import Options, Rdict, WriteBatch, WriteOptions

from agents.binding.batch import Read
from agents.binding.states import Changes, NewStates, States

_OFFSET = b"o"
_STATE = b"s"
_WRITE_BUFFER_BYTES = 8 * 1024 * 1024
_OLD_SECONDS = 12 * 3600.0
"""A changelog tells of a removed state for a day (delete.retention.ms): a copy that was not kept up for longer could miss it."""


class RocksStates:
    """States on disk under a directory, which is this process's alone."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._databases: dict[int, Rdict] = {}
        self._options = Options(raw_mode=True)
        self._options.create_if_missing(True)
        self._options.set_write_buffer_size(_WRITE_BUFFER_BYTES)
        self._write = cast("Any", WriteOptions())  # its stub takes a property for a method
        self._write.disable_wal = True

    def reader(self, partition: int) -> Read:
        """Gives a state of the partition by its key, or None."""
        database = self._databases[partition]

        def read(key: bytes) -> bytes | None:
            found: bytes | None = database.get(_STATE + key)
            return found

        return read

    def apply(self, partition: int, changes: Changes, offset: int | None) -> None:
        """Take in what the changelog holds up to `offset`."""
        database, copied = self._databases.get(partition), self.offset(partition)
        if database is None or (offset is not None and copied is not None and offset <= copied):
            return
        batch = WriteBatch(raw_mode=True)
        for key, value in changes.items():
            if value is None:
                batch.delete(_STATE + key)
            else:
                batch.put(_STATE + key, value)
        if offset is not None:
            batch.put(_OFFSET, offset.to_bytes(8, "big"))
        database.write(batch, self._write)

    def offset(self, partition: int) -> int | None:
        """Changelog offset up to which the partition is copied."""
        database = self._databases.get(partition)
        found = database.get(_OFFSET) if database is not None else None
        return int.from_bytes(found, "big") if found else None

    def keep(self, partitions: Set[int]) -> None:
        """Hold these, as a former run left them, and remove every other: what becomes of it, its new owner decides."""
        for partition in self._databases.keys() - partitions:
            self._databases.pop(partition).close()
            shutil.rmtree(self._directory / str(partition))
        for partition in partitions - self._databases.keys():
            path = self._directory / str(partition)
            if path.exists() and time.time() - max(file.stat().st_mtime for file in path.iterdir()) > _OLD_SECONDS:
                shutil.rmtree(path)
            path.mkdir(parents=True, exist_ok=True)
            self._databases[partition] = Rdict(str(path), options=self._options)

    def close(self) -> None:
        """Write what is in memory to disk, so that the next start reads little of the changelog."""
        for database in self._databases.values():
            database.close()
        self._databases.clear()


def on_disk(directory: Path) -> NewStates:
    """States in RocksDB under a directory: a restart reads what the changelog got since, and memory holds no more than a cache.

    A changelog that was made anew gets a directory of its own: its offsets begin at 0 again.
    """

    def new(agent: str, epoch: str) -> States:
        return RocksStates(directory / agent / epoch)

    return new
