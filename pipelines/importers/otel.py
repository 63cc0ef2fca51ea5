"""OpenTelemetry's gen_ai spans: each agent that was invoked is a run, and so is a trace without one; each goal in it is a run of its own.

Spans below an agent's belong to its run, but for those below another agent's, which is a run below it. Calls of tools are told twice, by a
span `execute_tool` and in the messages; by the call's id they are one step. A span of a model call holds the whole conversation so far:
what an earlier one of the run has told is not told again.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pipelines.importers.chat import Turn, turns
from pipelines.importers.otel_messages import Message, received, sent
from pipelines.importers.otlp import Event, Span, spans
from pipelines.importers.parsed import Author, Found, Imported, Skipped, Source, made_id
from pipelines.importers.steps import call_arguments
from schemas.jsonform import canonical
from schemas.records import Run

_AGENT = ("invoke_agent", "invoke_workflow")
_TOOL = "execute_tool"
_SILENT = (*_AGENT, _TOOL, "embeddings", "create_agent", "retrieval", "plan")
"""Operations that are no call of a model for an answer."""
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Piece:
    """What becomes of an agent's span, or of a trace without one: its spans in the order of time."""

    root: Span
    agent: Span | None
    spans: list[Span] = field(default_factory=list)
    parent: "_Piece | None" = None


def read(sources: Sequence[Source], author: Author) -> Imported:
    """Runs of some files of spans and log records."""
    imported = Imported()
    found: dict[tuple[str, str], Span] = {}
    logs: list[tuple[str, str, Event]] = []
    for source in sources:
        told, of_spans = spans(source, imported.skipped)
        logs.extend(of_spans)
        for span in told:
            found.setdefault((span.trace, span.id), span)
    for trace, span_id, event in logs:
        if (trace, span_id) in found:
            found[trace, span_id].events.append(event)
    ids: dict[int, str] = {}
    for piece in _pieces(found):
        messages, begins = _messages(piece)
        made, wrong = turns(messages, begins)
        root = piece.root
        imported.skipped.extend(Skipped(root.file, root.line, f"{root.path}: {name}", reason) for name, reason in wrong)
        if not made and piece.agent is None:
            reason = "no span of its trace tells a message: it was recorded without content"
            imported.skipped.append(Skipped(root.file, root.line, root.path, reason))
            continue
        runs = list(_runs(piece, made, author, ids.get(id(piece.parent))))
        ids[id(piece)] = runs[-1].run_id
        imported.runs.extend(Found(root.file, root.line, run) for run in runs)
    return imported


def operation(span: Span) -> str | None:
    """What a gen_ai span did, by its attribute or, where older libraries leave that out, by what else it tells; null for other spans."""
    held = span.attributes
    told = held.get("gen_ai.operation.name")
    if isinstance(told, str):
        return told
    if "gen_ai.tool.name" in held:
        return _TOOL
    if isinstance(kind := held.get("traceloop.span.kind"), str):
        return {"agent": "invoke_agent", "tool": _TOOL, "workflow": "invoke_workflow"}.get(kind)
    if "gen_ai.request.model" in held or "llm.request.type" in held:
        return "chat"
    return "invoke_agent" if "gen_ai.agent.name" in held else None


def _pieces(found: Mapping[tuple[str, str], Span]) -> list[_Piece]:
    of: dict[tuple[str, str], _Piece] = {}
    made: list[_Piece] = []

    def piece(place: tuple[str, str], root: Span, agent: Span | None, parent: _Piece | None) -> _Piece:
        if place not in of:
            of[place] = _Piece(root, agent, parent=parent)
            made.append(of[place])
        return of[place]

    for span in sorted(found.values(), key=lambda s: (s.began or _NEVER, s.parent is not None, s.id)):
        if operation(span) is None:
            continue
        at: _Piece | None = None
        for agent in reversed([s for s in _up(span, found) if operation(s) in _AGENT]):
            at = piece((agent.trace, agent.id), agent, agent, at)
        (at or piece((span.trace, ""), span, None, None)).spans.append(span)
    return made


def _up(span: Span, found: Mapping[tuple[str, str], Span]) -> Iterator[Span]:
    """A span and those above it."""
    seen: set[str] = set()
    at: Span | None = span
    while at is not None and at.id not in seen:
        seen.add(at.id)
        yield at
        at = found.get((at.trace, at.parent or ""))


def _messages(piece: _Piece) -> tuple[list[Message], int]:
    """The conversation of a piece, each message once: what its model calls tell, and the calls that only a tool's span tells.

    And the position of its first goal: what the first model call was sent before the user's latest words is context, which earlier traces
    of the conversation tell as runs of their own.
    """
    conversation = _Conversation()
    # The agent's own span repeats what its model calls tell, unless these tell nothing.
    calls = [s for s in piece.spans if operation(s) not in _SILENT and (sent(s) or received(s))]
    speaking = calls or [s for s in piece.spans if s is piece.agent]
    begins = 0
    for span in piece.spans:
        if operation(span) == _TOOL:
            conversation.tool(span)
        elif any(span is s for s in speaking):
            asked = conversation.tell(sent(span), received(span))
            if span is speaking[0]:
                begins = asked
    return conversation.messages, begins


