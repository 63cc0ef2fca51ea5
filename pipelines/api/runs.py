"""`POST /runs`, `POST /outcomes`: what an agent did, and how what it relied on turned out."""

from typing import Any

from fastapi import APIRouter, Request, Response

from pipelines.api.accepting import accept
from pipelines.api.answers import problems, shows, takes
from pipelines.api.callers import Calling
from pipelines.api.receipts import EXAMPLE_ID, SCHEMA
from schemas.jsonschema import json_schema
from schemas.records import Outcome, Run

router = APIRouter(tags=["writes"])

IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    "description": "A key of the sender's choice, the same for every try of a write, kept for 7 days: the same body under it is sent once "
    "and gets the same receipt, another body is refused (422).",
}
_RUN = {
    "run_id": "r-1",
    "work_area": "support/refunds",
    "goal": "Refund the order of a customer",
    "exit_status": "completed",
    "steps": [{"kind": "tool", "tool": "orders.get", "input": {"order": 7}, "output": "in transit", "status": "ok"}],
    "tools": ["orders.get"],
    "learnings": [
        {
            "entry_key": "support/refunds/pattern-check-status",
            "rule": "Check the status of an order before you offer a refund.",
            "tools": ["orders.get"],
        }
    ],
}
_OUTCOME = {
    "outcome_id": "ticket-4711/outcome",
    "run_id": "r-1",
    "result": "success",
    "verified_by": "ci",
    "credits": [{"entry_key": "support/refunds/pattern-check-status", "helpful": "yes"}],
}


def accepted(*parts: str) -> dict[int | str, dict[str, Any]]:
    """OpenAPI of what a write is answered."""
    pending = [{"part": part, "end": None, "reason": None} for part in parts]
    example = {"id": EXAMPLE_ID, "done": False, "parts": pending, "notes": []}
    shown = shows("The broker has it: its receipt, to be asked for.", SCHEMA, example)
    shown["headers"] = {
        "Location": {"description": "Where its receipt is.", "schema": {"type": "string"}},
        "Idempotency-Replayed": {"description": "true where it was sent before.", "schema": {"type": "string"}},
    }
    return {202: shown, **problems(403, 413, 415)}


def authored(kind: type[Run] | type[Outcome]) -> dict[str, Any]:
    """JSON Schema of a record whose author the key tells: `org` and `agent` may be left out."""
    schema = json_schema(kind)
    return schema | {"required": [name for name in schema["required"] if name not in ("org", "agent")]}


def _whole(value: dict[str, Any], org: str, agent: str) -> dict[str, Any]:
    return {**value, "org": org, "agent": agent}


@router.post(
    "/runs",
    status_code=202,
    summary="Send a run",
    responses=accepted("episode", "learning:0"),
    openapi_extra={"parameters": [IDEMPOTENCY], **takes(authored(Run), _RUN)},
    response_model=None,
)
async def run(request: Request, caller: Calling) -> Response:
    """A piece of work with what was learned in it; a run id counts once for its agent. The goal is scanned for a cue and not kept."""
    return await accept(request, caller, "runs", _whole)


@router.post(
    "/outcomes",
    status_code=202,
    summary="Report an outcome",
    responses=accepted("credit:0"),
    openapi_extra={"parameters": [IDEMPOTENCY], **takes(authored(Outcome), _OUTCOME)},
    response_model=None,
)
async def outcome(request: Request, caller: Calling) -> Response:
    """How a task ended that relied on learnings, own ones by `entry_key`, any by the `ref` that recall gave; an outcome id counts once."""
    return await accept(request, caller, "outcomes", _whole)
