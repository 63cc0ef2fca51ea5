"""Transcripts of Claude Code become runs (SPEC 1: a run is one piece of work)."""

from datetime import UTC, datetime
from typing import Any

import pytest

from pipelines.importers.claude_code import read
from pipelines.importers.parsed import Author
from tests.pipelines.importers.told import goals, imported, lines, skipped, told

SESSION = "5f0c2f3e-0000-4000-8000-000000000001"
SECRET = "swordfish"


def entry(uuid: str, parent: str | None, content: Any, kind: str = "user", **more: Any) -> dict[str, Any]:
    """A line of a transcript, written as many seconds after nine as its id has characters."""
    message = {"role": kind, "content": content} | ({"model": "claude-opus-4-5"} if kind == "assistant" else {})
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "timestamp": f"2026-03-01T09:00:{len(uuid):02}.000Z",
        "isSidechain": False,
        "cwd": "/home/ann/shop",
        "gitBranch": "main",
        "version": "2.1.0",
        "message": message | more.pop("message", {}),
    } | more


def says(uuid: str, parent: str | None, text: str, **more: Any) -> dict[str, Any]:
    return entry(uuid, parent, [{"type": "text", "text": text}], "assistant", **more)


def calls(uuid: str, parent: str, tool: str, call: str, **given: Any) -> dict[str, Any]:
    return entry(uuid, parent, [{"type": "tool_use", "id": call, "name": tool, "input": given}], "assistant")


def gives(uuid: str, parent: str, call: str, content: Any, error: bool = False, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call, "content": content} | ({"is_error": True} if error else {})
    return entry(uuid, parent, [block], **more)


def test_each_prompt_begins_a_run_with_what_belongs_to_it() -> None:
    found = imported(
        read,
        lines(
            {"type": "summary", "summary": "A title", "leafUuid": "a2"},
            entry("u1", None, "Fix the build"),
            calls("a1", "u1", "Bash", "t1", command="make"),
            gives("r1", "a1", "t1", "Exit code 2\nno rule", error=True),
            calls("aa1", "r1", "Read", "t2", path="Makefile"),
            calls("aaa1", "aa1", "Grep", "t3", pattern="rule"),
            gives("rr1", "aaa1", "t3", [{"type": "text", "text": "found"}]),
            gives("rrrr1", "aa1", "t2", "all:"),
            says("aaaa1", "rrrr1", "Done.", message={"stop_reason": "end_turn"}),
            entry("u2", "aaaa1", [{"type": "text", "text": "Now"}, {"type": "text", "text": "the tests"}]),
            entry("think", "u2", [{"type": "thinking", "thinking": "Hm.", "signature": "…"}], "assistant"),
        ),
    )
    assert goals(found) == ["Fix the build", "Now\nthe tests"]
    first, second = (run.run for run in found.runs)
    assert told(first) == [
        ("Bash", {"command": "make"}, "Exit code 2\nno rule", "error"),
        ("Read", {"path": "Makefile"}, "all:", "ok"),
        ("Grep", {"pattern": "rule"}, "found", "ok"),
        ("assistant", "Done."),
    ]
    assert told(second) == [("thought", "Hm.")]
    assert (first.steps[0].exit_code, first.steps[1].duration_ms) == (2, 2000)
    assert (first.exit_status, first.tools) == ("completed", ("Bash", "Read", "Grep"))
    assert (first.session, first.model, first.runtime) == (SESSION, "claude-opus-4-5", "claude-code/2.1.0")
    assert (first.started_at, first.ended_at) == tuple(datetime(2026, 3, 1, 9, 0, s, tzinfo=UTC) for s in (2, 5))
    assert first.environment == {"branch": "main", "cwd": "/home/ann/shop"}
    assert [(e.kind, e.value) for e in first.entities] == [("path", "/home/ann/shop")]
    assert found.skipped == []


def test_a_sub_agent_is_a_run_below_the_one_that_started_it() -> None:
    """By the id in the call's result, by the prompt, or by the time; in one file or in several; SPEC 3.11 needs the parent."""
    main = (
        entry("u1", None, "Compare the modules"),
        calls("a1", "u1", "Task", "t1", prompt="Look at web"),
        calls("a2", "a1", "Task", "t2", prompt="Look at jobs"),
        gives("r1", "a1", "t1", "web is fine", toolUseResult={"agentId": "web", "status": "completed"}),
        gives("r2", "a2", "t2", "jobs is fine"),
        entry("u22", "r2", "Thanks"),
    )
    web = (
        entry("w1", None, "Look at everything", isSidechain=True, agentId="web"),
        says("w2", "w1", "ok", isSidechain=True, agentId="web"),
    )
    jobs = (entry("j1", None, "Look at jobs", isSidechain=True), says("j2", "j1", "ok", isSidechain=True))
    cut = (says("ccccccc", "gone", "Cut.", isSidechain=True, agentId="other"),)
    for files in ([lines(*main, *web, *jobs, *cut)], [lines(*cut), lines(*web), lines(*main), lines(*jobs)]):
        found = {run.run.goal: run.run for run in imported(read, *files).runs}
        first, thanks = found["Compare the modules"].run_id, found["Thanks"].run_id
        assert {goal: run.parent_run_id for goal, run in found.items()} == {
            "Compare the modules": None,
            "Thanks": None,
            "Look at everything": first,
            "Look at jobs": first,
            None: thanks,
        }


