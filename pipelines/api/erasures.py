"""`POST /erasures`, `GET /erasures/{id}`: what is kept of an entity goes, and the receipt of it (SPEC 8.3, 9.2)."""

from typing import Any

from fastapi import APIRouter, Request, Response

from pipelines.api.accepting import read_body, read_object
from pipelines.api.answers import answer, nullable, problems, shows, takes
from pipelines.api.callers import AGENT_HEADER, ORG_HEADER, Caller, Calling
from pipelines.api.problems import Refused
from pipelines.api.receipts import EXAMPLE_ID
from pipelines.api.services import Services
from pipelines.produce import message_key
from pipelines.receipts import Issued, opened
from schemas.codec import encode
from schemas.jsonform import parse
from schemas.jsonschema import json_schema
from schemas.problem import Problem
from schemas.records import Erasure
from schemas.validate import problem
from sinks import erasure as kept

router = APIRouter(tags=["erasures"])

ASKING, READING = ("administrator",), ("administrator", "auditor")
_OPERATOR = "operator"
_EXAMPLE = {
    "id": EXAMPLE_ID,
    "org": "acme",
    "requested_by": "person/mina",
    "requested_at": "2026-03-01T09:00:00Z",
    "done": True,
    "erased": {"episodes": 2, "claims": 3, "outcomes": 2, "waiting": 0, "learnings": 1, "credits": 0},
    "kept": "learnings, with the evidence of other runs",
    "not_reached": [{"what": "messages on the raw topics, as they were sent", "until": "2026-03-08T09:00:00Z"}],
    "journal": [
        {
            "chain": "restricted",
            "sequence": 18,
            "decision": "entity_erased",
            "at": "2026-03-01T09:00:00Z",
            "key": "1f2e3d4c5b6a7988",
            "signature": "9a" * 64,
        }
    ],
}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["id", "done"],
    "properties": {
        "id": {"type": "string", "description": "Ask for it at /erasures/ID, or with `tidegate erase --receipt ID`."},
        "org": {"type": "string"},
        "requested_by": nullable("string", "Who asked; null: no partition has told yet."),
        "requested_at": {"type": "string"},
        "done": {"type": "boolean", "description": "Whether every partition of the agents' log has told what it erased."},
        "erased": {
            "type": "object",
            "description": "How many of each went; outcomes were retracted, learnings counted again.",
            "required": list(kept.COUNTED),
            "properties": {name: {"type": "integer"} for name in kept.COUNTED},
        },
        "kept": {"type": "string"},
        "not_reached": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["what", "until"],
                "properties": {"what": {"type": "string"}, "until": nullable("string", "When it goes; null: nobody here can say.")},
            },
        },
        "journal": {
            "type": "array",
            "description": "Signed entries: the request, and what each partition erased.",
            "items": {"type": "object"},
        },
    },
}


def _body() -> dict[str, Any]:
    schema = json_schema(Erasure)
    return schema | {"required": ["entity"]}


@router.post(
    "/erasures",
    status_code=202,
    summary="Erase what is kept of an entity",
    responses={202: shows("The broker has it.", _SCHEMA, {"id": EXAMPLE_ID, "done": False}), **problems(403, 413, 415)},
    openapi_extra=takes(_body(), {"entity": "Ann Lee", "reason": "she asked for it"}),
    response_model=None,
)
async def erase(request: Request, caller: Calling) -> Response:
    """Claims, episodes, findings, excerpts, what waits, and what outcomes of runs that met it lent to learnings. For administrators.

    Learnings stay. What is not there is no error: the receipt says that nothing was erased."""
    services: Services = request.app.state.services
    value = read_object(await read_body(request))
    org, by = _asking(caller, request, value)
    record = parse(Erasure, {**value, "org": org, "requested_by": by})
    found = record if isinstance(record, Problem) else problem(record)
    if found is not None:
        raise Refused.of(found)
    assert isinstance(record, Erasure)
    key_id = None if caller.operator else caller.key
    partition, offset = await services.sender.signed("erasures", org, message_key(record), encode(record), key_id)
    if services.durable is not None:
        await services.durable.wait()
    receipt = Issued.of(record, "erasures", partition, offset).seal(services.deployment.secret)
    return answer({"id": receipt, "done": False}, 202, {"Location": f"/erasures/{receipt}"})


@router.get(
    "/erasures/{erasure_id}",
    summary="The receipt of an erasure",
    responses={200: shows("What went, and what was not reached.", _SCHEMA, _EXAMPLE), **problems(404)},
    response_model=None,
)
async def receipt(request: Request, caller: Calling, erasure_id: str, org: str | None = None) -> Response:
    """As often as it is asked for. For administrators and auditors of its organisation; for all others it does not exist."""
    services: Services = request.app.state.services
    issued = opened(services.deployment.secret, erasure_id)
    whose = caller.org or org or request.headers.get(ORG_HEADER)
    if caller.operator and not whose:
        raise Refused(422, "missing", f"org is needed: with the operator's token, name it here or by the header {ORG_HEADER}", "org")
    if issued is None or issued.topic != "erasures" or not issued.is_of(whose or "") or not (caller.operator or caller.has(*READING)):
        raise Refused(404, "not_found", "there is no such erasure, or it is another organisation's")
    place, partitions = issued.place, services.deployment.partitions
    found = await services.readers.ask(lambda reader: kept.receipt(reader.client, whose or "", place, partitions))
    return answer((found or {"done": False}) | {"id": erasure_id})


def _asking(caller: Caller, request: Request, value: dict[str, Any]) -> tuple[str, str]:
    """The organisation, and who asks. Raises Refused."""
    told_org, told_by = value.get("org") or request.headers.get(ORG_HEADER), value.get("requested_by")
    if caller.org is not None and caller.principal is not None:
        if not caller.has(*ASKING):
            raise Refused(403, "forbidden", "only an administrator of the organisation may have an entity erased")
        for name, said, own in (("org", told_org, caller.org), ("requested_by", told_by, caller.principal)):
            if said is not None and said != own:
                raise Refused(403, "another_author", f"{name} names another than the key belongs to: leave it out", name)
        return caller.org, caller.principal
    if not isinstance(told_org, str) or not told_org:
        raise Refused(422, "missing", f"org is needed: with the operator's token, name it here or by the header {ORG_HEADER}", "org")
    by = told_by or request.headers.get(AGENT_HEADER) or _OPERATOR
    if not isinstance(by, str):
        raise Refused(422, "bad_value", "requested_by not a string", "requested_by")
    return told_org, by
