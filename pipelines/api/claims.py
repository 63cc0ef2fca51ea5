"""Claims over HTTP: an agent writes and reads its own, a person curates an organisation's (SPEC 8.1, 8.2, 9.2)."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from pipelines.api.accepting import accept
from pipelines.api.answers import answer, nullable, problems, shows, takes
from pipelines.api.callers import ORG_HEADER, Caller, Calling, acting
from pipelines.api.problems import Refused
from pipelines.api.runs import IDEMPOTENCY, accepted
from pipelines.api.services import Services
from schemas.jsonschema import json_schema
from schemas.records import ClaimWrite
from schemas.validate import NAME_CHARS
from sinks import claims as kept
from sinks.claims import Page

router = APIRouter(tags=["claims"])

CURATING = ("administrator", "reviewer")
Name = Annotated[str | None, Query(min_length=1, max_length=NAME_CHARS)]
After = Annotated[str, Query(pattern="^([0-9a-f]{32})?$", description="`next` of the page before.")]
Limit = Annotated[int, Query(ge=1, le=1000, description="Most rows of a page.")]
_EXAMPLE = {
    "claim_id": "5e7ae918264f20bc4741c7bc05bb2362",
    "agent": "agent/support-1",
    "entity": "Globex",
    "key": "billing/invoice-terms",
    "value": {"net": 30},
    "privacy": "agent_specific",
    "reason": None,
    "run_id": "r-1",
    "received_at": "2026-03-01T09:00:00Z",
}
_ROW = {
    "type": "object",
    "required": list(_EXAMPLE),
    "properties": {
        "claim_id": {"type": "string"},
        "agent": {"type": "string"},
        "entity": {"type": "string"},
        "key": {"type": "string"},
        "value": {"description": "Any JSON, masked."},
        "privacy": {"type": "string", "description": "agent_specific where nothing, or an unknown word, was stated."},
        "reason": nullable("string", "Why a person should look: what the scan found in it, or a privacy that nobody knows."),
        "run_id": nullable("string"),
        "received_at": {"type": "string"},
    },
}
_PAGE: dict[str, Any] = {
    "type": "object",
    "required": ["rows", "next"],
    "properties": {
        "rows": {"type": "array", "items": _ROW},
        "next": nullable("string", "`after` of the next page; null: this is the last."),
    },
}
_CURATED = _PAGE | {
    "required": ["rows", "next", "filtered", "reach"],
    "properties": _PAGE["properties"]
    | {
        "filtered": {
            "type": "boolean",
            "description": "Whether agents are left out, since the key does not reach them.",
        },
        "reach": {
            "type": ["array", "null"],
            "items": {"type": "string"},
            "description": "The spaces whose agents are shown; null: all agents.",
        },
    },
}
_DRAFT = {"entity": "Globex", "key": "billing/invoice-terms", "value": {"net": 30}}


def _schema() -> dict[str, Any]:
    write = json_schema(ClaimWrite)["properties"]
    draft: dict[str, Any] = write["claim"]
    return draft | {"properties": draft["properties"] | {name: write[name] for name in ("org", "agent")}}


def _form(value: dict[str, Any], org: str, agent: str) -> dict[str, Any]:
    return {"org": org, "agent": agent, "claim": {name: said for name, said in value.items() if name not in ("org", "agent")}}


@router.post(
    "/agents/{agent_id:path}/claims",
    status_code=202,
    summary="Write a claim",
    responses={**accepted("claim:0"), **problems(404)},
    openapi_extra={"parameters": [IDEMPOTENCY], **takes(_schema(), _DRAFT)},
    response_model=None,
)
async def claim(
    request: Request,
    caller: Calling,
    agent_id: str = Path(description="The author, whose key it must be. It may hold slashes.", examples=["agent/support-1"]),
) -> Response:
    """A fact about somebody, for its agent alone: it never crosses. Said again under the same key it takes the place of what was said."""
    return await accept(request, caller, "claim-writes", _form, agent_id)


@router.get(
    "/claims",
    summary="One's own claims",
    responses={200: shows("A page.", _PAGE, {"rows": [_EXAMPLE], "next": None}), **problems(403)},
    response_model=None,
)
async def own(request: Request, caller: Calling, after: After = "", limit: Limit = 100, org: Name = None, agent: Name = None) -> Response:
    """What the agent claimed itself; nobody else's, whatever the key's roles."""
    services: Services = request.app.state.services
    org_named, agent_named = acting(caller, request.headers, org, agent)
    rows, more = await services.readers.ask(lambda r: kept.own(r.client, services.vault, org_named, agent_named, after, limit))
    return answer({"rows": rows, "next": more})


@router.get(
    "/org/claims/{page}",
    summary="Claims of an organisation's agents, to be looked at by a person",
    responses={
        200: shows("A page.", _CURATED, {"rows": [_EXAMPLE], "next": None, "filtered": True, "reach": ["department/support"]}),
        **problems(403),
    },
    response_model=None,
)
async def curated(request: Request, caller: Calling, page: Page, after: After = "", limit: Limit = 100, org: Name = None) -> Response:
    """`quarantine`: where the scan found something, or whose privacy nobody knows; `sensitive`; `all`. Administrators and reviewers see
    agents of the spaces in which they are that; where these are not the whole organisation, the page is filtered and says so."""
    services: Services = request.app.state.services
    whose = caller.org or org or request.headers.get(ORG_HEADER)
    if whose is None:
        raise Refused(422, "missing", f"org is needed: with the operator's token, name it here or by the header {ORG_HEADER}", "org")
    if org not in (None, whose):
        raise Refused(403, "another_author", "org names another than the key belongs to: leave it out", "org")
    spaces = _reach(caller)
    vault = services.vault
    rows, more = await services.readers.ask(lambda r: kept.of_org(r.client, vault, whose, spaces, page, after, limit))
    return answer({"rows": rows, "next": more, "filtered": spaces is not None, "reach": spaces})


def _reach(caller: Caller) -> list[str] | None:
    """The spaces whose agents' claims it curates; None: the whole organisation's. Raises Refused where it curates none."""
    if caller.operator or caller.has(*CURATING):
        return None
    spaces = sorted(space for role, space in caller.roles if role in CURATING)
    if not spaces:
        raise Refused(403, "forbidden", "only an administrator or a reviewer may look at claims of others' agents")
    return spaces
