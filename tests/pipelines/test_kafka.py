"""DESIGN, "The flow": how every client of the broker is set up."""

from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from faust.auth import SASLCredentials

from pipelines.kafka import client_config, consumer_config, reach, silent
from pipelines.runtime import Unreachable
from pipelines.security import credentials
from pipelines.settings import load

SASL = {
    "TIDEGATE_BROKERS": "a:1",
    "TIDEGATE_SECURITY_PROTOCOL": "SASL_PLAINTEXT",
    "TIDEGATE_SASL_MECHANISM": "plain",
    "TIDEGATE_SASL_USERNAME": "worker",
    "TIDEGATE_SASL_PASSWORD": "pw",
}


def test_the_embedded_broker_is_asked_plainly(tmp_path: Path) -> None:
    settings = load({"TIDEGATE_DATA": str(tmp_path)})
    assert client_config(settings, "127.0.0.1:9") == {"bootstrap.servers": "127.0.0.1:9", "client.id": "tidegate", "log_level": 3}
    assert credentials(settings) is None


def test_security_settings_reach_both_kinds_of_client(tmp_path: Path) -> None:
    settings = load({"TIDEGATE_DATA": str(tmp_path), **SASL})
    config = client_config(settings, "a:1")
    assert config["security.protocol"] == "SASL_PLAINTEXT"
    assert (config["sasl.mechanism"], config["sasl.username"], config["sasl.password"]) == ("PLAIN", "worker", "pw")
    faust = credentials(settings)
    assert isinstance(faust, SASLCredentials)
    assert (faust.protocol.value, faust.mechanism.value, faust.username) == ("SASL_PLAINTEXT", "PLAIN", "worker")


def test_consumers_commit_by_hand_and_lose_nothing_old(tmp_path: Path) -> None:
    config = consumer_config(load({"TIDEGATE_DATA": str(tmp_path)}), "127.0.0.1:9", "tidegate.sink")
    assert (config["group.id"], config["enable.auto.commit"], config["auto.offset.reset"]) == ("tidegate.sink", False, "earliest")


def test_a_broker_that_can_not_be_reached_is_named(tmp_path: Path) -> None:
    settings = load({"TIDEGATE_DATA": str(tmp_path), "TIDEGATE_BROKERS": "127.0.0.1:1"})
    with pytest.raises(Unreachable, match=r"no Kafka broker answers at 127\.0\.0\.1:1 \(environment\)") as error:
        reach(settings, "127.0.0.1:1", seconds=1)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", [Producer, Consumer, AdminClient])
def test_a_silent_client_writes_nothing_whatever_happens_to_it(tmp_path: Path, capfd: pytest.CaptureFixture[str], kind: type[Any]) -> None:
    """A command says what went wrong in its own words."""
    settings = load({"TIDEGATE_DATA": str(tmp_path), "TIDEGATE_BROKERS": "127.0.0.1:1"})
    loud = {"debug": "all", "group.id": "g"} if kind is Consumer else {"debug": "all"}
    client = kind(silent(client_config(settings, "127.0.0.1:1")) | loud | {"log_level": 7})
    client.poll(0.3)
    del client
    assert capfd.readouterr() == ("", "")
