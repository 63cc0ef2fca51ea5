"""What recalls showed, told to the stream: one record a second for each agent that was served (SPEC 7.8)."""

import asyncio
import logging
import uuid
from contextlib import suppress

from pipelines.api.problems import Refused
from pipelines.api.sender import Sender
from pipelines.produce import message_key
from schemas.codec import encode
from schemas.records import ExposedRecall, Exposure

log = logging.getLogger(__name__)

EVERY_SECONDS = 1.0
MOST_ROWS = 4_000
"""Rows of a record: what topics take at once, and more than a second brings."""


class Exposures:
    """Of one process, whose id and sequences make each record known again."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._process = uuid.uuid4().hex
        self._sequences: dict[tuple[str, str], int] = {}
        self._shown: dict[tuple[str, str], list[ExposedRecall]] = {}

    def note(self, exposure: Exposure) -> None:
        """What a recall showed an agent."""
        self._shown.setdefault((exposure.org, exposure.agent), []).extend(exposure.recalls)

    async def run(self) -> None:
        """Tell it each second, until cancelled; then what is left."""
        with suppress(asyncio.CancelledError):
            while True:
                await asyncio.sleep(EVERY_SECONDS)
                await self.tell()
        await self.tell()

    async def tell(self) -> None:
        """Send what was shown since the last time."""
        shown, self._shown = self._shown, {}
        records = [record for (org, agent), recalls in shown.items() for record in self._records(org, agent, recalls)]
        sent = [self._sender.signed("recalls", record.org, message_key(record), encode(record)) for record in records]
        for ended in await asyncio.gather(*sent, return_exceptions=True):
            if isinstance(ended, Refused):
                log.warning("an exposure was not taken by the broker: recalls were counted too few")
            elif isinstance(ended, BaseException):
                raise ended

    def _records(self, org: str, agent: str, recalls: list[ExposedRecall]) -> list[Exposure]:
        parts: list[list[ExposedRecall]] = [[]]
        rows = 0
        for recall in recalls:
            if rows + len(recall.rows) > MOST_ROWS and parts[-1]:
                parts.append([])
                rows = 0
            parts[-1].append(recall)
            rows += len(recall.rows)
        first = self._sequences.get((org, agent), 0)
        self._sequences[org, agent] = first + len(parts)
        return [
            Exposure(org=org, agent=agent, process=self._process, sequence=first + n, recalls=tuple(part)) for n, part in enumerate(parts)
        ]
