"""Trajectories of SWE-agent (`.traj`) and mini-swe-agent (`.traj.json`): each attempt is a run.

https://swe-agent.com/latest/usage/trajectories/: `trajectory` holds the steps (thought, action, observation), `history` the messages of the
model, `info` how it ended. A run with several attempts has a list of them, `attempts`. mini-swe-agent keeps `messages` alone.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipelines.importers.chat import turns
from pipelines.importers.parsed import Author, Found, Imported, Skipped, Source, documents, json_of, made_id
from pipelines.importers.steps import Steps, call_arguments
from schemas.problem import Problem
from schemas.records import Run

_SHELL = "bash"
_LISTS = ("trajectory", "history", "messages")
_FENCED = re.compile(r"```\w*\n(?P<command>.*?)\n?```", re.DOTALL)
_RETURNED = re.compile(r"<returncode>(-?\d{1,9})</returncode>")

Wrong = Iterator[tuple[str, str]]


def read(sources: Sequence[Source], author: Author) -> Imported:
    """Runs of some trajectories."""
    imported = Imported()
    for source in sources:
        for line, value in documents(source):
            whole: Any = {"messages": value} if isinstance(value, list) else value
            if not isinstance(whole, dict):
                reason = (whole.detail or whole.code) if isinstance(whole, Problem) else "not an object"
                imported.skipped.append(Skipped(source.name, line, None, reason))
                continue
            several = whole.get("attempts")
            attempts = several if isinstance(several, list) and several else [whole]
            for number, attempt in enumerate(attempts, 1):
                path = f"attempts[{number - 1}]" if attempts is several else ""
                if not isinstance(attempt, dict) or not any(isinstance(attempt.get(name), list) for name in _LISTS):
                    imported.skipped.append(Skipped(source.name, line, path or None, f"has none of the lists {', '.join(_LISTS)}"))
                    continue
                steps = Steps()
                wrong = [(f"{path}.{name}" if path else name, reason) for name, reason in _steps(attempt, steps)]
                imported.skipped.extend(Skipped(source.name, line, name, reason) for name, reason in wrong)
                imported.runs.append(Found(source.name, line, _run(attempt, whole, number, steps, author)))
    return imported


def _steps(attempt: Mapping[str, Any], steps: Steps) -> Wrong:
    if isinstance(attempt.get("trajectory"), list):
        yield from _trajectory(attempt, steps)
    elif isinstance(attempt.get("history"), list):
        yield from _history(attempt["history"], steps)
    else:
        yield from _mini(attempt["messages"], steps)


def _trajectory(attempt: Mapping[str, Any], steps: Steps) -> Wrong:
    called = _calls(attempt.get("history"))
    for i, step in enumerate(attempt["trajectory"]):
        if not isinstance(step, dict):
            yield f"trajectory[{i}]", "not an object"
            continue
        action, observation = step.get("action"), step.get("observation")
        thought = step.get("thought") if isinstance(step.get("thought"), str) else step.get("response")
        steps.said("thought", thought if isinstance(thought, str) else None)
        if not isinstance(action, str):
            yield f"trajectory[{i}].action", "not text"
        elif not action.strip():  # the model's answer held no action: it is told so
            steps.said("message", observation, role="system")
        else:
            tool, given = called.get(action, (_SHELL, {"command": action}))
            steps.called(tool, f"{i}", given)
            steps.answered(f"{i}", observation, None, seconds=step.get("execution_time"))
    submission = _info(attempt).get("submission")
    if isinstance(submission, str):
        steps.said("other", {"submission": submission})


def _calls(history: object) -> dict[str, tuple[str, Any]]:
    """By the text of an action, the tool and the arguments that it was made of."""
    found: dict[str, tuple[str, Any]] = {}
    for message in history if isinstance(history, list) else ():
        calls = message.get("tool_calls") if isinstance(message, dict) else None
        if isinstance(calls, list) and len(calls) == 1 and isinstance(message.get("action"), str):
            function = calls[0].get("function") if isinstance(calls[0], dict) else None
            if isinstance(function, dict) and isinstance(function.get("name"), str) and function["name"].strip():
                found[message["action"]] = (function["name"], call_arguments(function.get("arguments")))
    return found


def _history(history: Sequence[Any], steps: Steps) -> Wrong:
    """A trajectory that is its messages alone, as demonstrations are."""
    waiting: str | None = None
    for i, message in enumerate(history):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            yield f"history[{i}].role", "is needed: who speaks"
        elif message["role"] == "assistant":
            action = message.get("action")
            steps.said("thought", message.get("thought") or message.get("content"))
            if isinstance(action, str) and action.strip():
                tool, given = _calls([message]).get(action, (_SHELL, {"command": action}))
                waiting = f"{i}"
                steps.called(tool, waiting, given)
        elif waiting is not None:
            steps.answered(waiting, message.get("content"), None)
            waiting = None
        elif message["role"] == "system":
            steps.said("message", message.get("content"), role="system")


def _mini(messages: Sequence[Any], steps: Steps) -> Wrong:
    """mini-swe-agent: the model answers with one command in a fence, or with tool calls; the next message is what it printed."""
    if any(isinstance(m, dict) and m.get("tool_calls") for m in messages):
        made, wrong = turns(messages)
        for turn in made:
            steps.add(turn.steps)
        yield from wrong
        return
    asked = False
    waiting: str | None = None
    for i, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(role, str):
            yield f"messages[{i}].role", "is needed: who speaks"
        elif role == "assistant" and isinstance(content, str):
            command = _FENCED.search(content)
            steps.said("thought", _FENCED.sub("", content, count=1))
            waiting = f"{i}" if command else None
            if command:
                steps.called(_SHELL, waiting, {"command": command["command"]})
        elif role == "system":
            steps.said("message", content, role="system")
        elif waiting is not None:
            code = _RETURNED.search(content[:200]) if isinstance(content, str) else None
            exit_code = int(code[1]) if code else None
            steps.answered(waiting, content, None if exit_code is None else "error" if exit_code else "ok", exit_code=exit_code)
            waiting = None
        elif role == "user" and not asked:
            asked = True  # the goal
        else:
            steps.said("message", content, role="user" if role == "user" else "system")


def _run(attempt: Mapping[str, Any], whole: Mapping[str, Any], number: int, steps: Steps, author: Author) -> Run:
    info = {**_info(whole), **_info(attempt)}
    programs = (("swe-agent", info.get("swe_agent_version")), ("mini-swe-agent", info.get("mini_version")))
    versions = [f"{name}/{version}" for name, version in programs if version]
    instance = next((v for v in (whole.get("instance_id"), attempt.get("environment")) if isinstance(v, str) and v.strip()), None)
    exit_status = info.get("exit_status")
    return Run(
        run_id=made_id("swe-agent", dict(attempt), number),
        org=author.org,
        agent=author.agent,
        session=author.session,
        work_area=author.area,
        attempt=number,
        model=_model(attempt, whole),
        runtime=versions[0] if versions else "swe-agent",
        environment={"instance": instance} if instance else {},
        goal=_goal(attempt),
        exit_status=exit_status if isinstance(exit_status, str) else None,
        steps=steps.steps(),
        tools=steps.tools(),
    )


def _goal(attempt: Mapping[str, Any]) -> str | None:
    """The first message of the user that is no demonstration."""
    first = attempt.get("trajectory") or [{}]
    asked = first[0].get("query") or first[0].get("messages") if isinstance(first, list) and isinstance(first[0], dict) else None
    for messages in (attempt.get("history"), attempt.get("messages"), asked):
        for message in messages if isinstance(messages, list) else ():
            if isinstance(message, dict) and message.get("role") == "user" and not _demonstrates(message):
                content = message.get("content")
                if isinstance(content, list):
                    content = "\n".join(p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str))
                if isinstance(content, str) and content.strip():
                    return content
    return None


def _demonstrates(message: Mapping[str, Any]) -> bool:
    return message.get("is_demo") is True or message.get("message_type") == "demonstration"


def _model(attempt: Mapping[str, Any], whole: Mapping[str, Any]) -> str | None:
    """The model's name: of the settings that a replay would take, or of mini-swe-agent's."""
    replay = attempt.get("replay_config") or whole.get("replay_config")
    config: Any = json_of(replay) if isinstance(replay, str) else replay
    for held, path in ((config, ("agent", "model", "name")), (_info(attempt).get("config"), ("model", "model_name"))):
        found: Any = held
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        if isinstance(found, str):
            return found
    return None


def _info(held: Mapping[str, Any]) -> dict[str, Any]:
    info = held.get("info")
    return info if isinstance(info, dict) else {}
