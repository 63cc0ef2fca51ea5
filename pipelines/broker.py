"""The embedded broker: noida-db's Kafka, on loopback, which asks nobody.

It keeps everything in memory and saves the whole of it about once a second, where something changed. Stopped, it saves; killed, it comes
back as it was when it last did: topics, groups and changelogs of one moment.
"""

import os
import time
from importlib.resources import files
from pathlib import Path

from pipelines.errors import SettingsError

LATEST_SAVE_SECONDS = 3.0
"""Beyond that there was nothing left to save."""
NEXT_SAVE_SECONDS = 1.5
"""After one save the next begins within a second, where something changed meanwhile."""
SAVED_A_SECOND = 50e6
"""Bytes that it saves a second, at least."""


def command(data: Path, port: int) -> list[str]:
    """How it is started. The binary itself and not the package's Python wrapper: the pid must be the server's."""
    binary = Path(str(files("noida_db"))) / "noida-db"
    if not binary.is_file():
        raise SettingsError("the embedded broker, noida-db, has no binary for this system: set TIDEGATE_BROKERS to a Kafka of your own")
    if not os.access(binary, os.X_OK):
        binary.chmod(0o755)
    return [str(binary), "start", "--only", "kafka", "--kafka-port", str(port), "--data-dir", str(data / "broker")]


class Saved:
    """Whether the broker has on disk what it had when this was made.

    A save that had begun before does not hold it, and when one began nobody tells: so the second one to end counts, or the first where no
    other follows, since what it did not hold would be one more thing to save.
    """

    def __init__(self, data: Path) -> None:
        self._file = data / "broker" / "kafka.json"
        self._last, self._since = self.look()[0], time.monotonic()
        self._saves = 0

    def look(self) -> tuple[int, float]:
        """When it last saved (0: never), and how many seconds a save takes."""
        try:
            state = self._file.stat()
        except OSError:
            return 0, 0.0
        return state.st_mtime_ns, state.st_size / SAVED_A_SECOND

    def over(self, seen: tuple[int, float]) -> bool:
        """Whether it is, going by what `look` saw; asked again and again."""
        now, (last, takes) = time.monotonic(), seen
        if last != self._last:
            self._last, self._since, self._saves = last, now, self._saves + 1
        return self._saves > 1 or now - self._since > takes + (NEXT_SAVE_SECONDS if self._saves else LATEST_SAVE_SECONDS)


def until_saved(data: Path) -> None:
    """Wait until it has on disk what it has now, a second or two: who sent something may then say that it is kept."""
    saved = Saved(data)
    while not saved.over(saved.look()):
        time.sleep(0.05)
