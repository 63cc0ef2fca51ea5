"""What the routes share, made and closed with the application."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from clickhouse_connect.driver.client import Client
from confluent_kafka import Producer

from pipelines.api.callers import Callers, Find
from pipelines.api.durable import Durable
from pipelines.api.exposures import Exposures
from pipelines.api.held import Held, Most
from pipelines.api.idempotency import Idempotency
from pipelines.api.limits import Rate
from pipelines.api.readers import Readers
from pipelines.api.sender import Sender
from pipelines.api.unread import unread
from pipelines.meta import ClientConfig
from schemas.signing import Signer
from schemas.vault import Vault
from sinks.meaning import Model
from sinks.recall import Recall

PARSERS = 2
"""Threads that read bodies: a large one keeps nobody from asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """What the interface is put on. `connect` makes a client of ClickHouse, with a handle of its own; `producer` an idempotent producer.

    `embedded`: data directory of the embedded broker, None for any other; `operator`: the token of the data directory, if there is one;
    `partitions`: of each topic; `vault`: where the keys of what is private are.
    """

    connect: Callable[[], Client]
    producer: Callable[[], Producer]
    kafka: ClientConfig
    prefix: str
    secret: bytes
    half_life_days: float | None
    model: Model | None
    embedded: Path | None
    operator: str | None
    find: Find
    partitions: int
    vault: Path | None
    rate_limit: int
    most_held: Most
    body_limit: int


@dataclass(frozen=True, slots=True)
class Services:
    """What a route asks for."""

    deployment: Deployment
    readers: Readers
    sender: Sender
    idempotency: Idempotency
    exposures: Exposures
    callers: Callers
    held: Held
    parsers: ThreadPoolExecutor
    durable: Durable | None
    vault: Vault | None


@asynccontextmanager
async def services(deployment: Deployment) -> AsyncIterator[Services]:
    """Open them; as the block ends, what is on its way arrives first. Raises KafkaException where the broker does not answer."""
    vault = Vault(deployment.vault) if deployment.vault else None
    readers = Readers(
        deployment.connect, lambda client: Recall(client, deployment.secret, deployment.half_life_days, deployment.model, vault)
    )
    sender = Sender(deployment.producer(), deployment.prefix, Signer.operator(deployment.secret))
    exposures = Exposures(sender)
    idempotency = Idempotency(deployment.secret, sender, readers)
    parsers = ThreadPoolExecutor(PARSERS, "parser")
    telling = asyncio.create_task(exposures.run())
    try:
        idempotency.remember(await asyncio.to_thread(unread, deployment.kafka, deployment.prefix))
        yield Services(
            deployment=deployment,
            readers=readers,
            sender=sender,
            idempotency=idempotency,
            exposures=exposures,
            callers=Callers(deployment.operator, deployment.find, readers, Rate(deployment.rate_limit)),
            held=Held(readers, deployment.most_held),
            parsers=parsers,
            durable=Durable(deployment.embedded) if deployment.embedded else None,
            vault=vault,
        )
    finally:
        telling.cancel()
        await telling
        await asyncio.to_thread(sender.close)
        await asyncio.to_thread(readers.close)
        parsers.shutdown()
        if vault is not None:
            vault.close()
