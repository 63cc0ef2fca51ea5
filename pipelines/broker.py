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


def command(data: Path, port: int) -> list[str]:
    """How it is started. The binary itself and not the package's Python wrapper: the pid must be the server's."""
    binary = Path(str(files("noida_db"))) / "noida-db"
    if not binary.is_file():
        raise SettingsError("the embedded broker, noida-db, has no binary for this system: set TIDEGATE_BROKERS to a Kafka of your own")
    if not os.access(binary, os.X_OK):
        binary.chmod(0o755)
    return [str(binary), "start", "--only", "kafka", "--kafka-port", str(port), "--data-dir", str(data / "broker")]


def until_saved(data: Path) -> None:
    """Wait until it has on disk what it has now, a second or two: who sent something may then say that it is kept."""
    now = time.time()
    saved = data / "broker" / "kafka.json"
    # Beyond that there was nothing left to save.
    while time.time() < now + LATEST_SAVE_SECONDS and not (saved.exists() and saved.stat().st_mtime > now):
        time.sleep(0.05)
