"""What is refused, as RFC 9457 tells it: `application/problem+json` with the field that is wrong and what to do.

`type` is `urn:tidegate:problem:CODE`; `code` is the same code alone, the ones of receipts and dead letters included. `detail` never holds a
value that was sent.
"""

import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import orjson
from clickhouse_connect.driver.exceptions import ClickHouseError
from confluent_kafka import KafkaException
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from schemas.problem import Problem

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 1
"""After so long it may be worth while to ask again where an engine did not answer."""

_TITLES = {
    "not_json": "The body is no JSON that can be taken",
    "missing": "Something is missing",
    "bad_value": "A value is not allowed",
    "unknown_field": "There is no such field",
    "too_large": "Too large",
    "unauthorized": "A key is needed",
    "forbidden": "This key may not do that",
    "another_author": "The author is the key's",
    "credential_in_goal": "The goal holds a credential",
    "idempotency_conflict": "The same Idempotency-Key for something else",
    "not_found": "There is nothing here",
    "method_not_allowed": "Not that way",
    "rate_limited": "Too many requests",
    "too_many_held": "Too much waits for a reviewer",
    "unavailable": "Not now",
    "fault": "A fault of ours",
}
_OF_STATUS = {404: "not_found", 405: "method_not_allowed", 413: "too_large"}
_STATUS = {"too_large": 413}


class Refused(Exception):
    """A request that is answered with a problem."""

    def __init__(self, status: int, code: str, detail: str, field: str | None = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.field = status, code, detail, field
        self.headers = dict(headers or {})

    @classmethod
    def of(cls, problem: Problem) -> "Refused":
        """A record that can't be taken as it was sent."""
        detail = f"{problem.field} {problem.detail}" if problem.field else f"the body: {problem.detail}"
        return cls(_STATUS.get(problem.code, 422), problem.code, detail, problem.field)

    @classmethod
    def for_now(cls, what: str, seconds: int = RETRY_SECONDS) -> "Refused":
        """What may be asked again, the same, a little later."""
        return cls(503, "unavailable", f"{what}; send the same again in {seconds} s", headers={"Retry-After": str(seconds)})

    def response(self) -> Response:
        """The answer."""
        body: dict[str, Any] = {
            "type": f"urn:tidegate:problem:{self.code}",
            "title": _TITLES.get(self.code, "Refused"),
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        if self.field is not None:
            body["field"] = self.field
        return Response(orjson.dumps(body), self.status, self.headers, MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Answer whatever leaves a route with a problem."""
    handlers: dict[type[Exception], Callable[[Request, Any], Awaitable[Response]]] = {
        Refused: _refused,
        HTTPException: _http,
        RequestValidationError: _invalid,
        ClickHouseError: _clickhouse,
        KafkaException: _kafka,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


async def _refused(_: Request, error: Refused) -> Response:
    return error.response()


async def _http(_: Request, error: HTTPException) -> Response:
    """What the framework refuses: an unknown path, a wrong method."""
    code = _OF_STATUS.get(error.status_code, "bad_value")
    detail = {
        "not_found": "there is no such path: /openapi.json lists those that there are",
        "method_not_allowed": "this path is not called that way: the Allow header says how",
    }.get(code, str(error.detail))
    return Refused(error.status_code, code, detail, headers=error.headers).response()


async def _invalid(_: Request, error: RequestValidationError) -> Response:
    """A query or a body that is not as its route says: the first thing that is wrong with it."""
    first = error.errors()[0]
    kind, where = first["type"], [str(part) for part in first["loc"][1:]]
    if kind == "json_invalid":
        return Refused(422, "not_json", "the body is not JSON").response()
    code = {"missing": "missing", "extra_forbidden": "unknown_field"}.get(kind, "bad_value")
    said = {"missing": "is needed", "extra_forbidden": "is not a field of it"}.get(kind, first["msg"])
    field = ".".join(where) or None
    return Refused(422, code, f"{field or 'the body'}: {said}", field).response()


async def _clickhouse(_: Request, error: ClickHouseError) -> Response:
    log.warning("ClickHouse did not answer: %s", type(error).__name__)  # its text may hold what was asked
    return Refused.for_now("ClickHouse does not answer").response()


async def _kafka(_: Request, error: KafkaException) -> Response:
    log.warning("the broker did not take a message: %s", error.args[0])
    return Refused.for_now("the broker does not take it").response()


class Faults:
    """Middleware: what nobody has foreseen is a fault of ours. It is logged by its place alone, since its text may hold what was sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            if scope["type"] != "http":
                raise
            frame = traceback.extract_tb(error.__traceback__)[-1]
            log.error("unexpected %s in %s:%s", type(error).__name__, frame.filename, frame.lineno)
            if not begun:
                await Refused(500, "fault", "something went wrong here: the log of this process says where").response()(
                    scope, receive, send
                )
