"""Who there is, as the topic `principals` tells it: read whole, followed, changed (docs/identity.md)."""

import fcntl
import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException, Message

from agents.binding.batch import Incoming
from agents.scan.directory import TOPIC, Directory
from pipelines.datadir import PRIVATE
from pipelines.errors import SettingsError
from pipelines.kafka import client_config, producer
from pipelines.meta import ClientConfig
from pipelines.offsets import Offsets
from pipelines.produce import send
from pipelines.reading import to_the_end
from pipelines.settings import Settings
from schemas.keys import Bearer, known, make, parse
from schemas.records import Grant, Principal
from schemas.signing import Signer

log = logging.getLogger(__name__)

FOLLOW_SECONDS = 1.0
"""How long a key that was revoked may go on counting, at most."""
FIRST_ORG = "default"
"""The organisation that `up` makes, where TIDEGATE_ORG names none."""
_AGAIN_SECONDS = 0.2
_GROUP = "scan-directory"


def read(config: ClientConfig, settings: Settings) -> Directory:
    """Everybody, as of now. Raises KafkaException where the broker does not answer."""
    found = Directory(settings.need_secret(), admits_unsigned=settings.open)
    for message in _Topic(config, settings.prefix).new():
        found.take(message)
    return found


def followed(config: ClientConfig, settings: Settings) -> Directory:
    """Everybody, and who comes or goes from now on; it waits for as long as the broker does not answer."""
    topic = _Topic(config, settings.prefix)
    found = Directory(settings.need_secret(), admits_unsigned=settings.open, catch_up=topic.patiently)
    found.refresh()
    threading.Thread(target=_follow, args=(found,), name="directory", daemon=True).start()
    return found


def _follow(directory: Directory) -> None:
    while True:
        time.sleep(FOLLOW_SECONDS)
        directory.refresh()


def signer(settings: Settings) -> Signer | None:
    """What this process signs with: the key that it was given, else as the operator where it has the deployment's secret; None: neither."""
    if settings.key is not None:
        return Signer.of(settings.key)
    return None if settings.secret is None else Signer.operator(settings.secret)


@contextmanager
def changing(settings: Settings) -> Iterator[None]:
    """Held while somebody reads who there is, changes it and writes it back: of two that did so at once one would be lost."""
    settings.data.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    lock = os.open(settings.data / "principals.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def write_key(path: Path, bearer: Bearer) -> None:
    """Put a key in a file that is readable for its owner alone. Raises SettingsError where it can't be made, or is there."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise SettingsError(f"the key's file {path} can't be made: {error.strerror}") from error
    with os.fdopen(handle, "w") as file:
        file.write(f"{bearer}\n")


def administrator_of(org: str, name: str) -> Principal:
    """A person who administers an organisation, without a key yet."""
    return Principal(org=org, principal=name, kind="person", producer="person", roles=(Grant(role="administrator"),))


def begin(settings: Settings, brokers: str, file: Path) -> Principal | None:
    """Make the first organisation where there is nobody at all yet, with its administrator's key in a file; None: somebody is there.

    Raises KafkaException where the broker does not answer, SettingsError where the file can't be written or holds something else.
    """
    if read(client_config(settings, brokers), settings).principals():
        return None
    at = datetime.now(UTC).replace(microsecond=0)
    if not file.exists():
        write_key(file, make("agent", at)[0])
    bearer = parse(file.read_text().strip())  # it may be there: the embedded broker, killed, forgets its last second
    if bearer is None:
        raise SettingsError(f"{file} holds no key: move it away, and another is made")
    org, name = settings.org or FIRST_ORG, "person/administrator"
    person = replace(administrator_of(org, name), keys=(known(bearer, "agent", at),))
    signer = Signer.operator(settings.need_secret())
    report = send([(1, person)], TOPIC, producer(settings, brokers), settings.prefix, signer, lambda *_: None)
    if report.failure or report.refused:
        raise KafkaException("the broker did not take the first principal")
    return person


class _Topic:
    """The topic, from its beginning on."""

    def __init__(self, config: ClientConfig, prefix: str) -> None:
        self._config, self._prefix = dict(config), prefix
        self._offsets = Offsets(config, prefix)
        self._next: dict[int, int] = {}

    def new(self) -> Iterator[Incoming]:
        """What was not read yet, each partition in order. Raises KafkaException."""
        since = {p: self._next.get(p, 0) for (_, p), end in self._offsets.ends([TOPIC]).items() if end > self._next.get(p, 0)}
        if not since:
            return
        for message in to_the_end(self._config, self._prefix + TOPIC, since, self._prefix + _GROUP):
            yield _incoming(message)
            self._next[message.partition() or 0] = (message.offset() or 0) + 1

    def patiently(self) -> Iterator[Incoming]:
        """The same, and waits for the broker where it does not answer."""
        while True:
            try:
                yield from self.new()
            except KafkaException as error:
                log.warning("who there is can't be read at the moment: %s", error.args[0])
                time.sleep(_AGAIN_SECONDS)
            else:
                return


def _incoming(message: Message) -> Incoming:
    _, milliseconds = message.timestamp()
    at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    headers: Any = message.headers() or []
    return Incoming(TOPIC, "", message.partition() or 0, message.offset() or 0, at, message.key(), message.value(), headers)
