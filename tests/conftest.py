"""Fixtures for all tests: a broker of each kind, a prefix of topics of one's own, and an engine.

chDB holds one path a process, so tests share an engine and keep apart by database.
"""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest
from hypothesis import settings

from tests import brokers
from tests.brokers import Broker, Missing

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

settings.register_profile("fuzz", max_examples=10_000, deadline=None, print_blob=True)
"""For `make fuzz`: some ten minutes on one core."""

BROKERS = {"broker", "kafka_broker", "noida_broker"}


LONG = ("tests/agents/aggregate/test_model.py", "tests/chaos/", "tests/pipeline/", "tests/test_readme.py", "tests/pipelines/")
"""The longest of all, and where tests wait for processes most of their time."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for a broker is marked so: `make test-fast` leaves it out. Long tests come first, so that short ones fill the gaps
    that they leave at the end."""
    for item in items:
        if BROKERS & set(getattr(item, "fixturenames", ())):
            item.add_marker("broker")
    items.sort(key=lambda item: next((place for place, start in enumerate(LONG) if item.nodeid.startswith(start)), len(LONG)))


def no_kafka(missing: Missing) -> NoReturn:
    """Skip a test with the reason why there is no Kafka; fail where TIDEGATE_TEST_REQUIRE_KAFKA=1."""
    if os.environ.get("TIDEGATE_TEST_REQUIRE_KAFKA") == "1":
        pytest.fail(f"no Kafka: {missing}")
    pytest.skip(f"no Kafka: {missing}")


@pytest.fixture(scope="session")
def kafka_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A real Kafka. Skips with the reason where none is to be had; fails where TIDEGATE_TEST_REQUIRE_KAFKA=1."""
    try:
        with brokers.kafka(tmp_path_factory.mktemp("kafka")) as found:
            yield found
    except Missing as missing:
        no_kafka(missing)


@pytest.fixture(scope="session")
def noida_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """The embedded broker."""
    with brokers.noida(tmp_path_factory.mktemp("noida-db")) as found:
        yield found


@pytest.fixture(scope="session", params=["noida-db", "kafka"])
def broker(request: pytest.FixtureRequest) -> Broker:
    """Each kind of broker in turn; tests share them, and keep apart by `prefix`."""
    found: Broker = request.getfixturevalue("kafka_broker" if request.param == "kafka" else "noida_broker")
    return found


@pytest.fixture
def prefix() -> str:
    """A prefix of topics and groups that no other test uses."""
    return f"t-{uuid.uuid4().hex[:12]}."


@pytest.fixture(scope="session")
def engine_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's chDB keeps its data."""
    return tmp_path_factory.mktemp("clickhouse")


@pytest.fixture(scope="session")
def engine(engine_path: Path) -> "Iterator[Client]":
    """The session's chDB."""
    from sinks import door
    from sinks.client import connect  # late: most tests need no engine

    client = connect(f"chdb://{door.path_of(engine_path, 'migrated')}", None)
    client.command("SET fsync_metadata = 0")  # nobody needs a test's tables after a crash
    yield client
    client.close()


@pytest.fixture(scope="session")
def migrated(engine: "Client") -> str:
    """Name of a database with all tables and views."""
    from sinks import migrate

    engine.command("CREATE DATABASE migrated")
    before, engine.database = engine.database, "migrated"
    migrate.forwards(engine)
    engine.database = before
    return "migrated"


@pytest.fixture
def client(engine: "Client", migrated: str) -> "Iterator[Client]":
    """A client of a database with all tables and views, and no rows."""
    before, engine.database = engine.database, migrated
    yield engine
    filled = f"SELECT name FROM system.tables WHERE database = '{migrated}' AND total_rows > 0 AND name != 'migrations'"
    for (table,) in engine.query(filled).result_rows:
        engine.command(f"TRUNCATE TABLE {table}")  # which forgets the tokens of its inserts too
    engine.database = before
