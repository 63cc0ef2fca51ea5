"""A core that cannot stop the flow: where a batch fails, its records are taken one by one and the one that fails is dead-lettered."""

import logging
from collections.abc import Sequence
from datetime import timedelta

from agents.binding.batch import Core, Incoming, Outgoing, Read, Result
from schemas.codec import encode
from schemas.partition import log_hash
from schemas.records import DeadLetter

log = logging.getLogger(__name__)


class Guarded:
    """Wraps a core. A failure that the core did not foresee costs one record, which stays in its topic for a replay, and no more.

    `kept` tells how long the topics of the core keep what they hold: until then a dead letter can be replayed.
    """

    def __init__(self, core: Core, kept: timedelta) -> None:
        self._core, self._kept = core, kept

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        """As the core's own step; never raises an Exception."""
        try:
            return self._core.step(partition, batch, read)
        except Exception as error:
            if len(batch) == 1:
                # The text of an exception may hold what it failed on: only its type may be logged.
                log.error("%s could not be taken: %s; it is dead-lettered", batch[0].receipt, type(error).__name__)
                return Result([self._dead_letter(batch[0])])
        whole = Result()

        def read_after(key: bytes) -> bytes | None:
            return whole.states[key] if key in whole.states else read(key)

        for record in batch:
            one = self.step(partition, [record], read_after)
            whole.out += one.out
            whole.states |= one.states
        return whole

    def _dead_letter(self, record: Incoming) -> Outgoing:
        letter = DeadLetter(
            id=record.receipt,
            topic=record.topic,
            epoch=record.epoch,
            partition=record.partition,
            offset=record.offset,
            part="message",
            reason="internal_error",
            at=record.at,
            replayable_until=record.at + self._kept,
        )
        return Outgoing("dead-letters", record.topic.encode(), encode(letter), log_hash(record.topic))
