"""`GET /org/learnings`: what was promoted in an organisation, page by page."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from pipelines.api.answers import answer, nullable, problems, shows
from pipelines.api.callers import Calling, acting
from pipelines.api.problems import Refused
from pipelines.api.services import Services
from schemas.ids import ids_of
from schemas.validate import NAME_CHARS
from sinks import caller as known
from sinks import pools

router = APIRouter(tags=["recall"])

Name = Annotated[str | None, Query(min_length=1, max_length=NAME_CHARS)]

_EXAMPLE = {
    "ref": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIj",
    "space": "department/support",
    "rule": "Check the status of an order before you offer a refund.",
    "value": None,
    "tools": ["orders.get"],
    "memory_type": "fact",
    "kind": "memory",
    "trust": "agent_verified",
    "confidence": 0.91,
    "evidence_status": "validated",
    "applied": 4,
    "helpful": 4,
    "validators": 1,
    "independent": 1,
    "updated_at": "2026-03-01T09:00:00Z",
}
_TYPES = {str: "string", int: "integer", float: "number", list: "array"}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["rows", "next"],
    "properties": {
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "required": list(_EXAMPLE),
                "properties": {
                    name: nullable("string") if name in ("rule", "value") else {"type": _TYPES[type(value)]}
                    for name, value in _EXAMPLE.items()
                },
            },
        },
        "next": nullable("string", "`after` of the next page; null: this is the last."),
    },
}


@router.get(
    "/org/learnings",
    summary="What was promoted",
    responses={200: shows("A page.", _SCHEMA, {"rows": [_EXAMPLE], "next": None}), **problems(403)},
    response_model=None,
)
async def promoted(
    request: Request,
    caller: Calling,
    space: Annotated[
        str | None, Query(min_length=1, max_length=NAME_CHARS, description="One of the spaces that it can view, alone.")
    ] = None,
    after: Annotated[str | None, Query(min_length=1, max_length=64, description="`next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="Most rows of a page.")] = 100,
    org: Name = None,
    agent: Name = None,
) -> Response:
    """Promoted learnings of the spaces that an agent can view, without those that it brought there itself; in an order of no meaning that
    stays, so that pages fit together. It is no recall: it leaves no exposure."""
    services: Services = request.app.state.services
    org_named, agent_named = acting(caller, request.headers, org, agent)
    ids = ids_of(services.deployment.secret, org_named)
    last = ids.read_ref(after) if after is not None else None
    if after is not None and last is None:
        raise Refused(422, "bad_value", "after is no `next` that was given here: leave it out, and begin at the first page", "after")

    def page(reader: Any) -> tuple[list[dict[str, Any]], bool]:
        who = known.find(reader.client, org_named, agent_named)
        spaces = [name for name in who.pools if space in (None, name)] if who else []
        return pools.page(reader.client, org_named, spaces, ids.agent(agent_named), last, limit)

    rows, more = await services.readers.ask(page)
    return answer({"rows": rows, "next": rows[-1]["ref"] if more else None})
