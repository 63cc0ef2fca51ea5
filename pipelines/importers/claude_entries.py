"""A line of a Claude Code transcript: what kind of entry it is, and what its message holds.

A transcript (`~/.claude/projects/…/SESSION.jsonl`) is JSON lines. `user` and `assistant` lines hold messages of the Messages API; the other
types are the runtime's own (`system`, `summary`, `progress`, `file-history-snapshot`, …) and matter only as links of the chain that
`parentUuid` makes. The format is nowhere specified: this follows what versions 1.0 to 2.1 write.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipelines.importers.parsed import time_of

_COMMAND = re.compile(r"<command-name>\s*(?P<name>[^<]*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(?P<text>.*?)</command-args>", re.DOTALL)
_INTERRUPTED = "[Request interrupted by user"
_OF_RUNTIME = re.compile(
    r"\s*(<(local-command-\w+|bash-\w+|system-reminder|task-notification|user-memory-input|ide_\w+|command-\w+)[\s>]"
    r"|Caveat: The messages below)"
)
"""How messages begin that the runtime puts into the user's mouth."""
_REJECTED = re.compile(r"The user (doesn't|does not) want to (proceed|take this action)|User rejected tool use")
_EXIT_CODE = re.compile(r"(?:<tool_use_error>)?(?:Error: )?Exit code (-?\d{1,9})\b")
_TIMED_OUT = re.compile(r"timed out after \d")
_TOLD_CHARS = 400
"""How a call ended stands at the beginning of what it gave back."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that is a link of the chain. `content` is null where it holds no message."""

    file: str
    line: int
    type: str
    uuid: str
    parent: str | None
    session: str | None
    at: datetime | None
    sidechain: bool
    agent_id: str | None
    content: str | list[Any] | None
    fields: Mapping[str, Any]

    def text(self) -> str:
        """What the message says, without images and results."""
        return self.content if isinstance(self.content, str) else "\n".join(texts(self.content or []))

    def blocks(self) -> Iterator[dict[str, Any]]:
        """The blocks of its message."""
        yield from (block for block in (self.content if isinstance(self.content, list) else ()) if isinstance(block, dict))

    def results(self) -> bool:
        """Whether it brings results of tools."""
        return any(block.get("type") == "tool_result" for block in self.blocks())

    def interrupts(self) -> bool:
        """Whether it says that the user stopped the agent."""
        return self.type == "user" and self.text().strip().startswith(_INTERRUPTED)

    def command(self) -> str | None:
        """The slash command that the user typed, with its arguments."""
        text = self.text()
        if self.type != "user" or not (named := _COMMAND.search(text)):
            return None
        given = _ARGUMENTS.search(text)
        return f"{named['name']} {given['text'].strip() if given else ''}".strip() or None

    def of_runtime(self) -> bool:
        """Whether the runtime wrote it, not a person: context that it puts in, a summary after compaction."""
        return any(self.fields.get(name) is True for name in ("isMeta", "isCompactSummary")) or bool(_OF_RUNTIME.match(self.text()))

    def prompt(self) -> str | None:
        """What a person, or the agent that started this one, asks for here; null where the entry asks for nothing."""
        if self.type != "user" or self.content is None or self.results() or self.interrupts():
            return None
        if command := self.command():
            return command
        if self.of_runtime() or not (self.text().strip() or list(self.blocks())):
            return None
        return self.text()


def entry_of(file: str, line: int, fields: Mapping[str, Any]) -> tuple[Entry | None, list[tuple[str, str]]]:
    """The entry in a line, or none where the line is no link of the chain; and what is wrong with it, by field."""
    wrong: list[tuple[str, str]] = []
    kind = fields.get("type")
    if not isinstance(kind, str):
        return None, [("type", "is needed: a word that says what the line holds")]
    speaks = kind in ("user", "assistant")
    content: str | list[Any] | None = None
    if speaks:
        message = fields.get("message")
        if not isinstance(message, dict):
            return None, [("message", "not an object")]
        content = message.get("content")
        if not isinstance(content, str | list):
            return None, [("message.content", "neither text nor a list of blocks")]
    elif kind == "attachment" and isinstance(queued := fields.get("attachment"), dict) and queued.get("type") == "queued_command":
        # What a person typed while the agent worked.
        content = queued["prompt"] if isinstance(queued.get("prompt"), str | list) else None
    uuid = fields.get("uuid")
    if not isinstance(uuid, str) or not uuid:
        if not speaks:
            return None, []  # a title, a snapshot of files
        uuid = f"{file}:{line}"  # the oldest versions wrote none
    at = time_of(fields.get("timestamp"))
    if at is None and fields.get("timestamp") is not None:
        wrong.append(("timestamp", "not a time: the entry is taken without one"))
    parent = fields.get("parentUuid") or fields.get("logicalParentUuid")
    named = {name: value if isinstance(value := fields.get(name), str) else None for name in ("sessionId", "agentId")}
    entry = Entry(
        file=file,
        line=line,
        type=kind,
        uuid=uuid,
        parent=parent if isinstance(parent, str) else None,
        session=named["sessionId"],
        at=at,
        sidechain=fields.get("isSidechain") is True,
        agent_id=named["agentId"],
        content=content,
        fields=fields,
    )
    return entry, wrong


def texts(blocks: list[Any]) -> Iterator[str]:
    """The texts among the blocks of a message."""
    for block in blocks:
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            yield block["text"]


def media(block: Mapping[str, Any]) -> dict[str, Any]:
    """An image or a document without its data, which is no text that anybody could scan."""
    source = block.get("source")
    source = source if isinstance(source, dict) else {}
    told: dict[str, Any] = {"type": str(block.get("type"))}
    if isinstance(source.get("media_type"), str):
        told["media_type"] = source["media_type"]
    if isinstance(source.get("data"), str):
        told["characters"] = len(source["data"])
    return told


def output_of(content: object) -> object:
    """What a tool gave back: its text where that is all, else its blocks, images without their data."""
    if not isinstance(content, list):
        return content
    blocks = [media(b) if isinstance(b, dict) and b.get("type") in ("image", "document") else b for b in content]
    return blocks[0]["text"] if len(blocks) == 1 and list(texts(blocks)) else blocks


def status_of(block: Mapping[str, Any], entry: Entry) -> tuple[str, int | None]:
    """How a call ended, and its exit code where it tells one."""
    content = block.get("content")
    text = (content if isinstance(content, str) else "\n".join(texts(content if isinstance(content, list) else [])))[:_TOLD_CHARS]
    result = entry.fields.get("toolUseResult")
    told = result[:_TOLD_CHARS] if isinstance(result, str) else ""
    code = _EXIT_CODE.match(text)
    exit_code = int(code[1]) if code else None
    if _REJECTED.search(text) or _REJECTED.search(told):
        return "rejected", exit_code
    if _INTERRUPTED in text or (isinstance(result, dict) and result.get("interrupted") is True):
        return "interrupted", exit_code
    if block.get("is_error") is True:
        return "timeout" if _TIMED_OUT.search(text) else "error", exit_code
    return "ok", exit_code
