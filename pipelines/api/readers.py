"""Readers of ClickHouse: a few threads, each with a handle of its own, so that no question waits for a writer or for another one's engine.

In the engine's process the handles are of chDB, which answers while the sink inserts through a handle of its own.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from clickhouse_connect.driver.client import Client

from pipelines.api.problems import Refused
from sinks.recall import Recall

THREADS = 4
MOST_WAITING = 256
"""Questions that wait for a thread; whoever comes then is asked to come again."""

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Reader:
    """What a thread asks with."""

    client: Client
    recall: Recall


class Readers:
    """`connect` makes a client, `recall` what answers questions by it."""

    def __init__(self, connect: Callable[[], Client], recall: Callable[[Client], Recall]) -> None:
        self._connect, self._recall = connect, recall
        self._threads = ThreadPoolExecutor(THREADS, "reader")
        self._own = threading.local()
        self._opened: list[Client] = []
        self._waiting = 0

    async def ask(self, question: Callable[[Reader], Answer]) -> Answer:
        """The answer to a question. Raises Refused where too many wait, and what the question raises."""
        if self._waiting >= MOST_WAITING:
            raise Refused.for_now("too many questions wait")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._answer, question)
        finally:
            self._waiting -= 1

    def _answer(self, question: Callable[[Reader], Answer]) -> Answer:
        reader: Reader | None = getattr(self._own, "reader", None)
        if reader is None:
            client = self._connect()
            self._opened.append(client)
            reader = self._own.reader = Reader(client, self._recall(client))
        return question(reader)

    def close(self) -> None:
        """Once the questions that run are answered."""
        self._threads.shutdown()
        for client in self._opened:
            client.close()
