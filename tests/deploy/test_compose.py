"""docker-compose.yml without a container engine: its rules read off the file, its Kafka settings and ACLs tried on Kafka from jars."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from agents.journal.keys import key_id
from pipelines import admin, keyring, secret
from pipelines.admin import Layout
from pipelines.api.unread import unread
from pipelines.errors import SettingsError
from pipelines.kafka import client_config, reach
from pipelines.seals import seals
from pipelines.settings import Settings, load
from tests import brokers
from tests.conftest import no_kafka

ROOT = Path(__file__).parents[2]
ENVIRON = {
    name: f"{name.lower()}-0123456789abcdef"
    for name in (
        "TIDEGATE_SECRET",
        "CLICKHOUSE_PASSWORD",
        *(f"KAFKA_{user}_PASSWORD" for user in ("ADMIN", "RUNTIME", "WORKER", "JOURNAL", "SINK", "API")),
    )
}


def compose() -> dict[str, Any]:
    """The file as compose reads it: variables put in, and none left out."""
    text = re.sub(r"\$\{(\w+)(?::\?[^}]*)?\}", lambda m: ENVIRON[m[1]], (ROOT / "docker-compose.yml").read_text())
    whole: dict[str, Any] = yaml.safe_load(text)
    return whole


SERVICES = compose()["services"]


def test_the_parts_are_there() -> None:
    assert {"kafka", "clickhouse", "topics", "worker", "journal", "sink", "api"} == SERVICES.keys()


@pytest.mark.parametrize("name", SERVICES)
def test_images_are_pinned(name: str) -> None:
    assert re.fullmatch(r"[\w./-]+:\d+(\.\d+)+", SERVICES[name]["image"])


@pytest.mark.parametrize("name", ["kafka", "clickhouse"])
def test_engines_have_health_checks_and_keep_their_data(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"][0] == "CMD"
    assert SERVICES[name]["volumes"][0].split(":")[0] in compose()["volumes"]


def test_the_image_has_a_health_check_and_no_root() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert any(line.startswith("HEALTHCHECK") for line in lines)
    assert "USER tidegate" in lines


@pytest.mark.parametrize(("name", "shared"), [("worker", ["vault:/vault"]), ("sink", [])])
def test_what_scales_has_no_name_port_or_volume_of_its_own(name: str, shared: list[str]) -> None:
    """But for the store of keys, which is one for all workers (docs/erasure.md)."""
    assert not SERVICES[name].keys() & {"container_name", "ports", "hostname"}
    assert SERVICES[name]["volumes"] == ["/data", *shared]


def test_only_loopback_is_published() -> None:
    assert all(port.startswith("127.0.0.1:") for service in SERVICES.values() for port in service.get("ports", []))


@pytest.mark.parametrize("name", ["topics", "worker", "journal", "sink", "api"])
def test_settings_are_such_as_tidegate_takes(name: str, tmp_path: Path) -> None:
    environ = {key: str(value) for key, value in SERVICES[name]["environment"].items()}
    assert load(environ | {"TIDEGATE_DATA": str(tmp_path)}).warnings == ()


def test_the_services_have_users_of_their_own() -> None:
    users = [SERVICES[name]["environment"]["TIDEGATE_SASL_USERNAME"] for name in ("topics", "worker", "journal", "sink", "api")]
    assert users == ["admin", "worker", "journal", "sink", "api"]


def test_make_env_makes_what_the_file_asks_for(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    script = tmp_path / "deploy" / "make-env"
    script.write_bytes((ROOT / "deploy" / "make-env").read_bytes())
    subprocess.run(["sh", script], check=True, capture_output=True)
    made = dict(line.split("=") for line in (tmp_path / ".env").read_text().splitlines())
    assert made.keys() == ENVIRON.keys()
    assert len(set(made.values())) == len(made)
    assert all(re.fullmatch("[0-9a-f]{64}", value) for value in made.values())
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600
    assert subprocess.run(["sh", script], check=False, capture_output=True).returncode == 1


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The compose file's Kafka, from jars, with its topics and ACLs."""
    data = tmp_path_factory.mktemp("compose")
    port, host_port, controller = (brokers.free_port() for _ in range(3))
    environment = SERVICES["kafka"]["environment"]
    lines = [f"{k[6:].lower().replace('_', '.')}={v}" for k, v in environment.items() if k.startswith("KAFKA_")]
    text = "\n".join(lines)
    moves = {"kafka:9092": f"127.0.0.1:{port}", "//:9092": f"//127.0.0.1:{port}", "kafka:9093": f"127.0.0.1:{controller}"}
    moves |= {"//:9093": f"//127.0.0.1:{controller}", ":19092": f":{host_port}", "/var/lib/kafka/data": str(data / "kafka")}
    for there, here in moves.items():
        assert there in text
        text = text.replace(there, here)
    properties = data / "server.properties"
    properties.write_text(text)
    try:
        with brokers.from_jars(properties, environment["CLUSTER_ID"], port):
            bootstrap = f"127.0.0.1:{port}"
            settings = user_settings("admin", bootstrap)
            config = client_config(settings, bootstrap)
            reach(settings, bootstrap, 60)  # its port is open before it lets anybody in
            admin.create(config, Layout(settings.prefix, 2, 1, 1))
            environ = {**user_environ("admin", bootstrap), "PYTHONPATH": str(ROOT)}
            subprocess.run([sys.executable, ROOT / "deploy" / "acls.py"], check=True, env=environ)
            yield bootstrap
    except brokers.Missing as missing:
        no_kafka(missing)


