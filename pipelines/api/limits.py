"""What a caller may use up: the size of a body, and requests a second."""

import time
from collections import OrderedDict
from math import ceil

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pipelines.api.problems import Refused

MOST_CALLERS = 100_000
"""Callers whose requests are counted at once; the one that was quiet longest is forgotten first."""
IN_FLIGHT = 4
"""Bodies of the largest size that may be in memory at once, all callers together."""


class Rate:
    """A bucket of tokens for each caller (https://en.wikipedia.org/wiki/Token_bucket): full, it holds what comes in in a second."""

    def __init__(self, a_second: int) -> None:
        self._a_second = a_second
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def spend(self, caller: str) -> None:
        """Take a token for a request. Raises Refused (429) where there is none."""
        now = time.monotonic()
        left, since = self._buckets.pop(caller, (float(self._a_second), now))
        left = min(float(self._a_second), left + (now - since) * self._a_second)
        enough = left >= 1
        self._buckets[caller] = (left - enough, now)
        if len(self._buckets) > MOST_CALLERS:
            self._buckets.popitem(last=False)
        if not enough:
            wait = ceil((1 - left) / self._a_second)
            raise Refused(
                429,
                "rate_limited",
                f"this key may send {self._a_second} requests a second (TIDEGATE_RATE_LIMIT): wait {wait} s",
                headers={"Retry-After": str(wait)},
            )


class BodyLimit:
    """Middleware: lets no body by that is larger than `limit` bytes, nor more of them at once than memory is meant for.

    What a route has read is given back once the request was answered.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app, self._limit = app, limit
        self._in_flight = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            size = len(message.get("body", b""))
            read += size
            self._in_flight += size
            if read > self._limit:
                raise self._too_large()
            if self._in_flight > IN_FLIGHT * self._limit:
                raise Refused.for_now("too many large bodies are on their way")
            return message

        try:
            told = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
            if told.isdigit() and int(told) > self._limit:
                await self._too_large().response()(scope, receive, send)
                return
            await self._app(scope, counted, send)
        finally:
            self._in_flight -= read

    def _too_large(self) -> Refused:
        return Refused(413, "too_large", f"a body has at most {self._limit} bytes (TIDEGATE_BODY_LIMIT): send it in parts")