def test_going_back_and_asking_again_is_another_attempt() -> None:
    found = imported(
        read,
        lines(
            entry("u1", None, "Start"), says("a1", "u1", "Ready"), entry("u2", "a1", "First"), says("a2", "u2", "No"),
            entry("u3", "a1", "Second"), says("a3", "u3", "Yes"),
        ),
    )  # fmt: skip
    assert [(run.run.goal, run.run.attempt) for run in found.runs] == [("Start", 1), ("First", 1), ("Second", 2)]
    assert told(found.runs[2].run) == [("assistant", "Yes")]


def test_a_run_goes_on_across_compaction() -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "c1", "parentUuid": None, "logicalParentUuid": "x"}
    found = imported(
        read,
        lines(
            entry("u1", None, "Go on"),
            boundary | {"sessionId": SESSION},
            entry("s1", "c1", "This session is being continued. Summary: …", isCompactSummary=True),
            says("a1", "s1", "Going on"),
        ),
    )
    (run,) = found.runs
    assert told(run.run) == [("system", "This session is being continued. Summary: …"), ("assistant", "Going on")]


def test_interrupted_rejected_and_timed_out_calls() -> None:
    found = imported(
        read,
        lines(
            entry("u1", None, "Go"),
            calls("a1", "u1", "Bash", "t1", command="sleep"),
            gives("r1", "a1", "t1", "Command timed out after 2m 0.0s", error=True),
            calls("a2", "r1", "Edit", "t2", path="x"),
            gives("r2", "a2", "t2", "The user doesn't want to proceed with this tool use.", error=True),
            calls("a3", "r2", "Bash", "t3", command="rm"),
            entry("i1", "a3", [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
        ),
    )
    (run,) = found.runs
    assert [step.status for step in run.run.steps] == ["timeout", "rejected", "interrupted"]
    assert run.run.exit_status == "interrupted"


def test_what_the_runtime_says_is_no_goal() -> None:
    found = imported(
        read,
        lines(
            entry("m1", None, "Caveat: The messages below were generated", isMeta=True),
            entry("k1", "m1", "<command-name>/clear</command-name><command-args></command-args>"),
            entry("o1", "k1", "<local-command-stdout></local-command-stdout>"),
            entry("k2", "o1", "<command-name>/review</command-name><command-args>12</command-args>"),
            entry("m2", "k2", [{"type": "text", "text": "You are to review."}], isMeta=True),
            says("a1", "m2", "Reviewed."),
            {"type": "attachment", "uuid": "q1", "parentUuid": "a1", "attachment": {"type": "queued_command", "prompt": "And be kind"}},
            entry("n1", "q1", "<task-notification>done</task-notification>"),
        ),
    )
    assert goals(found) == ["/review 12"]
    assert told(found.runs[0].run) == [
        ("system", "You are to review."),
        ("assistant", "Reviewed."),
        ("user", "And be kind"),
        ("system", "<task-notification>done</task-notification>"),
    ]


def test_images_come_without_their_data() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 1000}}
    found = imported(
        read,
        lines(
            entry("u1", None, [{"type": "text", "text": "See"}, image]),
            calls("a1", "u1", "Read", "t1", path="a.png"),
            gives("r1", "a1", "t1", [image]),
        ),
    )
    seen = [{"type": "image", "media_type": "image/png", "characters": 1000}]
    assert told(found.runs[0].run) == [("user", seen), ("Read", {"path": "a.png"}, seen, "ok")]


def test_a_resumed_session_is_not_counted_twice() -> None:
    """Its file begins with copies of what the first one held."""
    first = (entry("u1", None, "Start"), says("a1", "u1", "Ready"))
    more = (entry("u2", "a1", "More"), says("a2", "u2", "Yes"))
    other = [line | {"sessionId": "another"} for line in (*first, *more)]
    assert goals(imported(read, lines(*first), lines(*other))) == ["Start", "More"]


def test_a_lone_surrogate_of_a_text_that_was_cut_does_not_lose_the_text() -> None:
    found = imported(read, lines(entry("u1", None, "Cut"), says("a1", "u1", "smile \ud83d")))
    assert told(found.runs[0].run) == [("assistant", "smile ?")]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('{"type": "user", "uu', None),
        ([1], None),
        ({"uuid": "x"}, "type"),
        ({"type": "user", "uuid": "x"}, "message"),
        (entry("x", "u1", {"text": SECRET}), "message.content"),
        (says("x", "u1", "fine", timestamp=SECRET), "timestamp"),
        (entry("x", "u1", [SECRET], "assistant"), "message.content[0]"),
        (entry("x", "u1", [{"type": SECRET}], "assistant"), "message.content[0].type"),
        (entry("x", "u1", [{"type": "tool_use", "id": "t", "name": " "}], "assistant"), "message.content[0]"),
        (gives("x", "u1", SECRET, "lost"), "message.content[0].tool_use_id"),
    ],
)
def test_a_malformed_part_is_named_and_the_rest_goes_on(line: Any, field: str | None) -> None:
    found = imported(read, lines(entry("u1", None, "Start"), line, says("a9", "u1", "Ready")))
    assert skipped(found) == [("0", 2, field)]
    assert SECRET not in found.skipped[0].reason
    assert goals(found) == ["Start"] and told(found.runs[0].run)[-1] == ("assistant", "Ready")


def test_session_and_area_can_be_given() -> None:
    old = {"type": "user", "message": {"role": "user", "content": "Old"}}
    found = imported(read, lines(old, old), author=Author("o", "a", "s", "x/y"))
    assert [(run.run.session, run.run.work_area) for run in found.runs] == [("s", "x/y")] * 2
