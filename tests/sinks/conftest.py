"""A ClickHouse for each test: chDB holds one path a process, so tests share an engine and keep apart by database."""

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client

from sinks import migrate
from sinks.client import connect
from sinks.front import Front
from sinks.processors import processors
from sinks.writer import Writer
from tests.sinks.asking import TOKEN
from tests.sinks.records import SECRET

_numbers = itertools.count()


@pytest.fixture(scope="session")
def engine_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's chDB keeps its data."""
    return tmp_path_factory.mktemp("clickhouse")


@pytest.fixture(scope="session")
def engine(engine_path: Path) -> Iterator[Client]:
    """The session's chDB."""
    client = connect(f"chdb://{engine_path}", None)
    client.command("SET fsync_metadata = 0")  # nobody needs a test's tables after a crash
    yield client
    client.close()


@pytest.fixture
def empty(engine: Client) -> Iterator[Client]:
    """A client of a database of its own, with nothing in it."""
    name = f"test_{next(_numbers)}"
    engine.command(f"CREATE DATABASE {name}")
    before, engine.database = engine.database, name
    yield engine
    engine.database = before
    engine.command(f"DROP DATABASE {name}")


@pytest.fixture(scope="session")
def migrated(engine: Client) -> str:
    """Name of a database with all tables and views."""
    engine.command("CREATE DATABASE migrated")
    before, engine.database = engine.database, "migrated"
    migrate.forwards(engine)
    engine.database = before
    return "migrated"


@pytest.fixture
def client(engine: Client, migrated: str) -> Iterator[Client]:
    """A client of a database with all tables and views, and no rows."""
    before, engine.database = engine.database, migrated
    yield engine
    filled = f"SELECT name FROM system.tables WHERE database = '{migrated}' AND total_rows > 0 AND name != 'migrations'"
    for (table,) in engine.query(filled).result_rows:
        engine.command(f"TRUNCATE TABLE {table}")  # which forgets the tokens of its inserts too
    engine.database = before


@pytest.fixture
def writer(client: Client) -> Writer:
    """A writer into it."""
    return Writer(client, processors(SECRET))


@pytest.fixture(scope="session")
def front(engine_path: Path, engine: Client) -> Iterator[Front]:
    """A front over the session's engine."""
    with Front(str(engine_path.resolve()), TOKEN, 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        assert server.drain(5)
