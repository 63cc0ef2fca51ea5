"""A broker that is stopped, killed and started again with what it has."""

import signal
import uuid
from contextlib import ExitStack
from pathlib import Path

from pipelines import broker as embedded
from tests import brokers
from tests.brokers import Broker


class Unsteady:
    """Kafka from jars, or noida-db, on one port. Raises Missing where it is not to be had.

    `may_die`: what it acknowledged outlives a kill -9, too; noida-db saves once a second and when it is stopped.
    """

    def __init__(self, kind: str, data: Path) -> None:
        port = brokers.free_port()
        self.broker = Broker(kind, f"127.0.0.1:{port}", "started for these faults")
        self.may_die = kind == "kafka"
        self._port, self._log = port, data / "broker.log"
        if kind == "kafka":
            self._command = brokers.formatted(brokers.kafka_properties(data, port), uuid.uuid4().hex[:22])
        else:
            self._command = embedded.command(data, port)
        self._running = ExitStack()

    def start(self) -> None:
        """Serve, and wait until it answers."""
        self._process = self._running.enter_context(brokers.served(self._command, self._log, self._port))

    def stop(self, number: int = signal.SIGTERM) -> None:
        """End it, and wait for its end."""
        self._process.send_signal(number)
        self._running.close()
