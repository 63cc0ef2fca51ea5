"""Answers as JSON, and what OpenAPI says of those that every route may give."""

import json
from typing import Any

import orjson
from fastapi import Response

from pipelines.api.problems import MEDIA_TYPE

_PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "description": "urn:tidegate:problem:CODE."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong, and what to do. It never holds a value that was sent."},
        "code": {"type": "string", "description": "For programs: stable."},
        "field": {"type": "string", "description": "Path of the field that is wrong, such as learnings[2].rule."},
    },
}
_SAID = {
    401: ("No key, or one that is not in force.", "unauthorized", "Authorization: Bearer KEY is needed, with a key that is in force", None),
    403: ("The key may not do that.", "another_author", "agent names another than the key belongs to: leave it out", "agent"),
    404: ("Nothing there that the key may read.", "not_found", "there is no such receipt, or it is somebody else's", None),
    413: ("Too large.", "too_large", "a body has at most 33554432 bytes (TIDEGATE_BODY_LIMIT): send it in parts", None),
    415: ("Encoded in a way that is not read.", "bad_value", "Content-Encoding: send the body as it is", "Content-Encoding"),
    422: ("Something in it can't be taken.", "missing", "learnings[0].rule is needed", "learnings[0].rule"),
    429: ("Too many requests.", "rate_limited", "this key may send 500 requests a second (TIDEGATE_RATE_LIMIT): wait 1 s", None),
    503: ("An engine does not answer.", "unavailable", "the broker did not confirm it; send the same again in 1 s", None),
}


def answer(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON answer; times are RFC 3339 in UTC."""
    try:
        body = orjson.dumps(content, default=str, option=orjson.OPT_UTC_Z)
    except orjson.JSONEncodeError:  # a lone surrogate, or a whole number of more than 64 bits
        body = json.dumps(content, default=str).encode()
    return Response(body, status, headers, "application/json")


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """OpenAPI's `responses` of a route for statuses of refusals; 401, 422, 429 and 503 are every route's."""
    return {status: _problem(status) for status in sorted({401, 422, 429, 503, *statuses})}


def _problem(status: int) -> dict[str, Any]:
    description, code, detail, field = _SAID[status]
    example = {"type": f"urn:tidegate:problem:{code}", "title": description.rstrip("."), "status": status, "detail": detail, "code": code}
    told: dict[str, Any] = {
        "description": description,
        "content": {MEDIA_TYPE: {"schema": _PROBLEM, "example": example | ({"field": field} if field else {})}},
    }
    if status in (429, 503):
        told["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
    return told


def shows(description: str, schema: dict[str, Any], example: Any) -> dict[str, Any]:
    """OpenAPI of an answer."""
    return {"description": description, "content": {"application/json": {"schema": schema, "example": example}}}


def takes(schema: dict[str, Any], example: Any) -> dict[str, Any]:
    """OpenAPI of a body, for a route that reads its own."""
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}}


def nullable(kind: str, description: str | None = None) -> dict[str, Any]:
    """JSON Schema of a value that may be null."""
    return {"type": [kind, "null"]} | ({"description": description} if description else {})
