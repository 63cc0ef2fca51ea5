"""The embedded broker: noida-db's Kafka, on loopback, which asks nobody."""

import os
from importlib.resources import files
from pathlib import Path

from pipelines.errors import SettingsError


def command(data: Path, port: int) -> list[str]:
    """How it is started. The binary itself and not the package's Python wrapper: the pid must be the server's."""
    binary = Path(str(files("noida_db"))) / "noida-db"
    if not binary.is_file():
        raise SettingsError("the embedded broker, noida-db, has no binary for this system: set TIDEGATE_BROKERS to a Kafka of your own")
    if not os.access(binary, os.X_OK):
        binary.chmod(0o755)
    return [str(binary), "start", "--only", "kafka", "--kafka-port", str(port), "--data-dir", str(data / "broker")]