def user_environ(user: str, bootstrap: str) -> dict[str, str]:
    """What the compose file sets for a user, with the broker's address here."""
    environ = {key: str(value) for key, value in SERVICES["topics"]["environment"].items()}
    password = ENVIRON[f"KAFKA_{user.upper()}_PASSWORD"]
    return environ | {"TIDEGATE_BROKERS": bootstrap, "TIDEGATE_SASL_USERNAME": user, "TIDEGATE_SASL_PASSWORD": password}


def user_settings(user: str, bootstrap: str) -> Settings:
    return load(user_environ(user, bootstrap))


def written(user: str, bootstrap: str, topic: str) -> bool:
    """Whether a user may write a topic."""
    told: list[KafkaError | None] = []
    producer = Producer(client_config(user_settings(user, bootstrap), bootstrap) | {"enable.idempotence": True, "log_level": 0})
    producer.produce("tidegate." + topic, b"x", b"k", on_delivery=lambda error, _: told.append(error))
    assert producer.flush(30) == 0
    assert told[0] is None or told[0].code() == KafkaError.TOPIC_AUTHORIZATION_FAILED
    return told[0] is None


def read(user: str, bootstrap: str, topic: str, group: str) -> bool:
    """Whether a user may read a topic, in a group."""
    config = client_config(user_settings(user, bootstrap), bootstrap)
    consumer = Consumer(config | {"group.id": group, "enable.partition.eof": True, "log_level": 0})
    consumer.assign([TopicPartition("tidegate." + topic, p, OFFSET_BEGINNING) for p in range(2)])
    try:
        message = consumer.poll(30)
        assert message is not None
        code = (error := message.error()) and error.code()
        refusals = (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED)
        assert code in (None, KafkaError._PARTITION_EOF, *refusals)
        return code not in refusals and in_group(consumer, topic)
    finally:
        consumer.close()


def in_group(consumer: Consumer, topic: str) -> bool:
    """Whether a consumer may be of its group."""
    end = time.monotonic() + 30
    while True:
        try:
            consumer.committed([TopicPartition("tidegate." + topic, 0)], timeout=10)
            return True
        except KafkaException as refused:
            if refused.args[0].code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
                return False
            assert time.monotonic() < end, refused  # before: a broker that is still making the group's coordinator


