"""A deployment of its own for each test, on each kind of broker."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.brokers import Broker
from tests.pipeline.flow import Flow


@pytest.fixture
def flow(broker: Broker, tmp_path: Path, prefix: str) -> Iterator[Flow]:
    """`tidegate up`, ready."""
    deployment = Flow(broker, tmp_path / "data", prefix)
    deployment.start()
    try:
        yield deployment
    finally:
        deployment.stop()
