"""`GET /receipts/{id}`: how each part of what was sent has ended (SPEC 9.3)."""

from typing import Any

from fastapi import APIRouter, Request, Response

from pipelines.api.answers import answer, nullable, problems, shows
from pipelines.api.callers import Caller, Calling
from pipelines.api.problems import Refused
from pipelines.api.services import Services
from pipelines.receipts import Issued, opened, shown
from sinks.queries import ends

router = APIRouter(tags=["receipts"])

EXAMPLE_ID = "fJcYVbqT3y8s0Jm2Uu7d8YJ1o6kq5kQm0n3s9w2c4x5A1B2C3D4E5F6G7H8I9J0KLM"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["id", "done", "parts"],
    "properties": {
        "id": {"type": "string", "description": "Receipt id; ask for it at /receipts/ID, or with `tidegate receipt ID`."},
        "done": {
            "type": "boolean",
            "description": "Whether every part has come to its end. One that waits has not: it may still be stored.",
        },
        "parts": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["part", "end", "reason"],
                "properties": {
                    "part": {"type": "string", "description": "episode, learning:N, claim:N, credit:N, outcome, or message."},
                    "end": nullable("string", "stored, held, refused, dead_lettered, duplicate or waiting; null: not yet."),
                    "reason": nullable("string", "Why, for all but stored: a code."),
                },
            },
        },
        "notes": {
            "type": "array",
            "description": "How something is taken that reads otherwise than it was written.",
            "items": {
                "type": "object",
                "required": ["field", "detail"],
                "properties": {"field": nullable("string"), "detail": {"type": "string"}},
            },
        },
    },
}
_ENDED = {
    "id": EXAMPLE_ID,
    "done": True,
    "parts": [{"part": "episode", "end": "stored", "reason": None}, {"part": "learning:0", "end": "held", "reason": "override"}],
}
_READERS_OF_ALL = ("reviewer", "auditor")
"""Who reads an organisation's receipts, held ones as such (SPEC 4.4)."""


def resource(receipt: str, issued: Issued, known: dict[str, tuple[str, str | None]]) -> dict[str, Any]:
    """A receipt as it is shown."""
    parts = shown(issued, known)
    return {"id": receipt, "done": all(part["end"] not in (None, "waiting") for part in parts), "parts": parts}


@router.get(
    "/receipts/{receipt_id}",
    summary="How each part of a write has ended",
    responses={200: shows("Its parts.", SCHEMA, _ENDED), **problems(404)},
    response_model=None,
)
async def receipt(request: Request, caller: Calling, receipt_id: str) -> Response:
    """The author reads it, a reviewer or an auditor of its organisation, and the operator; for all others it does not exist."""
    services: Services = request.app.state.services
    issued = opened(services.deployment.secret, receipt_id)
    if issued is None or not _may_read(caller, issued):
        raise Refused(404, "not_found", "there is no such receipt, or it is somebody else's: ask with the key that the write was sent with")
    found = await services.readers.ask(lambda reader: ends(reader.client, [issued.place]))
    return answer(resource(receipt_id, issued, dict(found.get(issued.place, {}))))


def _may_read(caller: Caller, issued: Issued) -> bool:
    if caller.org is None or caller.principal is None:
        return True
    return issued.is_by(caller.org, caller.principal) or (issued.is_of(caller.org) and caller.has(*_READERS_OF_ALL))
