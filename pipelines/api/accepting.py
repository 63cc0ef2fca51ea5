"""How a write gets in: read, checked, sent under its author's name, and answered with its receipt once the broker has it (SPEC 9.3)."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import Request, Response

from pipelines.api import receipts
from pipelines.api.answers import answer
from pipelines.api.callers import Caller, acting
from pipelines.api.held import FILLING
from pipelines.api.idempotency import HEADER, REPLAYED
from pipelines.api.problems import Refused
from pipelines.api.services import Services
from pipelines.produce import message_key
from pipelines.receipts import Issued, opened
from schemas.codec import encode
from schemas.jsonform import loads, parse
from schemas.problem import Problem
from schemas.records import ClaimWrite, Outcome, Run, Write
from schemas.validate import problem, unheeded

Record = Run | Outcome | Write | ClaimWrite
_KINDS: Mapping[str, type[Record]] = {"runs": Run, "outcomes": Outcome, "writes": Write, "claim-writes": ClaimWrite}
Form = Callable[[dict[str, Any], str, str], dict[str, Any]]
"""Makes the form of a record, as `jsonform` reads it, of what was sent, an organisation and an agent."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A record that can be sent."""

    record: Record
    message: bytes


async def accept(
    request: Request,
    caller: Caller,
    topic: str,
    form: Form,
    agent: str | None = None,
    notes: Callable[[Record], list[Problem]] = lambda _: [],
) -> Response:
    """Take a write: 202 and its receipt, with `notes` on how it is taken. `agent`: whom the path names. Raises Refused."""
    services: Services = request.app.state.services
    key = request.headers.get(HEADER)
    body = await read_body(request)
    loop = asyncio.get_running_loop()
    sound = await loop.run_in_executor(services.parsers, _sound, body, topic, form, caller, request.headers, agent)
    record = sound.record

    async def send() -> str:
        if topic in FILLING:  # what was taken before is told again all the same
            await services.held.room(record.org, record.agent)
        key_id = None if caller.operator else caller.key
        partition, offset = await services.sender.signed(topic, record.org, message_key(record), sound.message, key_id)
        return Issued.of(record, topic, partition, offset).seal(services.deployment.secret)

    if key is None:
        receipt, replayed = await send(), False
    else:
        receipt, replayed = await services.idempotency.once(record.org, caller.principal or caller.key, key, topic, sound.message, send)
    if services.durable is not None:
        await services.durable.wait()
    issued = opened(services.deployment.secret, receipt)
    assert issued is not None
    told = [*map(_outside, unheeded(record)), *notes(record)] if isinstance(record, ClaimWrite) else [*unheeded(record), *notes(record)]
    shown = receipts.resource(receipt, issued, {}) | {"notes": [{"field": note.field, "detail": note.detail} for note in told]}
    headers = {"Location": f"/receipts/{receipt}"} | ({REPLAYED: "true"} if replayed else {})
    return answer(shown, 202, headers)


async def read_body(request: Request) -> bytes:
    """The body, as it was sent. Raises Refused where it is encoded in a way that is not read here, or too large."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(415, "bad_value", "Content-Encoding: send the body as it is", "Content-Encoding")
    return await request.body()


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object of a body. Raises Refused."""
    value = loads(body)
    if isinstance(value, Problem):
        raise Refused.of(value)
    if not isinstance(value, dict):
        raise Refused(422, "bad_value", "the body: not an object")
    return value


def _sound(body: bytes, topic: str, form: Form, caller: Caller, headers: Mapping[str, str], agent: str | None) -> Sound:
    value = read_object(body)
    org, author = acting(caller, headers, value.get("org"), value.get("agent"))
    if agent is not None:
        acting(caller, headers, org, agent, "agent_id")
        if author != agent:
            raise Refused(403, "another_author", "agent_id names another than agent does: leave agent out", "agent_id")
    record = parse(_KINDS[topic], form(value, org, author))
    found = record if isinstance(record, Problem) else problem(record)
    if found is not None:
        raise Refused.of(_outside(found))
    assert not isinstance(record, Problem)
    return Sound(record, encode(record))


def _outside(found: Problem) -> Problem:
    """A direct write's fields as it has them: its learning, or its claim, is the body itself."""
    return Problem(found.code, found.field.removeprefix("learning.").removeprefix("claim."), found.detail) if found.field else found
