"""`tidegate api`."""

import signal
from threading import Event

from pipelines.cli import engines


def api() -> None:
    """Serve the HTTP interface, where TIDEGATE_API_HOST and TIDEGATE_API_PORT say; TERM or Ctrl-C stops it. Prints `ready` once it listens.

    `tidegate up` serves one of its own. What it is asked and sent, and how it answers: GET /openapi.json.
    """
    import logging

    from pipelines.api.server import DEFAULT_PORT, deployment, serving
    from pipelines.child import READY_LINE

    settings = engines.read_settings()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    asked = engines.Engines(settings)
    _ = asked.kafka, asked.clickhouse  # says at once where one does not answer
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    served = deployment(settings, asked.endpoints, asked.endpoints.clickhouse_dsn)
    with serving(served, settings.api_host, settings.api_port or DEFAULT_PORT, stop):
        print(READY_LINE.decode(), flush=True)
        stop.wait()