@pytest.mark.broker
def test_the_journal_makes_its_key_and_publishes_it(cluster: str, tmp_path: Path) -> None:
    """SPEC 6.8: with the rights that it has, before anything stands in the journal; no other service may publish one."""
    config = client_config(user_settings("journal", cluster), cluster)
    key = keyring.take_up(tmp_path, config, Layout("tidegate.", 2, 1, 1))
    assert key_id(key.public_key()) in {record.key for record in seals(config, Layout("tidegate.", 2, 1, 1)).keys}


@pytest.mark.broker
@pytest.mark.parametrize(
    ("user", "topic", "may"),
    [
        ("runtime", "runs", True),
        ("runtime", "outcomes", True),
        ("runtime", "learnings", False),
        ("runtime", "entries", False),
        ("worker", "runs", False),
        ("worker", "learnings", True),
        ("worker", "aggregate-state-changelog", True),
        ("worker", "journal", False),
        ("worker", "journal-seals", False),
        ("worker", "journal-texts", False),
        ("journal", "journal", True),
        ("journal", "journal-texts", True),
        ("journal", "entries", False),
        ("sink", "dead-letters", True),
        ("sink", "entries", False),
        ("api", "runs", True),
        ("api", "recalls", True),
        ("api", "requests", True),
        ("api", "principals", False),
        ("api", "learnings", False),
    ],
)
def test_who_may_write_what(cluster: str, user: str, topic: str, may: bool) -> None:
    assert written(user, cluster, topic) is may


@pytest.mark.broker
@pytest.mark.parametrize(
    ("user", "topic", "group", "may"),
    [
        ("runtime", "runs", "tidegate.scan", False),
        ("runtime", "entries", "mine", False),
        ("worker", "runs", "tidegate.scan", True),
        ("worker", "runs", "tidegate.sink", False),
        ("journal", "decisions", "tidegate.journal", True),
        ("journal", "runs", "tidegate.journal", False),
        ("sink", "journal-seals", "tidegate.sink", True),
        ("sink", "entries", "tidegate.sink", True),
        ("sink", "runs", "tidegate.sink", False),
        ("api", "requests", "tidegate.api-reader", True),
        ("api", "runs", "tidegate.api-reader", False),
    ],
)
def test_who_may_read_what(cluster: str, user: str, topic: str, group: str, may: bool) -> None:
    assert read(user, cluster, topic, group) is may


@pytest.mark.broker
@pytest.mark.parametrize("user", ["worker", "journal", "sink", "api"])
def test_services_can_check_the_topics_as_they_start(cluster: str, user: str) -> None:
    config = client_config(user_settings(user, cluster), cluster)
    assert [state for state in admin.check(config, Layout("tidegate.", 2, 1, 1)) if not state.ok] == []


@pytest.mark.broker
def test_services_can_compare_their_secret_as_they_start(cluster: str) -> None:
    """SPEC 2.13: with the rights that each has; the first worker leaves a mark where `topics --create` did not."""
    for user, reader, found in (
        ("worker", "scan", True),
        ("worker", "scan", False),
        ("journal", "journal", False),
        ("sink", "sink", False),
        ("api", "api", False),
    ):
        settings = user_settings(user, cluster)
        config = client_config(settings, cluster)
        secret.agree(config, settings, reader, found=found)
        with pytest.raises(SettingsError, match="is not the secret"):
            secret.agree(config, replace(settings, secret=b"another secret of them"), reader)


@pytest.mark.broker
def test_the_interface_sees_how_far_the_sink_is(cluster: str) -> None:
    """SPEC 9.3: what was sent twice is known though the sink has still to read it."""
    config = client_config(user_settings("api", cluster), cluster)
    assert unread(config, "tidegate.") == []


@pytest.mark.broker
def test_nobody_is_let_in_without_a_user(cluster: str) -> None:
    stranger = AdminClient({"bootstrap.servers": cluster, "log_level": 0})
    with pytest.raises(Exception, match=r"Failed to get metadata|timed out|transport"):
        stranger.list_topics(timeout=2)
