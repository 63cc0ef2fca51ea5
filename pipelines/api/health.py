"""`GET /healthz`, `GET /readyz`: whether the server runs, and whether it can do its work. Both ask for no key."""

import asyncio

from fastapi import APIRouter, Request, Response

from pipelines.api.answers import answer, problems, shows
from pipelines.api.problems import Refused
from pipelines.api.services import Services

router = APIRouter(tags=["health"])

_SCHEMA = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
_OK = shows("It is.", _SCHEMA, {"ok": True})


@router.get("/healthz", summary="Whether the server runs", responses={200: _OK}, response_model=None)
async def health() -> Response:
    """For whoever starts it again where it does not."""
    return answer({"ok": True})


@router.get("/readyz", summary="Whether it can take and answer", responses={200: _OK, 503: problems()[503]}, response_model=None)
async def ready(request: Request) -> Response:
    """For whoever sends it requests: the broker and ClickHouse answer."""
    services: Services = request.app.state.services
    await services.readers.ask(lambda reader: reader.client.query("SELECT 1 FROM receipts LIMIT 1"))
    if not await asyncio.to_thread(services.sender.reachable):
        raise Refused.for_now("the broker does not answer")
    return answer({"ok": True})
