"""Sends what the buffer holds, from threads of its own, until the other side has taken it or has said that it never will."""

import logging
import random
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Protocol

from tidegate_client.buffer import Buffer, Item

log = logging.getLogger("tidegate_client")

_FIRST_SECONDS, _LONGEST_SECONDS = 0.2, 5.0
"""Waits between tries grow from the one to the other."""
_GRACE_SECONDS = 1.0
"""So long a client that is closed waits for what is on its way."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A record that was not sent and never will be by itself. It holds nothing of what the record says.

    `topic`: runs or outcomes; `id`: the record's own; `reason`: a sentence; `code`, `field`: what the other side said is wrong with it.
    """

    topic: str
    id: str
    reason: str
    code: str | None = None
    field: str | None = None


class NotSent(Exception):
    """A record that was not sent; `lost` says why."""

    def __init__(self, lost: Lost) -> None:
        super().__init__(f"{lost.topic} {lost.id}: {lost.reason}")
        self.lost = lost


class Refused(Exception):
    """The other side will not take it, however often it is asked."""

    def __init__(self, reason: str, code: str | None = None, field: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.code, self.field = reason, code, field


class Unavailable(Exception):
    """The other side does not answer, or not now. `seconds`: when it said to ask again."""

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        super().__init__(reason)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Closed:
    """What became of a client's records. `kept`: how many wait in the buffer's file for the next client that opens it."""

    sent: int
    lost: tuple[Lost, ...]
    kept: int


class Transport(Protocol):
    """A way to the other side."""

    def send(self, item: Item) -> str:
        """Send a record, and give its receipt. Raises Refused or Unavailable."""

    def close(self) -> None:
        """Let go of what it holds."""


class Sending:
    """`threads` send at once, since the other side answers after it has made sure of a record. `on_lost` is told of each that is lost."""

    def __init__(self, buffer: Buffer, transport: Transport, threads: int, on_lost: Callable[[Lost], None] | None) -> None:
        self._buffer, self._transport, self._on_lost = buffer, transport, on_lost
        self._changed = threading.Condition()
        self._receipts: dict[int, Future[str]] = {}
        self._lost: list[Lost] = []
        self._sent = 0
        self._failures = 0
        self._not_before = 0.0
        self._over = False
        self._threads = [threading.Thread(target=self._work, name=f"tidegate-client-{n}", daemon=True) for n in range(threads)]
        self._started = False
        self._working = 0
        self._shut = False
        if len(buffer):
            self._start()

    def submit(self, item: Item) -> Future[str]:
        """Have a record sent. The future gets its receipt, or NotSent."""
        receipt: Future[str] = Future()
        receipt.set_running_or_notify_cancel()  # whoever waits for it can't take the record back
        with self._changed:
            if self._over:
                raise RuntimeError("the client is closed")
            try:
                placed = self._buffer.put(item)
                why = "the buffer is full"
            except sqlite3.Error as error:
                placed, why = None, f"the buffer can't be written: {error}"
            if placed is not None:
                self._receipts[placed.number] = receipt
                self._start()
                self._changed.notify()
                return receipt
        self._lose(Lost(item.topic, item.id, why), receipt)
        return receipt

    def flush(self, seconds: float) -> bool:
        """Wait until everything is sent; False where it is not after so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not len(self._buffer), seconds)

    def close(self, seconds: float) -> Closed:
        """Send what is left, for so many seconds at most, and end."""
        self.flush(seconds)
        with self._changed:
            self._over = True
            self._changed.notify_all()
            # What is on its way may still arrive: with a file it is sent again under the same key, and counts once.
            self._changed.wait_for(lambda: self._working == 0, _GRACE_SECONDS)
            self._shut = True
        left = self._buffer.left()
        if not self._buffer.lasting:
            for number, topic, name in left:
                lost = Lost(topic, name, "the client was closed before the other side took it")
                self._lose(lost, self._receipts.pop(number, None))
        elif left:
            log.warning("%d records are left in the buffer: the next client that opens it sends them", len(left))
        for receipt in self._receipts.values():  # of what the file keeps
            receipt.set_exception(CancelledError())
        self._transport.close()
        self._buffer.close()
        return Closed(self._sent, tuple(self._lost), len(left) if self._buffer.lasting else 0)

    def _start(self) -> None:
        if not self._started:
            self._started = True
            for thread in self._threads:
                thread.start()

    def _work(self) -> None:
        while (item := self._next()) is not None:
            try:
                receipt = self._transport.send(item)
            except Unavailable as error:
                self._later(item, error)
            except Refused as refused:
                lost = Lost(item.topic, item.id, refused.reason, refused.code, refused.field)
                self._lose(lost, self._receipts.pop(item.number, None))
                self._end(item)
            except Exception as error:  # a fault of ours: the record is kept, and its text may hold what the record says
                self._later(item, Unavailable(f"unexpected {type(error).__name__}"))
            else:
                if found := self._receipts.pop(item.number, None):
                    found.set_result(receipt)
                self._end(item, sent=1)

    def _next(self) -> Item | None:
        """The next record to be sent, once it is time; None at the end."""
        with self._changed:
            while not self._over:
                wait = self._not_before - time.monotonic()
                if wait <= 0 and (item := self._buffer.take()) is not None:
                    self._working += 1
                    return item
                self._changed.wait(wait if wait > 0 else None)
        return None

    def _later(self, item: Item, error: Unavailable) -> None:
        with self._changed:
            self._working -= 1
            if not self._shut:
                self._buffer.back(item)
            now = time.monotonic()
            if now >= self._not_before:  # the first of those that failed together
                self._failures += 1
                grown = min(_FIRST_SECONDS * 2 ** min(self._failures - 1, 10), _LONGEST_SECONDS) * random.uniform(0.5, 1.0)
                self._not_before = now + max(grown, error.seconds or 0.0)
                if self._failures == 1:
                    log.warning("%s; %d records wait", error, len(self._buffer))
            self._changed.notify_all()

    def _end(self, item: Item, sent: int = 0) -> None:
        with self._changed:
            self._working -= 1
            if not self._shut:  # else it was told as left, and is
                self._buffer.done(item)
                self._sent += sent
            self._failures = 0
            self._changed.notify_all()

    def _lose(self, lost: Lost, receipt: Future[str] | None = None) -> None:
        self._lost.append(lost)
        log.warning("%s %s is lost: %s", lost.topic, lost.id, lost.reason)
        if receipt is not None:
            receipt.set_exception(NotSent(lost))
        if self._on_lost is not None:
            try:
                self._on_lost(lost)
            except Exception as error:  # the others are to be sent all the same
                log.error("on_lost raised %s", type(error).__name__)
