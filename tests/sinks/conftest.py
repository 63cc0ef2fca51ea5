"""Databases of the session's engine, its writer and its front."""

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client

from sinks import door
from sinks.client import connect
from sinks.front import Front
from sinks.processors import processors
from sinks.writer import Writer
from tests.sinks.asking import TOKEN
from tests.sinks.records import SECRET

_numbers = itertools.count()


@pytest.fixture
def empty(engine: Client) -> Iterator[Client]:
    """A client of a database of its own, with nothing in it."""
    name = f"test_{next(_numbers)}"
    engine.command(f"CREATE DATABASE {name}")
    before, engine.database = engine.database, name
    yield engine
    engine.database = before
    engine.command(f"DROP DATABASE {name}")


@pytest.fixture
def writer(client: Client) -> Writer:
    """A writer into it."""
    return Writer(client, processors(SECRET))


@pytest.fixture(scope="session")
def front(engine_path: Path, engine: Client, migrated: str) -> Iterator[Front]:
    """A front over the session's engine."""
    client = connect(f"chdb://{door.path_of(engine_path, 'migrated')}", None)
    client.database = migrated
    with Front(door.path_of(engine_path, "migrated"), TOKEN, 0, client) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        assert server.drain(5)
