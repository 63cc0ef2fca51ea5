"""What a gen_ai span says was sent to a model and what came back, whichever version of the conventions wrote it, as messages of one form.

In the order in which the conventions of OpenTelemetry came and were renamed:

- 1.27 and OpenLLMetry: `gen_ai.prompt.0.role`, `gen_ai.prompt.0.content`, `gen_ai.completion.0.tool_calls.0.name`, … one attribute a value,
  or all of it as JSON in `gen_ai.prompt` and `gen_ai.completion`;
- 1.28: the same JSON in span events `gen_ai.content.prompt` and `gen_ai.content.completion`;
- 1.29 to 1.36: an event a message, `gen_ai.{system,user,assistant,tool}.message` and `gen_ai.choice`, on the span or as log records whose
  body is the message;
- from 1.37: `gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.system_instructions`, each message with `role` and `parts`, as
  attributes of the span or of an event `gen_ai.client.inference.operation.details`.

The form given is that of OpenAI's chat completions, which `chat.turns` reads.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.importers.otlp import Event, Span
from pipelines.importers.parsed import json_of
from schemas.jsonform import canonical
from schemas.problem import Problem

_DETAILS = "gen_ai.client.inference.operation.details"
_INDEXED = re.compile(r"gen_ai\.(prompt|completion)\.(\d{1,6})\.(.+)")
_CALL = re.compile(r"tool_calls\.(\d{1,6})\.(id|name|arguments)")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_TEXT = ("text", "input_text", "output_text")
_CALLS = ("tool_call", "server_tool_call")
_RESULTS = ("tool_call_response", "server_tool_call_response")

Message = dict[str, Any]


def sent(span: Span) -> list[Message]:
    """Messages that went to the model, the oldest first."""
    found: list[Message] = []
    for held in _details(span):
        if instructions := _json(held.get("gen_ai.system_instructions")):
            found.append({"role": "system", "content": _plain(instructions if isinstance(instructions, list) else [instructions])})
        found.extend(_from_parts(held.get("gen_ai.input.messages"), "user"))
        if found:
            return found
    found = [message for event in span.events if (message := _of_event(event))]
    return found or _older(span, "prompt", "user")


def received(span: Span) -> list[Message]:
    """Messages that the model gave back."""
    for held in _details(span):
        if found := list(_from_parts(held.get("gen_ai.output.messages"), "assistant")):
            return found
    choices = [message for event in span.events if event.name == "gen_ai.choice" and (message := _choice(event))]
    return choices or _older(span, "completion", "assistant")


def _details(span: Span) -> Iterator[Mapping[str, Any]]:
    yield span.attributes
    for event in span.events:
        if event.name == _DETAILS:
            yield event.body if isinstance(event.body, dict) else event.attributes


def _from_parts(held: Any, role: str) -> Iterator[Message]:
    for message in _listed(_json(held)):
        if not isinstance(message, dict):
            continue
        told: Message = {"role": message.get("role") if isinstance(message.get("role"), str) else role}
        parts = message.get("parts")
        if not isinstance(parts, list):  # written before parts were agreed on
            yield {**message, **told}
            continue
        calls = [_call(p) for p in parts if _kind(p) in _CALLS]
        thoughts = [p.get("content") for p in parts if _kind(p) == "reasoning"]
        rest = [p for p in parts if _kind(p) not in (*_CALLS, *_RESULTS, "reasoning")]
        if rest or calls or thoughts:
            told |= {"content": _plain(rest)} | ({"tool_calls": calls} if calls else {})
            if thoughts:
                told["reasoning"] = "\n".join(t for t in thoughts if isinstance(t, str))
            yield told
        for part in parts:
            if _kind(part) in _RESULTS:
                result = next((part[name] for name in ("response", "result", "content") if name in part), None)
                yield {"role": "tool", "tool_call_id": part.get("id"), "content": _output(result)}


def _kind(part: Any) -> Any:
    return part.get("type") if isinstance(part, dict) else None


def _call(part: Mapping[str, Any]) -> Message:
    return {"id": part.get("id"), "type": "function", "function": {"name": part.get("name"), "arguments": part.get("arguments")}}


def _of_event(event: Event) -> Message | None:
    named = _EVENT.fullmatch(event.name)
    if not named:
        return None
    body = _body(event)
    role = body.get("role") if isinstance(body.get("role"), str) else named[1]
    content = _plain(_json(body.get("content")))
    if role == "tool":
        return {"role": "tool", "tool_call_id": body.get("id") or body.get("tool_call_id"), "content": content}
    calls = _listed(_json(body.get("tool_calls")))
    return {"role": role, "content": content} | ({"tool_calls": calls} if calls else {})


def _choice(event: Event) -> Message | None:
    body = _body(event)
    message = _json(body.get("message"))
    if isinstance(message, str | list):
        message = {"content": message}
    if not isinstance(message, dict):
        message = {"content": body.get("content")}
    calls = _listed(_json(message.get("tool_calls"))) or _listed(_json(body.get("tool_calls")))
    content = _plain(_json(message.get("content")))
    return {"role": "assistant", "content": content} | ({"tool_calls": calls} if calls else {}) if content or calls else None


def _body(event: Event) -> Mapping[str, Any]:
    """What a message's event holds: its body, or its attributes and the JSON in a body that is text."""
    held = _json(event.body)
    return held if isinstance(event.body, dict) else {**event.attributes, **(held if isinstance(held, dict) else {})}


def _older(span: Span, which: str, role: str) -> list[Message]:
    whole = span.attributes.get(f"gen_ai.{which}")
    for event in span.events:
        if event.name == f"gen_ai.content.{which}":
            whole = event.attributes.get(f"gen_ai.{which}", whole)
    if whole is not None:
        value = _json(whole)
        messages = value if isinstance(value, list) else [value]
        return [{"role": role, **m} if isinstance(m, dict) else {"role": role, "content": _output(m)} for m in messages]
    found: dict[int, Message] = {}
    calls: dict[int, dict[int, dict[str, Any]]] = {}
    for name, value in span.attributes.items():
        if (indexed := _INDEXED.fullmatch(name)) and indexed[1] == which:
            number = int(indexed[2])
            message = found.setdefault(number, {"role": role})
            if call := _CALL.fullmatch(indexed[3]):
                calls.setdefault(number, {}).setdefault(int(call[1]), {})[call[2]] = value
            elif indexed[3] in ("role", "tool_call_id"):
                message[indexed[3]] = value
            elif indexed[3] == "content":
                message["content"] = _plain(_json(value))
    for number, told in calls.items():
        found[number]["tool_calls"] = [_call(told[n]) for n in sorted(told)]
    return [found[n] for n in sorted(found)]


def _plain(parts: Any) -> Any:
    """The text of parts that are text alone; else the parts, without their data."""
    if not isinstance(parts, list):
        return parts if parts is None or isinstance(parts, str) else canonical(parts)
    told = (p.get("content", p.get("text")) for p in parts if isinstance(p, dict) and p.get("type", "text") in _TEXT)
    texts = [text for text in told if isinstance(text, str)]
    if len(texts) == len(parts):
        return "\n".join(texts)
    return [{k: v for k, v in p.items() if k != "data"} if isinstance(p, dict) else {"type": "text", "text": str(p)} for p in parts]


def _output(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else canonical(value)


def _json(value: Any) -> Any:
    """What a text holds as JSON, where an attribute could hold none but text; else the value itself."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    found = json_of(value)
    return value if isinstance(found, Problem) else found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
