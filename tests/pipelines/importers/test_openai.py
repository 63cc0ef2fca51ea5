"""Conversations of OpenAI's chat completions become runs."""

import json
from typing import Any

import pytest

from pipelines.importers.openai import read
from tests.pipelines.importers.told import goals, imported, lines, skipped, told

SECRET = "swordfish"


def call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


SYSTEM = {"role": "system", "content": "Be brief."}
ASKS = {"role": "user", "content": "Where is my order?"}
CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [call("c1", "orders", '{"id": 7}'), call("c2", "stock", "{not json"), call("c3", "maps", "")],
}
ANSWERS = [{"role": "tool", "tool_call_id": "c2", "content": "none left"}, {"role": "tool", "tool_call_id": "c1", "content": "in transit"}]
SAYS = {"role": "assistant", "content": "In transit."}
SEE = {"role": "user", "content": [{"type": "text", "text": "Thanks, and this?"}, {"type": "image_url", "image_url": {"url": "data:x"}}]}
MORE = [SEE, SAYS]


def test_several_calls_in_a_message_their_results_in_any_order_and_missing_ones() -> None:
    tools = [{"type": "function", "function": {"name": "refund"}}]
    request = {"model": "gpt-5", "messages": [SYSTEM, ASKS, CALLS, *ANSWERS, SAYS, *MORE], "tools": tools}
    found = imported(read, json.dumps(request, indent=1).encode())
    assert goals(found) == ["Where is my order?", "Thanks, and this?"]
    first, second = (run.run for run in found.runs)
    assert told(first) == [
        ("system", "Be brief."),
        ("orders", {"id": 7}, "in transit", None),
        ("stock", "{not json", "none left", None),
        ("maps", None, None, "unknown"),
        ("assistant", "In transit."),
    ]
    assert told(second) == [("user", [{"type": "image_url"}]), ("assistant", "In transit.")]
    assert (first.tools, first.model) == (("refund", "orders", "stock", "maps"), "gpt-5")
    assert found.skipped == []


def test_a_log_of_requests_tells_a_conversation_once() -> None:
    """Each request repeats what was said before, the answer of the one before as the client writes it."""
    written = {**SAYS, "tool_calls": []}
    log = [{"messages": [ASKS], "choices": [{"message": SAYS}]}, {"messages": [ASKS, written, SEE], "choices": [{"message": SAYS}]}]
    for order in (log, log[::-1], log * 2):
        assert goals(imported(read, lines(*order))) == ["Where is my order?", "Thanks, and this?"]


def test_the_same_goal_worked_on_twice_is_two_runs() -> None:
    assert goals(imported(read, lines([ASKS, SAYS], [ASKS, CALLS, *ANSWERS]))) == ["Where is my order?"] * 2


def test_conversations_that_part_later_have_their_beginning_once() -> None:
    found = imported(read, lines([ASKS, SAYS, SEE, SAYS], [ASKS, SAYS, {"role": "user", "content": "No"}, SAYS]))
    assert goals(found) == ["Where is my order?", "Thanks, and this?", "No"]


def test_a_conversation_that_has_grown_keeps_its_ids() -> None:
    """What it had left behind ends as duplicate, whatever came after it."""
    some = imported(read, lines({"messages": [SYSTEM, ASKS, SAYS]}))
    more = imported(read, lines({"messages": [SYSTEM, ASKS, SAYS, *MORE]}))
    assert more.runs[0].run == some.runs[0].run
    assert len(more.runs) == 2


@pytest.mark.parametrize(
    "held",
    [
        [ASKS, SAYS],
        {"messages": [ASKS], "choices": [{"message": SAYS}]},
        {"request": {"messages": [ASKS]}, "response": {"choices": [{"message": SAYS}]}},
    ],
)
def test_forms_that_a_conversation_comes_in(held: Any) -> None:
    for data in (lines(held), json.dumps(held, indent=1).encode()):
        (run,) = imported(read, data).runs
        assert (run.run.goal, told(run.run)) == ("Where is my order?", [("assistant", "In transit.")])


def test_the_older_form_of_calls() -> None:
    calls = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    assert told(imported(read, lines([ASKS, calls, {"role": "function", "name": "f", "content": "1"}])).runs[0].run) == [
        ("f", {}, "1", None)
    ]


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (SECRET, "messages[1].role"),
        ({"role": SECRET, "content": "x"}, "messages[1].role"),
        ({"role": "assistant", "content": 7}, "messages[1].content"),
        ({"role": "tool", "tool_call_id": SECRET, "content": "x"}, "messages[1].tool_call_id"),
        ({"role": "assistant", "tool_calls": {}}, "messages[1].tool_calls"),
        ({"role": "assistant", "tool_calls": [{"id": "1"}]}, "messages[1].tool_calls[0]"),
        ({"role": "assistant", "tool_calls": [call("1", "", "{}")]}, "messages[1].tool_calls[0]"),
    ],
)
def test_a_malformed_part_is_named_and_the_rest_goes_on(message: Any, field: str) -> None:
    found = imported(read, lines({"messages": [ASKS, message, SAYS]}, {"messages": SECRET}, "{", {"messages": MORE}))
    assert skipped(found) == [("0", 1, field), ("0", 2, "messages"), ("0", 3, None)]
    assert not any(SECRET in s.reason for s in found.skipped)
    assert told(found.runs[0].run)[-1] == ("assistant", "In transit.") and len(found.runs) == 2
