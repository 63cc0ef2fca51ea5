"""Straight to Kafka, as the service's docs/wire.md describes it. Needs the extra `kafka`."""

import json
import threading
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from tidegate_client.buffer import Item
from tidegate_client.codec import Unfit, encode
from tidegate_client.sending import Refused, Unavailable
from tidegate_client.signing import Signer

_NOT_TAKEN = (
    KafkaError.MSG_SIZE_TOO_LARGE,
    KafkaError.RECORD_LIST_TOO_LARGE,
    KafkaError.INVALID_RECORD,
    KafkaError.POLICY_VIOLATION,
)
_LONGEST_RUN = 32 * 1024 * 1024 + 64 * 1024
_GIVE_UP_SECONDS = 60
"""After that librdkafka tells that a message was not delivered; it is sent again then, and counts once by its id."""
_POLL_SECONDS = 0.1


class Kafka:
    """A producer. `config`: settings of librdkafka beside `bootstrap.servers`, such as SASL's; `signer` None: messages go unsigned."""

    def __init__(self, brokers: str, prefix: str, org: str, agent: str, signer: Signer | None, config: Mapping[str, Any]) -> None:
        self._prefix, self._org, self._agent, self._signer = prefix, org, agent, signer
        self._config = {
            "client.id": "tidegate-client",
            "bootstrap.servers": brokers,
            "acks": "all",
            "enable.idempotence": True,
            "partitioner": "murmur2_random",
            "compression.type": "zstd",
            "message.max.bytes": _LONGEST_RUN,
            "message.timeout.ms": _GIVE_UP_SECONDS * 1000,
            "log_level": 0,
            **config,
        }
        self._lock = threading.Lock()
        self._producer = Producer(self._config)

    def send(self, item: Item) -> str:
        """Send a record, and give its receipt. Raises Refused or Unavailable."""
        record = json.loads(item.body)
        try:
            value = encode(item.topic, {"org": self._org, "agent": self._agent, **record})
        except Unfit as unfit:
            raise Refused(f"{unfit.field} {unfit}", "bad_value", unfit.field) from None
        headers: list[tuple[str, str | bytes | None]] = []
        if self._signer:
            headers.append(self._signer.header(item.topic, self._org, value))
        delivered: list[tuple[KafkaError | None, Message]] = []
        producer = self._producer
        try:
            producer.produce(
                self._prefix + item.topic,
                value,
                f"{self._org}/{self._agent}".encode(),
                headers=headers,
                on_delivery=lambda error, message: delivered.append((error, message)),
            )
            while not delivered:
                producer.poll(_POLL_SECONDS)
        except BufferError:
            raise Unavailable("the producer's queue is full") from None
        except KafkaException as raised:
            raise self._failed(producer, raised.args[0]) from None
        [(error, message)] = delivered
        if error is not None:
            raise self._failed(producer, error)
        return f"{item.topic}:{message.partition()}:{message.offset()}"

    def close(self) -> None:
        """Wait a moment for what is still on its way."""
        self._producer.flush(_POLL_SECONDS)

    def _failed(self, producer: Producer, error: KafkaError) -> Refused | Unavailable:
        if error.code() in _NOT_TAKEN:
            return Refused(f"the broker does not take it: {error.str()}", "not_taken")
        if error.fatal():  # an idempotent producer that has lost its place sends nothing more
            with self._lock:
                if self._producer is producer:
                    self._producer = Producer(self._config)
        return Unavailable(f"the broker does not answer: {error.str()}")
