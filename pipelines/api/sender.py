"""Messages to the broker from an event loop: each is awaited until the broker has it."""

import asyncio
import threading
from collections.abc import Sequence

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from pipelines.api.problems import Refused
from schemas.signing import Signer

MOST_IN_FLIGHT = 5_000
ANSWER_SECONDS = 3.0
FLUSH_SECONDS = 25.0
"""A little more than the producer itself goes on trying."""

Header = tuple[str, bytes]
_TOO_LARGE = (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.RECORD_LIST_TOO_LARGE)


class Sender:
    """Wraps an idempotent producer, whose delivery reports a thread takes. `signer`: the deployment's own key."""

    def __init__(self, producer: Producer, prefix: str, signer: Signer) -> None:
        self._producer, self._prefix, self._signer = producer, prefix, signer
        self._stop = threading.Event()
        self._reports = threading.Thread(target=self._poll, name="delivery", daemon=True)
        self._reports.start()

    async def signed(self, topic: str, org: str, key: bytes, value: bytes, key_id: str | None = None) -> tuple[int, int]:
        """As `send`, for the raw side: with the deployment's signature, which passes on what came with a principal's key."""
        signer = self._signer if key_id is None else self._signer.for_key(key_id)
        return await self.send(topic, key, value, [signer.header(topic, org, value)])

    async def send(self, topic: str, key: bytes, value: bytes, headers: Sequence[Header] = ()) -> tuple[int, int]:
        """Partition and offset of a message on a topic (without prefix), once the broker has it.

        Raises Refused where it does not take the message, for good or for now.
        """
        if len(self._producer) >= MOST_IN_FLIGHT:
            raise Refused.for_now("too many messages are on their way to the broker")
        loop = asyncio.get_running_loop()
        confirmed: asyncio.Future[tuple[int, int]] = loop.create_future()

        def delivered(error: KafkaError | None, message: Message) -> None:
            loop.call_soon_threadsafe(_settle, confirmed, error, message.partition(), message.offset())

        try:
            self._producer.produce(self._prefix + topic, value, key, headers=list(headers), on_delivery=delivered)
        except BufferError:
            raise Refused.for_now("too many messages are on their way to the broker") from None
        except KafkaException as error:
            raise _refusal(error.args[0]) from error
        return await confirmed

    def reachable(self) -> bool:
        """Whether the broker answers."""
        try:
            self._producer.list_topics(timeout=ANSWER_SECONDS)
        except KafkaException:
            return False
        return True

    def close(self) -> None:
        """Once the broker has what is on its way, or will not take it."""
        self._producer.flush(FLUSH_SECONDS)
        self._stop.set()
        self._reports.join()
        self._producer.close()

    def _poll(self) -> None:
        while not self._stop.is_set():
            self._producer.poll(0.1)


def _settle(confirmed: "asyncio.Future[tuple[int, int]]", error: KafkaError | None, partition: int | None, offset: int | None) -> None:
    if confirmed.done():  # nobody waits any longer
        return
    if error is not None:
        confirmed.set_exception(_refusal(error))
    else:
        assert partition is not None and offset is not None
        confirmed.set_result((partition, offset))


def _refusal(error: KafkaError) -> Refused:
    if error.code() in _TOO_LARGE:
        return Refused(413, "too_large", "compressed it is still more than the topic takes: send it in parts")
    return Refused.for_now(f"the broker did not confirm it ({error.name()})")
