"""The server of the HTTP interface: in a process of its own (`tidegate api`), or on a thread of the engine's (`tidegate up`)."""

import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

import uvicorn
from confluent_kafka import Producer

from pipelines import secret
from pipelines.api.app import create
from pipelines.api.callers import caller_of
from pipelines.api.held import Most
from pipelines.api.services import Deployment
from pipelines.errors import SettingsError, Unreachable
from pipelines.kafka import client_config, producer_config, silent
from pipelines.runtime import Endpoints, operator_token
from pipelines.settings import Settings
from sinks import meaning
from sinks.client import connect

log = logging.getLogger(__name__)

DEFAULT_PORT = 8080
SEND_MS = 20_000
"""How long the broker is tried before a write is answered with 503."""
STOP_SECONDS = 15
"""How long requests that run may go on once the end was asked for."""
IDLE_SECONDS = 75
"""How long a connection is kept that nobody uses."""
_GLANCE_SECONDS = 0.02


def deployment(settings: Settings, ends: Endpoints, clickhouse: str) -> Deployment:
    """What the settings point at; `clickhouse`: the DSN that it reads by. Raises SettingsError where the secret is another one."""
    config = silent(client_config(settings, ends.brokers))
    secret.agree(config, settings, "api")
    sending = {**producer_config(settings, ends.brokers), **config, "message.timeout.ms": SEND_MS}
    token = None if clickhouse.startswith("chdb://") else ends.token
    return Deployment(
        connect=lambda: connect(clickhouse, token),
        producer=lambda: Producer(sending),
        kafka=config,
        prefix=settings.prefix,
        secret=settings.need_secret(),
        half_life_days=settings.half_life_days,
        model=meaning.load(settings.meaning),
        embedded=settings.data if settings.brokers is None else None,
        operator=operator_token(settings.data),
        find=caller_of,
        partitions=settings.partitions,
        vault=settings.vault_file,
        rate_limit=settings.rate_limit,
        most_held=Most(settings.max_held, settings.max_held_org, settings.max_held_author),
        body_limit=settings.body_limit,
    )


@contextmanager
def serving(deployment: Deployment, host: str, port: int, stop: Event) -> Iterator[int]:
    """Serve while the block runs; gives the port, which may be asked for as 0. A server that dies sets `stop`.

    Raises SettingsError where the port can't be had, Unreachable where it could not begin.
    """
    with _listening(host, port) as listening:
        config = uvicorn.Config(
            create(deployment),
            log_config=None,
            access_log=False,  # an address may hold what somebody asked
            server_header=False,
            lifespan="on",
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        server = uvicorn.Server(config)
        thread = Thread(target=_run, args=(server, listening, stop.set), name="http")
        thread.start()
        try:
            while not server.started:
                if not thread.is_alive():
                    raise Unreachable("the HTTP interface could not begin: what is logged above says why")
                thread.join(_GLANCE_SECONDS)
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def _run(server: uvicorn.Server, listening: socket.socket, ended: Callable[[], None]) -> None:
    try:
        server.run(sockets=[listening])
    except SystemExit:
        pass  # it has logged why it could not begin
    finally:
        ended()


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=1024)
    except OSError as error:
        raise SettingsError(
            f"the HTTP interface can't listen on {host}:{port} ({error.strerror or error}): set TIDEGATE_API_HOST and TIDEGATE_API_PORT"
        ) from error
    with listening:
        yield listening
