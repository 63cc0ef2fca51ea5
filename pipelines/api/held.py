"""How much may be held before no more is taken (SPEC 4.5). Outcomes, reviews and erasures, which make room, are always taken."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass

from pipelines.api.problems import Refused
from pipelines.api.readers import Readers
from sinks.reviews import held

FRESH_SECONDS = 5.0
WAIT_SECONDS = 60
"""What is held waits for a person, or for its expiry: nobody need ask again at once."""
FILLING = ("runs", "writes")
"""Topics whose records may be held."""


@dataclass(frozen=True, slots=True)
class Most:
    """Learnings that may be held at once: of all, of an organisation, of an author."""

    of_all: int
    of_an_organisation: int
    of_an_author: int


class Held:
    """What is held, as it stood a moment ago."""

    def __init__(self, readers: Readers, most: Most) -> None:
        self._readers, self._most = readers, most
        self._read_at = float("-inf")
        self._authors: Counter[tuple[str, str]] = Counter()
        self._organisations: Counter[str] = Counter()
        self._reading = asyncio.Lock()

    async def room(self, org: str, agent: str) -> None:
        """Raises Refused (429) where there is none for what an agent writes."""
        async with self._reading:  # one reads for all that came meanwhile
            if time.monotonic() - self._read_at > FRESH_SECONDS:
                self._authors = Counter(await self._readers.ask(lambda reader: held(reader.client)))
                self._organisations = Counter()
                for (of, _), number in self._authors.items():
                    self._organisations[of] += number
                self._read_at = time.monotonic()
        for number, most, whose in (
            (self._authors[org, agent], self._most.of_an_author, "of this author"),
            (self._organisations[org], self._most.of_an_organisation, "of this organisation"),
            (self._organisations.total(), self._most.of_all, "of all authors"),
        ):
            if number >= most:
                raise Refused(
                    429,
                    "too_many_held",
                    f"{most} learnings {whose} wait for a reviewer: `tidegate review queue` shows them; send the same again later",
                    headers={"Retry-After": str(WAIT_SECONDS)},
                )
