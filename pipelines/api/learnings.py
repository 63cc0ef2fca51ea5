"""`POST /agents/{agent_id}/learnings`: a learning written outside of a run (SPEC 9.2)."""

from typing import Any

from fastapi import APIRouter, Path, Request, Response

from pipelines.api.accepting import Record, accept
from pipelines.api.answers import problems, takes
from pipelines.api.callers import Calling
from pipelines.api.problems import Refused
from pipelines.api.runs import IDEMPOTENCY, accepted
from schemas.jsonschema import json_schema
from schemas.problem import Problem
from schemas.records import Write

router = APIRouter(tags=["writes"])

_BESIDE = ("session", "work_area", "space", "producer", "source_goal")
"""What a write says beside its learning."""
_EXAMPLE = {
    "entry_key": "support/refunds/pattern-check-status",
    "rule": "Check the status of an order before you offer a refund.",
    "work_area": "support/refunds",
    "tools": ["orders.get"],
}


def _schema() -> dict[str, Any]:
    write = json_schema(Write)["properties"]
    draft: dict[str, Any] = write["learning"]
    beside = {name: write[name] for name in ("org", "agent", *_BESIDE)}
    beside["work_area"] = {"type": "string", "minLength": 1, "description": "Where it was written, a path inside a space."}
    return draft | {"properties": draft["properties"] | beside, "required": [*draft["required"], "work_area"]}


def _form(value: dict[str, Any], org: str, agent: str) -> dict[str, Any]:
    if value.get("work_area") is None:
        raise Refused(422, "missing", "work_area is needed: name where it was written, such as support/refunds", "work_area")
    beside = {name: value[name] for name in _BESIDE if name in value}
    learning = {name: said for name, said in value.items() if name not in (*_BESIDE, "org", "agent")}
    goal = beside.get("source_goal")
    if isinstance(goal, str) and _credential_in(goal):
        raise Refused(
            422,
            "credential_in_goal",
            "source_goal holds a credential, so the write is refused: a goal is kept as given; take the credential out, or leave it out",
            "source_goal",
        )
    return {"org": org, "agent": agent, **beside, "learning": learning}


def _credential_in(goal: str) -> bool:
    from agents.scan.goal import credential_in  # late: the detectors take memory and a second, and few writes tell a goal

    return credential_in(goal)


def _notes(record: Record) -> list[Problem]:
    if isinstance(record, Write) and record.source_goal is not None:
        return [Problem("kept", "source_goal", "kept as given, private: no credential was found in it")]
    return []


@router.post(
    "/agents/{agent_id:path}/learnings",
    status_code=202,
    summary="Write a learning",
    responses={**accepted("learning:0"), **problems(404)},
    openapi_extra={"parameters": [IDEMPOTENCY], **takes(_schema(), _EXAMPLE)},
    response_model=None,
)
async def learning(
    request: Request,
    caller: Calling,
    agent_id: str = Path(description="The author, whose key it must be. It may hold slashes.", examples=["agent/support-1"]),
) -> Response:
    """It is scanned like a run's. `source_goal` is kept as given, private; with a credential in it the write is refused."""
    return await accept(request, caller, "writes", _form, agent_id, _notes)
