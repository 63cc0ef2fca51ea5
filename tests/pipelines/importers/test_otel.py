"""Spans of OpenTelemetry's gen_ai conventions become runs, whichever version of the conventions wrote them."""

import json
from typing import Any

import pytest

from pipelines.importers.otel import read
from tests.pipelines.importers.told import goals, imported, lines, skipped, told

TRACE = "5b8efff798038103d269b633813fc60c"
BEGAN = 1_772_355_600_000_000_000
SECRET = "swordfish"
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5", "gen_ai.provider.name": "openai"}
ASKED = "Where is order 7?"
ANSWER = "In transit."


def value(held: Any) -> dict[str, Any]:
    if isinstance(held, str):
        return {"stringValue": held}
    if isinstance(held, int):
        return {"intValue": str(held)}
    if isinstance(held, list):
        return {"arrayValue": {"values": [value(v) for v in held]}}
    return {"kvlistValue": {"values": attributes(held)}}


def attributes(held: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": k, "value": value(v)} for k, v in held.items()]


def span(n: int, parent: int | None, held: dict[str, Any], events: Any = (), seconds: int = 1, **more: Any) -> dict[str, Any]:
    """Span `n`, which begins `n` seconds after the first."""
    return {
        "traceId": TRACE,
        "spanId": f"{n:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": "a span",
        "startTimeUnixNano": str(BEGAN + n * 10**9),
        "endTimeUnixNano": str(BEGAN + (n + seconds) * 10**9),
        "attributes": attributes(held),
        "events": [{"name": name, "timeUnixNano": str(BEGAN), "attributes": attributes(body)} for name, body in events],
        "status": {},
    } | more


def export(*spans: dict[str, Any], logs: Any = ()) -> dict[str, Any]:
    resource = {"attributes": attributes({"service.name": "shop"})}
    records = [{"traceId": TRACE, "spanId": f"{n:016x}", "eventName": name, "body": value(body)} for n, name, body in logs]
    return {
        "resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": list(spans)}]}],
        "resourceLogs": [{"scopeLogs": [{"logRecords": records}]}],
    }


def part(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, **more}


def message(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


USER = message("user", part("text", content=ASKED))
CALLS = message("assistant", part("tool_call", id="c1", name="orders", arguments={"id": 7}))
RESULT = message("tool", part("tool_call_response", id="c1", response="in transit"))
FINAL = message("assistant", part("text", content=ANSWER))


def of_1_37(sent: list[Any], received: list[Any]) -> dict[str, Any]:
    return CHAT | {"gen_ai.input.messages": json.dumps(sent), "gen_ai.output.messages": json.dumps(received)}


def test_an_agent_is_a_run_its_calls_are_told_once() -> None:
    """The tool's span and two model calls tell of one call; the second model call repeats the conversation."""
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "orders", "gen_ai.tool.call.id": "c1"}
    found = imported(
        read,
        lines(
            export(
                span(1, None, {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "conv-1"}, seconds=9),
                span(2, 1, of_1_37([USER], [CALLS | {"finish_reason": "tool_call"}])),
                span(3, 1, tool, seconds=2),
                span(4, 3, {"http.request.method": "GET"}),
                span(5, 1, of_1_37([USER, CALLS, RESULT], [FINAL])),
            )
        ),
    )
    (run,) = (run.run for run in found.runs)
    assert told(run) == [("orders", {"id": 7}, "in transit", "ok"), ("assistant", ANSWER)]
    assert (run.goal, run.session, run.model, run.runtime) == (ASKED, "conv-1", "gpt-5", "otel/openai")
    assert (run.steps[0].duration_ms, run.exit_status, run.environment) == (2000, "completed", {"service": "shop"})
    assert run.started_at is not None and run.ended_at is not None and (run.ended_at - run.started_at).total_seconds() == 9


TEXT = {"role": "assistant", "content": ANSWER}
CALL = {"id": "c1", "type": "function", "function": {"name": "orders", "arguments": '{"id": 7}'}}
OLD = [
    {"role": "user", "content": ASKED},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "in transit"},
]
PROMPT, COMPLETION = {"gen_ai.prompt": json.dumps(OLD)}, {"gen_ai.completion": json.dumps([TEXT])}
INDEXED = {
    "gen_ai.system": "openai",
    "gen_ai.request.model": "gpt-5",
    "llm.request.type": "chat",
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": ASKED,
    "gen_ai.prompt.1.role": "assistant",
    "gen_ai.prompt.1.tool_calls.0.id": "c1",
    "gen_ai.prompt.1.tool_calls.0.name": "orders",
    "gen_ai.prompt.1.tool_calls.0.arguments": '{"id": 7}',
    "gen_ai.prompt.2.role": "tool",
    "gen_ai.prompt.2.tool_call_id": "c1",
    "gen_ai.prompt.2.content": "in transit",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": ANSWER,
}
ON_SPAN = [
    ("gen_ai.user.message", {"content": ASKED}),
    ("gen_ai.assistant.message", {"tool_calls": json.dumps([CALL])}),
    ("gen_ai.tool.message", {"id": "c1", "content": "in transit"}),
    ("gen_ai.choice", {"index": 0, "message": json.dumps({"content": ANSWER}), "finish_reason": "stop"}),
]
AS_LOGS = [
    (1, "gen_ai.user.message", {"content": ASKED}),
    (1, "gen_ai.assistant.message", {"tool_calls": [CALL]}),
    (1, "gen_ai.tool.message", {"id": "c1", "content": "in transit"}),
    (1, "gen_ai.choice", {"index": 0, "message": {"content": ANSWER}}),
    (9, "gen_ai.user.message", {"content": "of a span that is not there"}),
]
NEWER = {"gen_ai.input.messages": [USER, CALLS, RESULT], "gen_ai.output.messages": [FINAL]}
DETAILS = [("gen_ai.client.inference.operation.details", {name: json.dumps(held) for name, held in NEWER.items()})]


