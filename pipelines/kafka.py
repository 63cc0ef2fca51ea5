"""Clients of the broker: the settings that each kind of them needs, in one place."""

from logging import NullHandler, getLogger
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient

from pipelines.errors import Unreachable
from pipelines.settings import Settings
from pipelines.topics import MESSAGE_BYTES, RUN_BYTES

Config = dict[str, Any]
"""librdkafka's settings."""

FRAMING_BYTES = 64 * 1024
"""Room for key, headers and framing above the largest value."""
ANSWER_SECONDS = 10.0
LOG_ERRORS = 3
"""syslog's number: librdkafka tells of every connection that closes otherwise."""


def client_config(settings: Settings, brokers: str) -> Config:
    """What every librdkafka client needs to reach `brokers`."""
    config: Config = {"bootstrap.servers": brokers, "client.id": "tidegate", "log_level": LOG_ERRORS}
    if settings.brokers is None:
        return config  # the embedded one: loopback, IPv4, asks nobody
    config["security.protocol"] = settings.security_protocol
    if settings.security_protocol.startswith("SASL_"):
        config["sasl.mechanism"] = settings.sasl_mechanism
    given: dict[str, str | Path | None] = {
        "sasl.username": settings.sasl_username,
        "sasl.password": settings.sasl_password,
        "ssl.ca.location": settings.ssl_cafile,
        "ssl.certificate.location": settings.ssl_certfile,
        "ssl.key.location": settings.ssl_keyfile,
        "ssl.key.password": settings.ssl_password,
    }
    return config | {key: str(value) for key, value in given.items() if value is not None}


def silent(config: Config) -> Config:
    """The same for a client that writes nothing by itself: librdkafka has lines that no log level keeps from stderr.

    Whoever uses the client says what went wrong: from exceptions and delivery reports.
    """
    nobody = getLogger("librdkafka")
    nobody.propagate = False
    nobody.addHandler(NullHandler())
    return config | {"log_level": 0, "logger": nobody}


def producer_config(settings: Settings, brokers: str) -> Config:
    """A producer that leaves no gap: idempotent, in order, acknowledged by all replicas, partitioned as Kafka's own clients do."""
    return client_config(settings, brokers) | {
        "acks": "all",
        "enable.idempotence": True,
        "partitioner": "murmur2_random",
        "compression.type": "zstd",
        "linger.ms": 5,
        # librdkafka checks a message before it compresses it, the broker a batch after: the two limits differ.
        "message.max.bytes": RUN_BYTES + FRAMING_BYTES,
    }


def producer(settings: Settings, brokers: str) -> Producer:
    """A producer of `producer_config`."""
    return Producer(producer_config(settings, brokers))


def consumer_config(settings: Settings, brokers: str, group: str) -> Config:
    """A consumer that commits by hand, starts at the oldest record and reads no transaction that was given up."""
    return client_config(settings, brokers) | {
        "group.id": group,
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
        "fetch.message.max.bytes": MESSAGE_BYTES,
    }


def reach(settings: Settings, brokers: str, seconds: float = ANSWER_SECONDS) -> None:
    """Ask a broker for an answer. Raises Unreachable, saying what to do, where none comes in `seconds`."""
    admin = AdminClient(silent(client_config(settings, brokers)))
    try:
        admin.list_topics(timeout=seconds)
    except KafkaException as error:
        said = settings.origins["brokers"] if settings.brokers else "embedded"
        raise Unreachable(
            f"no Kafka broker answers at {brokers} ({said}) within {seconds:.0f} s: {error.args[0].str()}; "
            "check that it runs, the address, and the security settings"
        ) from error
