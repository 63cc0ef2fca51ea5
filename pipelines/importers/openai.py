"""Conversations with tool calls in the form of OpenAI's chat completions: one a file, or one a line.

Taken are a request (`{"messages": […], "tools": […], "model": …}`), which may hold its answer's `choices` too, `{"request": …, "response":
…}`, and a bare list of messages.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from pipelines.importers.chat import Turn, turns
from pipelines.importers.parsed import Author, Found, Imported, Skipped, Source, documents, made_id
from schemas.jsonform import canonical
from schemas.problem import Problem
from schemas.records import Run

_SESSION = ("session_id", "conversation_id", "thread_id")


@dataclass(frozen=True, slots=True)
class _Conversation:
    messages: Sequence[Any]
    fields: Mapping[str, Any]

    def named(self, *names: str) -> str | None:
        found = (self.fields.get(name) for name in names)
        return next((value for value in found if isinstance(value, str) and value.strip()), None)

    def beginnings(self) -> list[str]:
        """A hash of nothing, of the first message, of the first two, and so on: of what they say, not of how it is written."""
        hashes = [sha256(canonical(self.named(*_SESSION)).encode()).hexdigest()]
        for message in self.messages:
            hashes.append(sha256((hashes[-1] + canonical(_said(message))).encode()).hexdigest())
        return hashes

    def tools(self) -> tuple[str, ...]:
        """Names of the tools that the model was offered."""
        offered = [*_listed(self.fields.get("tools")), *({"function": f} for f in _listed(self.fields.get("functions")))]
        named = (tool.get("function") or tool.get("custom") or tool for tool in offered if isinstance(tool, dict))
        names = (held.get("name") for held in named if isinstance(held, dict))
        return tuple(dict.fromkeys(name for name in names if isinstance(name, str) and name.strip()))


def read(sources: Sequence[Source], author: Author) -> Imported:
    """Runs of some conversations. One that a longer one begins with, as a log of requests holds them, is told by that one."""
    imported = Imported()
    conversations: list[tuple[Source, int, _Conversation]] = []
    for source in sources:
        for line, value in documents(source):
            conversation = _conversation(value)
            if isinstance(conversation, Problem):
                imported.skipped.append(Skipped(source.name, line, conversation.field, conversation.detail))
            else:
                conversations.append((source, line, conversation))
    longer = {beginning for _, _, c in conversations for beginning in c.beginnings()[:-1]}
    seen: set[str] = set()
    for source, line, conversation in conversations:
        whole = conversation.beginnings()[-1]
        if whole in longer or whole in seen:
            continue
        seen.add(whole)
        made, wrong = turns(conversation.messages)
        imported.skipped.extend(Skipped(source.name, line, name, reason) for name, reason in wrong)
        for run in _runs(conversation, made, author):
            # Two conversations may begin with the same goals, and part later.
            if run.run_id not in seen:
                seen.add(run.run_id)
                imported.runs.append(Found(source.name, line, run))
    return imported


def _conversation(value: object) -> _Conversation | Problem:
    if isinstance(value, Problem):
        return value
    if isinstance(value, list):
        return _Conversation(value, {})
    if not isinstance(value, dict):
        return Problem("bad_value", None, "neither a list of messages nor an object that has one")
    request, answer = (held if isinstance(held := value.get(name), dict) else {} for name in ("request", "response"))
    fields = {**answer, **request, **value}
    messages = fields.get("messages")
    if not isinstance(messages, list):
        return Problem("missing", "messages", "is needed: a list of messages")
    choices = _listed(fields.get("choices"))
    if choices and isinstance(choices[0], dict) and "message" in choices[0]:
        messages = [*messages, choices[0]["message"]]
    return _Conversation(messages, fields)


def _said(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    return [message.get("role"), message.get("content") or None, message.get("tool_calls") or None, message.get("tool_call_id")]


def _runs(conversation: _Conversation, made: Sequence[Turn], author: Author) -> Iterator[Run]:
    offered = conversation.tools()
    session = conversation.named(*_SESSION) or author.session
    created = conversation.fields.get("created")
    at = datetime.fromtimestamp(created, UTC) if isinstance(created, int) and 0 < created < 2**32 else None
    beginnings = conversation.beginnings()
    ends = [*(turn.first for turn in made[1:]), len(conversation.messages)]
    for turn, end in zip(made, ends[: len(made)], strict=True):
        yield Run(
            # From all that was said until it ended: a conversation that has grown keeps the ids of the goals it had left behind.
            run_id=made_id("openai", session, beginnings[end]),
            org=author.org,
            agent=author.agent,
            session=session,
            work_area=author.area,
            started_at=at if turn is made[-1] else None,
            model=conversation.named("model"),
            runtime="openai-chat",
            goal=turn.goal,
            steps=turn.steps.steps(),
            tools=tuple(dict.fromkeys((*offered, *turn.steps.tools()))),
        )


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