@dataclass(slots=True)
class _Conversation:
    messages: list[Message] = field(default_factory=list)
    _told: Counter[str] = field(default_factory=Counter)
    _calls: set[str] = field(default_factory=set)
    _results: set[str] = field(default_factory=set)

    def tell(self, sent: Sequence[Message], received: Sequence[Message]) -> int:
        """Add what a model call was sent and gave back, as far as it was not told yet; the same words said again count again.

        Gives the position of the latest message of the user among what was sent.
        """
        here: Counter[str] = Counter()
        asked = 0
        for i, message in enumerate((*sent, *received)):
            calls = [_call_key(c) for c in _calls_of(message)]
            text = canonical([message.get("role"), message.get("content") or None, calls, message.get("tool_call_id")])
            here[text] += 1
            if here[text] > self._told[text]:
                self._told[text] += 1
                self._add(message)
                if i < len(sent) and message.get("role") == "user":
                    asked = len(self.messages) - 1
        return asked

    def _add(self, message: Message) -> None:
        if message.get("role") == "tool":
            answers = str(message.get("tool_call_id"))
            if answers not in self._results:
                self._results.add(answers)
                self.messages.append(message)
            return
        calls = _calls_of(message)
        new = [c for c in calls if not (isinstance(c, dict) and str(c.get("id")) in self._calls)]
        self._calls.update(str(c["id"]) for c in new if isinstance(c, dict) and c.get("id"))
        if new or not calls:
            self.messages.append({**message, "tool_calls": new} if calls else message)

    def tool(self, span: Span) -> None:
        """Add the call that a tool's span tells, unless a message has told it, and its result."""
        held = span.attributes
        call_id = _call_id(span)
        if call_id not in self._calls:
            self._calls.add(call_id)
            named = held.get("gen_ai.tool.name") or held.get("traceloop.entity.name") or span.name.removeprefix(f"{_TOOL} ")
            given = call_arguments(_first(held, "gen_ai.tool.call.arguments", "traceloop.entity.input", "gen_ai.tool.input"))
            self.messages.append({"role": "assistant", "tool_calls": [{"id": call_id, "function": {"name": named, "arguments": given}}]})
        result = _first(held, "gen_ai.tool.call.result", "traceloop.entity.output", "gen_ai.tool.output")
        if result is not None and call_id not in self._results:
            self._results.add(call_id)
            text = result if isinstance(result, str) else canonical(result)
            self.messages.append({"role": "tool", "tool_call_id": call_id, "content": text})


def _call_id(span: Span) -> str:
    """Id of the call that a tool's span is about; one made of the span's where it tells none."""
    told = span.attributes.get("gen_ai.tool.call.id")
    return told if isinstance(told, str) and told.strip() else f"span:{span.id}"


def _calls_of(message: Message) -> list[Any]:
    calls = message.get("tool_calls")
    return calls if isinstance(calls, list) else []


def _call_key(call: Any) -> Any:
    return call["id"] if isinstance(call, dict) and call.get("id") else call


def _first(held: Mapping[str, Any], *names: str) -> Any:
    return next((held[name] for name in names if name in held), None)


def _runs(piece: _Piece, made: Sequence[Turn], author: Author, parent: str | None) -> Iterator[Run]:
    began = [s.began for s in piece.spans if s.began]
    ended = [s.ended for s in piece.spans if s.ended]
    provider = _named(piece.spans, "gen_ai.provider.name", "gen_ai.system")
    service = piece.root.resource.get("service.name")
    failed = (piece.agent or piece.spans[-1]).failed
    for span in piece.spans:
        if operation(span) == _TOOL:
            any(turn.steps.timed(_call_id(span), span.began, span.ended, "error" if span.failed else "ok") for turn in reversed(made))
    told = made or [Turn(0, None)]
    for number, turn in enumerate(told):
        last = turn is told[-1]
        yield Run(
            run_id=made_id("otel", piece.root.trace, piece.root.id, number),
            parent_run_id=parent,
            org=author.org,
            agent=author.agent,
            session=_named(piece.spans, "gen_ai.conversation.id", "session.id") or author.session,
            work_area=author.area,
            started_at=min(began) if began and number == 0 else None,
            ended_at=max(ended) if ended and last else None,
            model=_named(piece.spans, "gen_ai.response.model", "gen_ai.request.model"),
            runtime=f"otel/{provider}" if provider else "otel",
            environment={"service": service} if isinstance(service, str) else {},
            goal=turn.goal,
            exit_status=("error" if failed else "completed" if piece.agent else None) if last else None,
            steps=turn.steps.steps(),
            tools=turn.steps.tools(),
        )


def _named(held: Sequence[Span], *names: str) -> str | None:
    found = (span.attributes.get(name) for span in held for name in names)
    return next((value for value in found if isinstance(value, str) and value), None)
