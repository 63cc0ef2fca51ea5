"""`GET /briefing`: what an agent should know before it begins (SPEC 7.9)."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from pipelines.api.answers import answer, nullable, problems, shows
from pipelines.api.callers import Calling, acting
from pipelines.api.problems import Refused
from pipelines.api.search import ROW, ROW_EXAMPLE
from pipelines.api.services import Services
from schemas.validate import NAME_CHARS
from sinks.ask import Ask

router = APIRouter(tags=["recall"])

BUDGET = 2_000
_SECTIONS = ["instruction", "procedure", "learning", "caution"]
_ROW: dict[str, Any] = ROW | {"properties": ROW["properties"] | {"section": {"type": "string", "enum": _SECTIONS}}}
_BRIEFING: dict[str, Any] = {
    "type": "object",
    "required": ["recall_id", "known", "tokens", "left_out", "rows"],
    "properties": {
        "recall_id": nullable("string", "Name it in `recall_ids` of the run that follows."),
        "known": {"type": "boolean", "description": "false: nobody knows the agent, which gets nothing."},
        "tokens": {"type": "integer", "description": "What the wordings take, four characters each."},
        "left_out": {"type": "integer", "description": "Rows that found no room within the budget."},
        "rows": {"type": "array", "items": _ROW, "description": "By section; what is doubtful apart, under caution."},
    },
}
_EXAMPLE = {"recall_id": ROW_EXAMPLE["recall_id"], "known": True, "tokens": 14, "left_out": 0, "rows": [ROW_EXAMPLE | {"score": None}]}
Name = Annotated[str | None, Query(min_length=1, max_length=NAME_CHARS)]


@router.get(
    "/briefing",
    summary="What to know before a task begins",
    responses={200: shows("Rows by section.", _BRIEFING, _EXAMPLE), **problems(403)},
    response_model=None,
)
async def briefing(
    request: Request,
    caller: Calling,
    area: Annotated[str | None, Query(min_length=1, max_length=NAME_CHARS, description="Work area of the agent.")] = None,
    env: Annotated[list[str] | None, Query(description="Of the agent, KEY=VALUE, such as runtime=node; once for each.")] = None,
    budget: Annotated[int, Query(ge=1, le=1_000_000, description="Most tokens that the wordings may take.")] = BUDGET,
    org: Name = None,
    agent: Name = None,
) -> Response:
    """Instructions in force, procedures of its environment, what is hot, and what to be wary of. What was shown is told to the stream."""
    services: Services = request.app.state.services
    org_named, agent_named = acting(caller, request.headers, org, agent)
    pairs = [pair.partition("=") for pair in env or ()]
    if not all(name and sign for name, sign, _ in pairs):
        raise Refused(422, "bad_value", "env is KEY=VALUE, such as runtime=node", "env")
    ask = Ask(org=org_named, agent=agent_named, text="", area=area)
    found = await services.readers.ask(lambda reader: reader.recall.brief(ask, {name: value for name, _, value in pairs}, budget))
    exposure = found.answer.exposure
    if exposure is not None:
        services.exposures.note(exposure)
    recall_id = exposure.recalls[0].recall_id if exposure else None
    told = {"recall_id": recall_id, "known": exposure is not None, "tokens": found.tokens, "left_out": found.left_out}
    return answer({**told, "rows": found.answer.rows})
