"""Trajectories of SWE-agent and mini-swe-agent become runs."""

import json
from typing import Any

from pipelines.importers.swe_agent import read
from tests.pipelines.importers.told import goals, imported, lines, skipped, told

ISSUE = "Solve this issue: SyntaxError"
HISTORY = [
    {"role": "system", "content": "SETTING"},
    {"role": "user", "content": "A demonstration", "is_demo": True},
    {"role": "user", "content": ISSUE, "message_type": "observation"},
    {
        "role": "assistant",
        "content": "Look.",
        "thought": "Look.",
        "action": "find_file x.py",
        "tool_calls": [{"id": "c", "function": {"name": "find_file", "arguments": '{"file_name": "x.py"}'}}],
    },
    {"role": "tool", "content": "Found 1", "tool_call_ids": ["c"]},
]
TRAJECTORY = [
    {"thought": "Look.", "action": "find_file x.py", "observation": "Found 1", "execution_time": 0.25},
    {"thought": "No action.", "action": "", "observation": "Your output was not formatted"},
    {"response": "Run.", "action": "python x.py", "observation": "8.2"},
]
STEPS = [
    ("thought", "Look."),
    ("find_file", {"file_name": "x.py"}, "Found 1", None),
    ("thought", "No action."),
    ("system", "Your output was not formatted"),
    ("thought", "Run."),
    ("bash", {"command": "python x.py"}, "8.2", None),
]


def test_a_trajectory_is_a_run() -> None:
    replay = json.dumps({"agent": {"model": {"name": "gpt-4"}}})
    info = {"exit_status": "submitted", "submission": "diff", "swe_agent_version": "1.1.0"}
    held = {"environment": "pydicom-1", "trajectory": TRAJECTORY, "history": HISTORY, "info": info, "replay_config": replay}
    found = imported(read, json.dumps(held, indent=2).encode())
    (run,) = (run.run for run in found.runs)
    assert told(run) == [*STEPS, ("other", {"submission": "diff"})]
    assert (run.goal, run.exit_status, run.model, run.runtime) == (ISSUE, "submitted", "gpt-4", "swe-agent/1.1.0")
    assert (run.steps[1].duration_ms, run.tools, run.environment) == (250, ("find_file", "bash"), {"instance": "pydicom-1"})


def test_a_demonstration_is_its_messages_alone() -> None:
    (run,) = imported(read, lines({"history": HISTORY})).runs
    assert (run.run.goal, told(run.run)) == (ISSUE, [("system", "SETTING"), *STEPS[:2]])


def test_each_attempt_is_a_run() -> None:
    attempts = [{"trajectory": TRAJECTORY, "history": HISTORY, "info": {"exit_status": s}} for s in ("exit_cost", "submitted")]
    found = imported(read, lines({"attempts": attempts, "info": {"swe_agent_version": "1.1.0"}}))
    assert [(run.run.attempt, run.run.exit_status) for run in found.runs] == [(1, "exit_cost"), (2, "submitted")]


def test_mini_swe_agent_keeps_messages() -> None:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "You are helpful"},
        {"role": "user", "content": ISSUE},
        {"role": "assistant", "content": "THOUGHT: try\n\n```bash\nmake\n```"},
        {"role": "user", "content": "<returncode>2</returncode>\n<output>\nno\n</output>"},
    ]
    info = {"exit_status": "Submitted", "mini_version": "1.2"}
    for held, exit_status in ((messages, None), ({"messages": messages, "info": info}, "Submitted")):
        (run,) = (run.run for run in imported(read, lines(held)).runs)
        assert (run.goal, run.steps[-1].exit_code, run.exit_status) == (ISSUE, 2, exit_status)
        assert told(run)[0] == ("system", "You are helpful")
        assert told(run)[2] == ("bash", {"command": "make"}, messages[3]["content"], "error")
    calls = [{"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}]
    newer = [
        *messages[:2],
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c", "content": "a"},
    ]
    (run,) = (run.run for run in imported(read, lines({"messages": newer})).runs)
    assert (run.goal, told(run)) == (ISSUE, [("system", "You are helpful"), ("bash", {"command": "ls"}, "a", None)])


def test_a_malformed_part_is_named_and_the_rest_goes_on() -> None:
    found = imported(read, lines({"trajectory": [7, {"action": 7}, *TRAJECTORY]}, {"info": {}}, "nothing", {"history": [7, *HISTORY]}))
    assert skipped(found) == [
        ("0", 1, "trajectory[0]"),
        ("0", 1, "trajectory[1].action"),
        ("0", 2, None),
        ("0", 3, None),
        ("0", 4, "history[0].role"),
    ]
    assert goals(found) == [None, ISSUE]
