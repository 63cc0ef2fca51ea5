"""Idempotency-Key: what was sent before is answered as it was, and sent once (draft-ietf-httpapi-idempotency-key-header).

Each key is a record on the topic `requests`, written once the broker has the message and before it is answered; the sink puts it where any
process finds it, whenever it starts. What the sink has yet to read is remembered here, and read anew by a process that starts. After a
crash between the two records a repeat is sent again: a run or an outcome then counts once by its id, and a learning is one that was there.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime

from clickhouse_connect.driver.client import Client

from pipelines.api.problems import Refused
from pipelines.api.readers import Readers
from pipelines.api.sender import Sender
from schemas.codec import encode
from schemas.ids import ids_of
from schemas.records import Request

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
LONGEST = 255
MOST_RECENT = 100_000
"""Keys that are remembered; the sink has long read what is older."""

_KNOWN = "SELECT content, receipt FROM requests WHERE org = {org:String} AND request = {request:String} ORDER BY at DESC LIMIT 1"


class Idempotency:
    """The keys of all callers; each caller has its own."""

    def __init__(self, secret: bytes, sender: Sender, readers: Readers) -> None:
        self._secret, self._sender, self._readers = secret, sender, readers
        self._recent: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._running: dict[str, asyncio.Future[None]] = {}

    def remember(self, requests: Iterable[Request]) -> None:
        """What the sink may not have read yet."""
        for request in requests:
            self._recent[f"{request.org}/{request.request}"] = request.content, request.receipt
            if len(self._recent) > MOST_RECENT:
                self._recent.popitem(last=False)

    async def once(
        self, org: str, caller: str, key: str, topic: str, message: bytes, send: Callable[[], Awaitable[str]]
    ) -> tuple[str, bool]:
        """The receipt of a message, and whether it was sent before; `send` sends it, and gives its receipt.

        Raises Refused (422) where the key is none, or was for something else.
        """
        if not 0 < len(key) <= LONGEST or not key.isprintable():
            raise Refused(422, "bad_value", f"{HEADER} is needed with 1 to {LONGEST} printable characters, or left out", HEADER)
        ids = ids_of(self._secret, org)
        request, content = ids.request(caller, key), ids.request_content(topic, message)
        name = f"{org}/{request}"
        while running := self._running.get(name):
            await asyncio.wait([running])
        mine = self._running[name] = asyncio.get_running_loop().create_future()
        try:
            known = self._recent.get(name) or await self._readers.ask(lambda reader: _look_up(reader.client, org, request))
            if known is not None:
                if known[0] != content:
                    raise Refused(
                        422, "idempotency_conflict", f"{HEADER} was used for another body: take a new key for what is new", HEADER
                    )
                return known[1], True
            receipt = await send()
            record = Request(org=org, request=request, content=content, receipt=receipt, at=_now())
            await self._sender.send("requests", name.encode(), encode(record))
            self.remember([record])
            return receipt, False
        finally:
            del self._running[name]
            mine.set_result(None)


def _look_up(client: Client, org: str, request: str) -> tuple[str, str] | None:
    rows = client.query(_KNOWN, parameters={"org": org, "request": request}).result_rows
    return (rows[0][0], rows[0][1]) if rows else None


def _now() -> datetime:
    at = datetime.now(UTC)
    return at.replace(microsecond=at.microsecond // 1000 * 1000)
