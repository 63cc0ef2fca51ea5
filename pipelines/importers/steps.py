"""The steps of one run as a runtime tells them: a call first, its result later, perhaps in another order, perhaps never."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pipelines.importers.parsed import json_of
from schemas.jsonform import canonical
from schemas.problem import Problem
from schemas.records import Step
from schemas.validate import NAME_CHARS

_LONGEST_SECONDS = 10**9


@dataclass(slots=True)
class _Told:
    kind: str
    role: str | None = None
    at: datetime | None = None
    call_id: str | None = None
    tool: str | None = None
    input: Any = None
    output: Any = None
    status: str | None = None
    exit_code: int | None = None
    waits: bool = False
    milliseconds: int | None = None

    def step(self) -> Step:
        return Step(
            kind=self.kind,
            role=self.role,
            at=self.at,
            duration_ms=self.milliseconds,
            call_id=self.call_id,
            tool=self.tool,
            input=None if self.input is None else canonical(self.input),
            output=None if self.output is None else canonical(self.output),
            status="unknown" if self.waits and self.status is None else self.status,
            exit_code=self.exit_code,
        )


@dataclass(slots=True)
class Steps:
    """Collects the steps of a run. Texts that hold nothing are no steps."""

    _told: list[_Told] = field(default_factory=list)

    def said(self, kind: str, output: object, at: datetime | None = None, role: str | None = None, status: str | None = None) -> None:
        """A message, a thought or something else."""
        if output is not None and output != [] and not (isinstance(output, str) and not output.strip()):
            self._told.append(_Told(kind, role, at, output=output, status=status))

    def called(self, tool: object, call_id: object, given: object, at: datetime | None = None) -> str | None:
        """A tool was called. Gives what is wrong with the call where it can't be taken."""
        if not isinstance(tool, str) or not tool.strip():
            return "a call without the name of its tool"
        if len(tool) > NAME_CHARS or (isinstance(call_id, str) and len(call_id) > NAME_CHARS):
            return f"a name or an id of more than {NAME_CHARS} characters"
        known = call_id if isinstance(call_id, str) and call_id.strip() else None
        self._told.append(_Told("tool", None, at, call_id=known, tool=tool, input=given, waits=True))
        return None

    def answered(
        self,
        call_id: object,
        output: object,
        status: str | None,
        ended: datetime | None = None,
        exit_code: int | None = None,
        seconds: object = None,
    ) -> bool:
        """A call's result is there; the latest call of that id that waits for one gets it. False where none does.

        `seconds`: how long it took, where that is told and no time at which it ended.
        """
        for told in reversed(self._told):
            if told.waits and told.call_id is not None and told.call_id == call_id:
                told.output, told.status, told.exit_code, told.waits = output, status, exit_code, False
                if ended and told.at:
                    seconds = (ended - told.at).total_seconds()
                if isinstance(seconds, int | float) and 0 <= seconds < _LONGEST_SECONDS:
                    told.milliseconds = round(seconds * 1000)
                return True
        return False

    def timed(self, call_id: str, at: datetime | None, ended: datetime | None, status: str) -> bool:
        """When a call began and ended, and how, told apart from its result. False where there is no such call."""
        for told in reversed(self._told):
            if told.call_id == call_id:
                told.at, told.status, told.waits = at, status, False
                if at and ended and at <= ended:
                    told.milliseconds = round((ended - at).total_seconds() * 1000)
                return True
        return False

    def add(self, others: "Steps") -> None:
        """Steps of another behind these."""
        self._told.extend(others._told)

    def interrupted(self) -> None:
        """Whatever still waits for its result was interrupted."""
        for told in self._told:
            if told.waits:
                told.status = "interrupted"

    def steps(self) -> tuple[Step, ...]:
        """The steps, in the order in which they began."""
        return tuple(told.step() for told in self._told)

    def tools(self) -> tuple[str, ...]:
        """Names of the tools that were called, each once."""
        return tuple(dict.fromkeys(told.tool for told in self._told if told.tool))


def call_arguments(text: object) -> object:
    """Arguments of a call: the JSON in a string, or the string where it holds none (a model may write anything)."""
    if not isinstance(text, str):
        return text
    value = json_of(text) if text.strip() else None
    return text if isinstance(value, Problem) else value
