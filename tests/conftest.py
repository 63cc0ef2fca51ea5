"""Fixtures for all tests: a broker of each kind, and a prefix of topics of one's own."""

import os
import uuid
from collections.abc import Iterator
from typing import NoReturn

import pytest
from hypothesis import settings

from tests import brokers
from tests.brokers import Broker, Missing

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