@pytest.mark.parametrize(
    ("held", "events", "logs"),
    [
        pytest.param(INDEXED, [], [], id="one attribute a value"),
        pytest.param(CHAT | PROMPT | COMPLETION, [], [], id="JSON in two attributes"),
        pytest.param(
            CHAT, [("gen_ai.content.prompt", PROMPT), ("gen_ai.content.completion", COMPLETION)], [], id="JSON in two events, 1.28"
        ),
        pytest.param(CHAT, ON_SPAN, [], id="an event a message on the span, 1.29 to 1.36"),
        pytest.param(CHAT, [], AS_LOGS, id="an event a message as log records, 1.29 to 1.36"),
        pytest.param(of_1_37([USER, CALLS, RESULT], [FINAL]), [], [], id="parts in attributes, from 1.37"),
        pytest.param(CHAT, DETAILS, [], id="parts in an event, from 1.37"),
        pytest.param(CHAT | NEWER, [], [], id="parts as values, not as JSON"),
    ],
)
def test_every_version_of_the_conventions_tells_the_same(held: dict[str, Any], events: list[Any], logs: list[Any]) -> None:
    found = imported(read, lines(export(span(1, None, held, events), logs=logs)))
    (run,) = (run.run for run in found.runs)
    assert run.goal == ASKED
    assert told(run) == [("orders", {"id": 7}, "in transit", None), ("assistant", ANSWER)]
    assert (run.model, run.runtime, found.skipped) == ("gpt-5", "otel/openai", [])


def test_an_agent_below_another_is_a_run_below_its() -> None:
    agent = {"gen_ai.operation.name": "invoke_agent"}
    other = of_1_37([message("user", part("text", content="Look it up"))], [FINAL])
    spans = [span(1, None, agent), span(2, 1, of_1_37([USER], [FINAL])), span(3, 1, agent), span(4, 3, other)]
    for order in (spans, spans[::-1]):
        found = {run.run.goal: run.run for run in imported(read, lines(export(*order))).runs}
        assert found["Look it up"].parent_run_id == found[ASKED].run_id
        assert found[ASKED].parent_run_id is None


def test_several_goals_in_a_trace_are_several_runs_and_earlier_ones_are_context() -> None:
    before = [message("user", part("text", content="Hello")), message("assistant", part("text", content="Hi"))]
    again = message("user", part("text", content="And order 8?"))
    found = imported(
        read,
        lines(export(span(1, None, of_1_37([*before, USER], [FINAL])))),
        lines(export(span(2, None, of_1_37([*before, USER, FINAL, again], [FINAL])))),
    )
    assert goals(found) == [ASKED, "And order 8?"]
    assert told(found.runs[0].run) == [("user", "Hello"), ("assistant", "Hi"), ("assistant", ANSWER)]
    assert told(found.runs[1].run) == [("assistant", ANSWER)]


def test_a_tool_that_no_message_tells_of() -> None:
    tool = {"gen_ai.tool.name": "orders", "gen_ai.tool.call.arguments": '{"id": 7}', "gen_ai.tool.call.result": "none"}
    agent = span(1, None, {"gen_ai.operation.name": "invoke_agent"})
    found = imported(read, lines(export(agent, span(2, 1, tool, status={"code": "STATUS_CODE_ERROR"}))))
    assert told(found.runs[0].run) == [("orders", {"id": 7}, "none", "error")]


def test_reasoning_and_instructions() -> None:
    held = of_1_37([USER], [message("assistant", part("reasoning", content="Hm."), part("text", content=ANSWER))])
    held |= {"gen_ai.system_instructions": json.dumps([part("text", content="Be brief.")])}
    assert told(imported(read, lines(export(span(1, None, held)))).runs[0].run) == [
        ("system", "Be brief."),
        ("thought", "Hm."),
        ("assistant", ANSWER),
    ]


def test_a_malformed_part_is_named_and_the_rest_goes_on() -> None:
    good = span(1, None, of_1_37([USER], [FINAL]))
    lost = message("tool", part("tool_call_response", id=SECRET, response="x"))
    found = imported(
        read,
        lines(
            export({"spanId": SECRET}, good),
            {"other": SECRET},
            "{",
            export(span(7, None, of_1_37([USER], [lost]), traceId="ff")),
            export(span(8, None, CHAT, traceId="ee")),
            {"resourceMetrics": []},
        ),
    )
    place = "resourceSpans[0].scopeSpans[0].spans[0]"
    assert skipped(found) == [
        ("0", 1, f"{place}.traceId"),
        ("0", 2, None),
        ("0", 3, None),
        ("0", 4, f"{place}: messages[1].tool_call_id"),
        ("0", 5, place),
    ]
    assert not any(SECRET in s.reason for s in found.skipped)
    assert goals(found) == [ASKED, ASKED]
