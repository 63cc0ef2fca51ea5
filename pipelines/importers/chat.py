"""Messages of OpenAI's chat completions, as runs: each message of the user begins one.

https://platform.openai.com/docs/api-reference/chat: an assistant's message has `content` and `tool_calls`, a tool's message names its call
in `tool_call_id`. Results may come in any order, and may be missing; `function_call` with a `function` message is the older form.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines.importers.steps import Steps, call_arguments

_MEDIA = {"image_url": "url", "input_audio": "data", "file": "file_data"}


@dataclass(slots=True)
class Turn:
    """What a user asked for and what followed. `first`: the position of the message that begins it; `goal` null before any."""

    first: int
    goal: str | None
    steps: Steps = field(default_factory=Steps)


def turns(messages: Sequence[Any], begins: int = 0) -> tuple[list[Turn], list[tuple[str, str]]]:
    """The turns of a conversation, and what could not be taken, by field ("messages[2].content").

    `begins`: messages before this one are context, as is what comes before the user speaks; it stands at the beginning of the first turn.
    """
    made: list[Turn] = []
    context = Steps()
    wrong: list[tuple[str, str]] = []
    for i, message in enumerate(messages):
        where = f"messages[{i}]"
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(role, str):
            wrong.append((f"{where}.role", "is needed: who speaks"))
            continue
        content = _content(message.get("content"))
        if content is None and message.get("content") is not None:
            wrong.append((f"{where}.content", "neither text nor a list of parts"))
        if role == "user" and i >= begins:
            made.append(Turn(i, _text(content), Steps() if made else context))
            if isinstance(content, list):
                made[-1].steps.said("message", [part for part in content if part.get("type") != "text"], role="user")
            continue
        if not made and i >= begins and role not in ("system", "developer"):
            made.append(Turn(i, None, context))
        # A call's result may come after the user has spoken again.
        told = [turn.steps for turn in reversed(made)] or [context]
        wrong.extend((f"{where}{name}", reason) for name, reason in _told(message, role, content, told))
    return made, wrong


def _told(message: Mapping[str, Any], role: str, content: Any, told: Sequence[Steps]) -> Iterator[tuple[str, str]]:
    steps = told[0]
    if role in ("tool", "function"):
        call_id = message.get("tool_call_id") if role == "tool" else _older(message.get("name"))
        if not any(calls.answered(call_id, content, None) for calls in told):
            yield ".tool_call_id" if role == "tool" else ".name", "a result without its call"
    elif role == "assistant":
        for name in ("reasoning_content", "reasoning"):
            if isinstance(message.get(name), str):
                steps.said("thought", message[name])
                break
        steps.said("message", content if content is not None else message.get("refusal"), role="assistant")
        yield from _calls(message, steps)
    elif role in ("system", "developer", "user"):
        steps.said("message", content, role="user" if role == "user" else "system")
    else:
        yield ".role", "not one of system, developer, user, assistant, tool, function"


def _calls(message: Mapping[str, Any], steps: Steps) -> Iterator[tuple[str, str]]:
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        yield ".tool_calls", "not a list"
        calls = None
    for i, call in enumerate(calls or ()):
        named = (call.get("function") or call.get("custom")) if isinstance(call, dict) else None
        if not isinstance(named, dict):
            yield f".tool_calls[{i}]", "neither the call of a function nor of a custom tool"
            continue
        given = call_arguments(named["arguments"]) if "arguments" in named else named.get("input")
        if wrong := steps.called(named.get("name"), call.get("id"), given):
            yield f".tool_calls[{i}]", wrong
    older = message.get("function_call")
    if isinstance(older, dict):
        if wrong := steps.called(older.get("name"), _older(older.get("name")), call_arguments(older.get("arguments"))):
            yield ".function_call", wrong
    elif older is not None:
        yield ".function_call", "not an object"


def _older(name: object) -> str:
    """The older form has no ids: a function's result is that of its latest call."""
    return f"function:{name}"


def _content(content: Any) -> Any:
    """The text of a message, or its parts, images and sounds without their data; null where it is neither."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    parts = [_part(part) for part in content]
    alone = len(parts) == 1 and parts[0].get("type") == "text"
    return parts[0]["text"] if alone else parts


def _part(part: Any) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if not isinstance(part, dict):
        return {"type": "unknown"}
    kind = part.get("type")
    if kind in ("text", "input_text", "output_text") and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    held = part.get(kind) if isinstance(kind, str) else None
    if kind in _MEDIA and isinstance(held, dict):
        data = held.get(_MEDIA[kind])
        address = {"url": data} if kind == "image_url" and isinstance(data, str) and not data.startswith("data:") else {}
        return {"type": kind, **address}
    return {"type": "unknown"} if kind == "text" else part


def _text(content: Any) -> str | None:
    if isinstance(content, list):
        content = "\n".join(part["text"] for part in content if part.get("type") == "text")
    return content if isinstance(content, str) and content.strip() else None
