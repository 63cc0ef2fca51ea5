"""The application on the embedded broker and the session's engine, asked over httpx's ASGI transport."""

import asyncio
import uuid
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from clickhouse_connect.driver.client import Client
from confluent_kafka import Consumer, TopicPartition
from fastapi import FastAPI

from pipelines import admin, kafka
from pipelines.admin import Layout
from pipelines.api.app import create
from pipelines.api.callers import Caller
from pipelines.api.held import Most
from pipelines.api.services import Deployment, Services
from pipelines.receipts import Issued, opened
from pipelines.settings import load
from schemas.codec import decode
from sinks import door
from sinks.client import connect
from sinks.processors import processors
from sinks.writer import Writer
from tests.brokers import Broker
from tests.sinks import records as r

OPERATOR = "0" * 64
KEYS = {
    "key-of-support-1": Caller("k1", r.ORG, r.AGENT, "agent"),
    "key-of-support-2": Caller("k2", r.ORG, r.OTHER, "agent"),
    "key-of-ann": Caller("k3", r.ORG, "person/ann", "person", frozenset({("reviewer", "")})),
    "key-of-mina": Caller("k5", r.ORG, "person/mina", "person", frozenset({("administrator", "")})),
    "key-of-lee": Caller("k7", r.ORG, "person/lee", "person", frozenset({("reviewer", "finance")})),
    "key-of-globex": Caller("k4", "globex", r.AGENT, "agent"),
    "key-of-globex-admin": Caller("k6", "globex", "person/kim", "person", frozenset({("administrator", "")})),
}
LIMIT = 200_000
ANSWER_SECONDS = 30.0


@dataclass(frozen=True)
class Sent:
    """A message as the broker has it."""

    key: bytes
    record: Any


class Http:
    """Asks an application; its event loop runs while it is asked."""

    def __init__(self, app: FastAPI, deployment: Deployment, runner: asyncio.Runner, client: httpx.AsyncClient) -> None:
        self._app, self.deployment, self.runner, self._client = app, deployment, runner, client

    @property
    def services(self) -> Services:
        """What its routes share."""
        found: Services = self._app.state.services
        return found

    def __call__(self, method: str, path: str, json: Any = None, key: str | None = "key-of-support-1", **more: Any) -> httpx.Response:
        """The answer to a request. `key`: whose it is."""
        return self.together([(method, path, json)], key, **more)[0]

    def together(self, asked: list[tuple[str, str, Any]], key: str | None = "key-of-support-1", **more: Any) -> list[httpx.Response]:
        """The answers to requests sent at once."""
        headers = ({"Authorization": f"Bearer {key}"} if key else {}) | more.pop("headers", {})

        async def send() -> list[httpx.Response]:
            sent = [self._client.request(m, p, headers=headers, **({} if j is None else {"json": j}), **more) for m, p, j in asked]
            return await asyncio.gather(*sent)

        return self.runner.run(send())

    def issued(self, answer: httpx.Response) -> Issued:
        """What an answer's receipt was given for."""
        found = opened(self.deployment.secret, answer.json()["id"])
        assert found is not None
        return found

    def sent(self, answer: httpx.Response) -> Sent:
        """The message that an answer's receipt is for."""
        issued = self.issued(answer)
        return self.read(issued.topic, issued.partition, issued.offset)

    def read(self, topic: str, partition: int, offset: int) -> Sent:
        """A message on the broker."""
        consumer = Consumer({**self.deployment.kafka, "group.id": f"{self.deployment.prefix}test"})
        try:
            consumer.assign([TopicPartition(self.deployment.prefix + topic, partition, offset)])
            message = consumer.poll(ANSWER_SECONDS)
            assert message is not None and message.offset() == offset
            return Sent(message.key() or b"", decode(message.value()))
        finally:
            consumer.close()


@pytest.fixture(scope="session")
def deployment(
    noida_broker: Broker, engine: Client, engine_path: Path, migrated: str, tmp_path_factory: pytest.TempPathFactory
) -> Deployment:
    """Topics of a prefix of their own; the engine's database with all tables."""
    environ = {
        "TIDEGATE_DATA": str(tmp_path_factory.mktemp("data")),
        "TIDEGATE_BROKERS": noida_broker.bootstrap,
        "TIDEGATE_PREFIX": f"t-{uuid.uuid4().hex[:12]}.",
        "TIDEGATE_REPLICATION": "1",
        "TIDEGATE_MIN_ISR": "1",
    }
    settings = load(environ)
    config = kafka.client_config(settings, noida_broker.bootstrap)
    admin.create(config, Layout(settings.prefix, 2, 1, 1))

    def reader() -> Client:
        client = connect(f"chdb://{door.path_of(engine_path, migrated)}", None)
        client.database = migrated
        return client

    return Deployment(
        connect=reader,
        producer=lambda: kafka.producer(settings, noida_broker.bootstrap),
        kafka=config,
        prefix=settings.prefix,
        secret=r.SECRET,
        half_life_days=None,
        model=None,
        embedded=None,
        operator=OPERATOR,
        find=lambda _, bearer: KEYS.get(bearer),
        partitions=settings.partitions,
        vault=None,
        rate_limit=10_000,
        most_held=Most(10_000, 5_000, 500),
        body_limit=LIMIT,
    )


@contextmanager
def serving(deployment: Deployment) -> Iterator[Http]:
    """An application of its own, while the block runs."""

    with asyncio.Runner() as runner:
        stack = AsyncExitStack()

        app = create(deployment)

        async def begin() -> httpx.AsyncClient:
            await stack.enter_async_context(app.router.lifespan_context(app))
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            made = httpx.AsyncClient(transport=transport, base_url="http://tidegate", timeout=ANSWER_SECONDS)
            return await stack.enter_async_context(made)

        client = runner.run(begin())
        try:
            yield Http(app, deployment, runner, client)
        finally:
            runner.run(stack.aclose())


@pytest.fixture(scope="session")
def application(deployment: Deployment) -> Iterator[Http]:
    """One application for all tests of this folder."""
    with serving(deployment) as http:
        yield http


@pytest.fixture
def http(application: Http, client: Client) -> Http:
    """It, over an engine without rows."""
    return application


@pytest.fixture
def changed(deployment: Deployment, client: Client) -> Iterator[Callable[..., Http]]:
    """Makes applications of the deployment with something changed."""
    with ExitStack() as stack:
        yield lambda **more: stack.enter_context(serving(replace(deployment, **more)))


@pytest.fixture
def writer(client: Client) -> Writer:
    """A writer into the engine: what the sink would write."""
    return Writer(client, processors(r.SECRET))
