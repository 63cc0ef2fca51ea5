"""Claude Code transcripts: each prompt begins a run; what a sub-agent did is a run of its own, below the one that started it.

Files of a session's sub-agents (`SESSION/subagents/agent-*.jsonl`) are imported beside the session's, in any order. An entry that several
files hold, as a session that was resumed copies them, is taken once.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pipelines.importers.claude_entries import Entry, entry_of, media, output_of, status_of
from pipelines.importers.parsed import Author, Found, Imported, Skipped, Source, json_of, made_id
from pipelines.importers.steps import Steps
from schemas.problem import Problem
from schemas.records import Entity, Run

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NO_CONTENT = "(no content)"
_RESULTS = ("tool_result", "web_search_tool_result", "web_fetch_tool_result", "code_execution_tool_result", "mcp_tool_result")
_STARTS_AGENT = ("Task", "Agent")


@dataclass(slots=True)
class _Goal:
    """A run as it grows: the entry that begins it, and all that belong to it."""

    first: Entry
    goal: str | None
    attempt: int = 1
    entries: list[Entry] = field(default_factory=list)
    parent: "_Goal | None" = None

    @property
    def run_id(self) -> str:
        first = self.first
        return first.uuid if _UUID.fullmatch(first.uuid) else made_id("claude-code", first.session, first.uuid)


def read(sources: Sequence[Source], author: Author) -> Imported:
    """Runs of some transcripts."""
    imported = Imported()
    goals = _goals(list(_entries(sources, imported)))
    _link(goals)
    for goal in goals:
        if goal.first.command() and not any(e.type == "assistant" for e in goal.entries):
            continue  # a command of the runtime itself: /clear, /model
        run = _run(goal, author, imported)
        if run.goal or run.steps:
            imported.runs.append(Found(goal.first.file, goal.first.line, run))
    return imported


def _entries(sources: Sequence[Source], imported: Imported) -> Iterator[Entry]:
    seen: set[str] = set()
    for source in sources:
        for number, line in enumerate(source.data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
            if not line.strip():
                continue
            value = json_of(line)
            if isinstance(value, Problem) or not isinstance(value, dict):
                reason = (value.detail or value.code) if isinstance(value, Problem) else "not an object"
                imported.skipped.append(Skipped(source.name, number, None, reason))
                continue
            entry, wrong = entry_of(source.name, number, value)
            imported.skipped.extend(Skipped(source.name, number, name, reason) for name, reason in wrong)
            if entry and entry.uuid not in seen:
                seen.add(entry.uuid)
                yield entry


def _goals(entries: Sequence[Entry]) -> list[_Goal]:
    """Each entry with the prompt that it goes back to; in a file that was cut, with the latest one before it."""
    goals: list[_Goal] = []
    of: dict[str, _Goal] = {}
    latest: dict[tuple[str | None, bool, str | None], _Goal] = {}
    asked: dict[str, int] = {}
    for entry in entries:
        chain = (entry.session, entry.sidechain, entry.agent_id)
        goal = of.get(entry.parent or "") or latest.get(chain)
        prompt = entry.prompt()
        if prompt is not None or (goal is None and (entry.type == "assistant" or entry.results())):
            goal = _Goal(entry, prompt)
            if entry.parent and prompt is not None:
                # The same place in the conversation again: the user went back and asked anew.
                goal.attempt = asked[entry.parent] = asked.get(entry.parent, 0) + 1
            goals.append(goal)
        if goal is None:
            continue  # before the first prompt: what the runtime tells itself
        goal.entries.append(entry)
        of[entry.uuid] = latest[chain] = goal
    return goals


def _link(goals: Sequence[_Goal]) -> None:
    """Tell each sub-agent's runs who started them: by the id in the call's result, by the prompt that was given, or by the time."""
    by_id: dict[str, _Goal] = {}
    by_prompt: dict[tuple[str | None, str], _Goal] = {}
    for goal in goals:
        for entry in goal.entries:
            result = entry.fields.get("toolUseResult")
            started = [result.get("agentId") if isinstance(result, dict) else None, None if entry.sidechain else entry.agent_id]
            for agent in started:
                if isinstance(agent, str) and entry.results() and not (entry.sidechain and agent == entry.agent_id):
                    by_id.setdefault(agent, goal)
            for block in entry.blocks():
                if block.get("name") in _STARTS_AGENT and isinstance(block.get("input"), dict):
                    by_prompt.setdefault((entry.session, str(block["input"].get("prompt"))), goal)
    for goal in goals:
        if goal.first.sidechain:
            first = goal.first
            found = by_id.get(first.agent_id or "") or by_prompt.get((first.session, goal.goal or "")) or _before(goal, goals)
            goal.parent = found if found is not goal else None


def _before(goal: _Goal, goals: Sequence[_Goal]) -> _Goal | None:
    """The session's latest run of the main conversation that had begun by then."""
    at = goal.first.at
    main = [g for g in goals if not g.first.sidechain and g.first.session == goal.first.session]
    begun = [g for g in main if at is None or g.first.at is None or g.first.at <= at]
    return begun[-1] if begun else None


