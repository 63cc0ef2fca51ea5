"""The embedded ClickHouse's one owner: chDB, the migrations, the sink and the HTTP front, in one process (DESIGN.md, "The engines").

chDB admits one process a path. The sink has a handle, and each request of the front one of its own, so readers do not wait for the sink.
"""

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

from sinks import door, migrate, reading
from sinks.client import connect
from sinks.front import Front
from sinks.meaning import Model
from sinks.sink import Sink

log = logging.getLogger(__name__)

DRAIN_SECONDS = 5.0


def serve(
    path: Path,
    token: str,
    port: int,
    consumer_config: Mapping[str, Any],
    producer_config: Mapping[str, Any],
    prefix: str,
    secret: bytes,
    half_life_days: float | None,
    model: Model | None,
    ready: Callable[[int], None],
    stop: Event,
) -> None:
    """Own the engine whose data is in `path` until `stop` is set. `half_life_days`: of confidence as it reads (SPEC 5.6); None: no decay;
    `model`: makes vectors of wordings.

    `ready` is called with the port of the front (`port`, or with 0 a free one) once queries are answered and the sink has its part of the
    topics. Raises OSError where the port is taken, and what the sink died of.
    """
    path.mkdir(parents=True, exist_ok=True)
    # A member by name: the one that takes a killed engine's place has its partitions at once, and waits for no session to run out.
    member = {"group.instance.id": "engine", **consumer_config}
    guarded = door.path_of(path)
    client = connect(f"chdb://{guarded}", None)
    try:
        with _inserts_in(path / "inserts"):
            migrate.forwards(client)
            reading.tell(client, half_life_days)
            with connect(f"chdb://{guarded}", None) as finder, Front(guarded, token, port, finder) as front:
                answering = Thread(target=front.serve_forever, name="front", daemon=True)
                answering.start()
                try:
                    _sink(Sink(client, member, producer_config, prefix, secret, model, stop), stop, lambda: ready(front.server_port))
                finally:
                    front.shutdown()
                    if not front.drain(DRAIN_SECONDS):
                        log.warning("queries were cut off")
    finally:
        client.close()


def _sink(sink: Sink, stop: Event, ready: Callable[[], None]) -> None:
    """Run the sink, and tell when it has its part. Raises what it died of."""
    died: list[BaseException] = []

    def run() -> None:
        try:
            sink.run()
        except BaseException as error:  # told to the caller, who ends the process
            died.append(error)
            stop.set()

    thread = Thread(target=run, name="sink")
    thread.start()
    while not (sink.has_part.wait(0.1) or stop.is_set()):
        pass
    if not stop.is_set():
        ready()
    thread.join()
    if died:
        raise died[0]


@contextmanager
def _inserts_in(folder: Path) -> Iterator[None]:
    """The client hands rows to chDB in temporary files: they stay with the data, and what a crash left of them goes at the next start."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before
        shutil.rmtree(folder, ignore_errors=True)
