"""Ports of the embedded services: those of the last time where they are free, so that clients find them again."""

import json
import socket
from contextlib import suppress
from pathlib import Path

from pipelines.errors import SettingsError

LOOPBACK = "127.0.0.1"


def choose(data: Path, wanted: dict[str, int | None]) -> dict[str, int]:
    """A port for each service, kept in the data directory. Raises SettingsError where one that was asked for is taken."""
    file = data / "run" / "ports.json"
    kept: dict[str, int] = {}
    with suppress(OSError, ValueError):
        kept = {name: int(port) for name, port in dict(json.loads(file.read_text())).items()}
    chosen: dict[str, int] = {}
    for name, port in wanted.items():
        if port and not _free(port):
            raise SettingsError(f"port {port} for {name} is in use: stop what listens there, or leave the port out and a free one is taken")
        chosen[name] = port or _kept(kept.get(name), chosen) or _any()
    file.write_text(json.dumps(kept | chosen))
    return chosen


def answers(port: int) -> bool:
    """Whether something listens on a port of loopback."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((LOOPBACK, port)) == 0


def _kept(port: int | None, chosen: dict[str, int]) -> int | None:
    return port if port and port not in chosen.values() and _free(port) else None


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port in TIME_WAIT is free
        try:
            probe.bind((LOOPBACK, port))
        except (OSError, OverflowError):
            return False
        return True


def _any() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port