def _run(goal: _Goal, author: Author, imported: Imported) -> Run:
    steps = Steps()
    first = goal.first
    exit_status: str | None = None
    model: str | None = None
    for entry in goal.entries:
        if entry.content is None:
            continue
        if entry.interrupts():
            steps.interrupted()
            exit_status = "interrupted"
            continue
        told = entry if entry is not first or goal.goal is None else _without_text(entry)
        imported.skipped.extend(Skipped(entry.file, entry.line, name, reason) for name, reason in _told(told, steps))
        if entry.type == "assistant":
            message = entry.fields["message"]
            if isinstance(message.get("model"), str) and not message["model"].startswith("<"):
                model = message["model"]
            exit_status = _exit(entry, message)
    cwd, version = first.fields.get("cwd"), first.fields.get("version")
    facts = {"branch": first.fields.get("gitBranch"), "cwd": cwd}
    times = [entry.at for entry in goal.entries if entry.at]
    return Run(
        run_id=goal.run_id,
        parent_run_id=goal.parent.run_id if goal.parent else None,
        org=author.org,
        agent=author.agent,
        session=first.session or author.session,
        work_area=author.area,
        attempt=goal.attempt,
        started_at=first.at,
        ended_at=max(times) if times else None,
        model=model,
        runtime=f"claude-code/{version}" if isinstance(version, str) else "claude-code",
        environment={name: value for name, value in facts.items() if isinstance(value, str) and value},
        goal=goal.goal or None,
        exit_status=exit_status,
        steps=steps.steps(),
        tools=steps.tools(),
        entities=(Entity(kind="path", value=cwd),) if isinstance(cwd, str) and len(cwd) > 1 else (),
    )


def _without_text(entry: Entry) -> Entry:
    """The prompt itself is the goal, which is kept nowhere; what came with it stays."""
    return replace(entry, content=[b for b in entry.blocks() if b.get("type") != "text"])


def _exit(entry: Entry, message: dict[str, Any]) -> str | None:
    if entry.fields.get("isApiErrorMessage") is True:
        return "error"
    return {"end_turn": "completed", "max_tokens": "max_tokens", "refusal": "refused"}.get(str(message.get("stop_reason")))


def _told(entry: Entry, steps: Steps) -> Iterator[tuple[str, str]]:
    """Put what a message holds among the steps; gives what could not be taken, by field."""
    role = "assistant" if entry.type == "assistant" else "system" if entry.of_runtime() else "user"
    if isinstance(entry.content, str):
        steps.said("message", entry.content, entry.at, role)
        return
    for i, block in enumerate(entry.content or []):
        where = f"message.content[{i}]"
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(kind, str):
            yield where, "not a block: an object with a type"
        elif kind == "text" and isinstance(block.get("text"), str):
            if block["text"].strip() != _NO_CONTENT:
                failed = "error" if entry.fields.get("isApiErrorMessage") is True else None
                steps.said("message", block["text"], entry.at, role, failed)
        elif kind == "thinking" and isinstance(block.get("thinking"), str):
            steps.said("thought", block["thinking"], entry.at)
        elif kind == "redacted_thinking":
            continue  # encrypted: nobody can read it
        elif kind in ("image", "document"):
            steps.said("message", [media(block)], entry.at, role)
        elif kind.endswith("tool_use"):
            if wrong := steps.called(block.get("name"), block.get("id"), block.get("input"), entry.at):
                yield where, wrong
        elif kind in _RESULTS:
            status, exit_code = status_of(block, entry)
            if not steps.answered(block.get("tool_use_id"), output_of(block.get("content")), status, entry.at, exit_code):
                yield f"{where}.tool_use_id", "a result without its call"
        else:
            yield f"{where}.type", "a block of a kind that is not known here, or without its text"
