"""A deployment's topics on each kind of broker."""

import uuid
from dataclasses import dataclass
from functools import cached_property

import pytest
from confluent_kafka import Producer

from pipelines import admin, kafka
from pipelines.admin import Layout
from pipelines.meta import ClientConfig
from pipelines.offsets import Offsets
from pipelines.settings import Settings, load
from tests.brokers import Broker


@dataclass(frozen=True)
class Deployment:
    """Topics of a prefix of their own, two partitions each. `environ`: the settings that point at it."""

    environ: dict[str, str]
    settings: Settings
    config: ClientConfig
    layout: Layout

    @property
    def offsets(self) -> Offsets:
        """Where its topics end."""
        return Offsets(self.config, self.layout.prefix)

    @cached_property
    def producer(self) -> Producer:
        """A producer as the commands make it; one, since each takes half a second to begin."""
        brokers = self.settings.brokers
        assert brokers is not None
        return kafka.producer(self.settings, brokers)


@pytest.fixture(scope="module")
def deployment(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    """Made once for each module of tests and kind of broker."""
    environ = {
        "TIDEGATE_DATA": str(tmp_path_factory.mktemp("data")),
        "TIDEGATE_BROKERS": broker.bootstrap,
        "TIDEGATE_PREFIX": f"t-{uuid.uuid4().hex[:12]}.",
        "TIDEGATE_PARTITIONS": "2",
        "TIDEGATE_REPLICATION": "1",
        "TIDEGATE_MIN_ISR": "1",
        "TIDEGATE_SECRET": "a secret of sixteen bytes and more",
    }
    settings = load(environ)
    config = kafka.client_config(settings, broker.bootstrap)
    layout = Layout(settings.prefix, settings.partitions, settings.replication, settings.min_isr)
    admin.create(config, layout)
    return Deployment(environ, settings, config, layout)
