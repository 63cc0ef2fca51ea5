"""SPEC 2.13: ids are made with one secret, the same for a whole deployment."""

import uuid
from dataclasses import replace

import pytest
from confluent_kafka import KafkaException

from pipelines import admin, app, secret
from pipelines.errors import SettingsError
from pipelines.settings import Settings, load
from tests.pipelines.conftest import Deployment

pytestmark = pytest.mark.broker


def with_secret(deployment: Deployment, text: str) -> Settings:
    return load(deployment.environ | {"TIDEGATE_SECRET": text})


def test_the_first_secret_is_a_deployments_own(deployment: Deployment) -> None:
    """SPEC 2.13: a process with another one would give every entry a second identity, so it is refused, whatever it is."""
    first, other = with_secret(deployment, "the first secret of all"), with_secret(deployment, "another secret of them")
    secret.agree(deployment.config, other, "sink")  # no mark, no contradiction
    secret.agree(deployment.config, first, "scan", found=True)
    secret.agree(deployment.config, first, "scan", found=True)
    for found in (True, False):
        with pytest.raises(SettingsError, match=r"TIDEGATE_SECRET \(environment\) is not the secret"):
            secret.agree(deployment.config, other, "scan", found=found)
    secret.agree(deployment.config, first, "recall")


@pytest.mark.parametrize("agents", [["scan"], ["aggregate"], ["promote", "journal"], ["journal"]])
def test_a_worker_with_another_secret_does_not_start(deployment: Deployment, agents: list[str]) -> None:
    assert deployment.settings.brokers
    secret.agree(deployment.config, with_secret(deployment, "the first secret of all"), "scan", found=True)
    with pytest.raises(SettingsError, match="is not the secret"):
        app.work(with_secret(deployment, "another secret of them"), deployment.settings.brokers, agents, pytest.fail)


def test_other_partitions_are_named_and_hinder_no_reading(deployment: Deployment) -> None:
    """DESIGN, "The flow": the number of partitions is fixed when topics are made; epochs can be read with any."""
    assert deployment.settings.brokers
    more = replace(deployment.settings, partitions=5)
    with pytest.raises(SettingsError, match="has 2 partitions where TIDEGATE_PARTITIONS says 5"):
        app.work(more, deployment.settings.brokers, ["scan"], pytest.fail)
    assert admin.epochs(deployment.config, replace(deployment.layout, partitions=5)) == admin.epochs(deployment.config, deployment.layout)


def test_topics_that_are_not_there_are_said_so(deployment: Deployment) -> None:
    elsewhere = replace(deployment.settings, prefix=f"t-{uuid.uuid4().hex}.")
    with pytest.raises(KafkaException, match="does not exist; `tidegate topics --create`"):
        secret.agree(deployment.config, elsewhere, "scan")
