"""A run while it happens."""

import uuid
from collections.abc import Iterable
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack

from tidegate_client.forms import Claim, Credit, Learning, Recalled, Result, Status, StepKind, Verifier, text, time, told

if TYPE_CHECKING:
    from tidegate_client.client import Client


class Run:
    """Records a run; sent once its block ends, also where an exception ends it, which goes on. Its methods check what they get at once.

    `sent`: gets the receipt. `exit_status`: free text; left alone it is completed, error or interrupted.
    """

    def __init__(self, client: "Client", fields: dict[str, Any], tools: Iterable[str]) -> None:
        self._client = client
        self._fields = fields
        self._steps: list[str] = []
        self._learnings: list[str] = []
        self._claims: list[str] = []
        self._entities: list[str] = []
        self._tools = dict.fromkeys(tools)
        self._recall_ids: dict[str, None] = {}
        self.exit_status: str | None = None
        self.sent: Future[str] | None = None

    @property
    def run_id(self) -> str:
        """Its id."""
        found: str = self._fields["run_id"]
        return found

    def step(
        self,
        tool: str | None = None,
        *,
        input: Any = None,
        output: Any = None,
        status: Status | None = None,
        kind: StepKind | None = None,
        role: str | None = None,
        call_id: str | None = None,
        duration: float | None = None,
        exit_code: int | None = None,
        at: datetime | None = None,
    ) -> None:
        """A step, once it is over. `input`, `output`: any JSON; `duration` in seconds; `at`: when it began, left out `duration` ago."""
        began = at or datetime.now(UTC) - timedelta(seconds=duration or 0.0)
        fields = {"tool": tool, "input": input, "output": output, "status": status, "kind": kind, "role": role}
        fields |= {"call_id": call_id, "exit_code": exit_code, "at": began}
        fields["duration_ms"] = None if duration is None else round(duration * 1000)
        self._steps.append(text(told(fields)))
        if tool is not None:
            self._tools[tool] = None

    def message(self, role: str, said: str) -> None:
        """Somebody said something: user, assistant or system."""
        self.step(kind="message", role=role, output=said)

    def learn(self, entry_key: str, rule: str, **more: Unpack[Learning]) -> None:
        """What the run taught, generalised: its address `entity_path/key`, and its wording."""
        if not all(part.strip() for part in entry_key.rpartition("/")) or not rule.strip():
            raise ValueError("a learning needs an entry key, entity_path/key, and a wording")
        self._learnings.append(text(told({"entry_key": entry_key, "rule": rule, **more})))

    def claim(self, entity: str, key: str, value: Any, **more: Unpack[Claim]) -> None:
        """An identifying fact, which stays with its agent."""
        self._claims.append(text(told({"entity": entity, "key": key, "value": value, **more})))

    def met(self, kind: str, value: str) -> None:
        """Somebody or something that the run met and that no wording may name: person, email, order, path."""
        self._entities.append(text({"kind": kind, "value": value}))

    def recall(self, asked: str, **more: Any) -> Recalled:
        """Ask what is known, as `Client.recall` does; the run says that it was shown this."""
        found = self._client.recall(asked, **more)
        if found.recall_id is not None:
            self._recall_ids[found.recall_id] = None
        return found

    def report(
        self,
        result: Result | None = None,
        *,
        credits: Iterable[Credit] = (),
        verified_by: Verifier | None = None,
        outcome_id: str | None = None,
        score: float | None = None,
        scorer: str | None = None,
    ) -> Future[str]:
        """How it turned out, as `Client.report` does."""
        return self._client.report(
            result,
            credits=credits,
            verified_by=verified_by,
            outcome_id=outcome_id,
            score=score,
            scorer=scorer,
            run_id=self.run_id,
            recall_ids=self._recall_ids,
        )

    def __enter__(self) -> Self:
        """It begins."""
        self._fields["started_at"] = time(datetime.now(UTC))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """It has ended: it is sent."""
        ended = "completed" if kind is None else "error" if issubclass(kind, Exception) else "interrupted"
        fields = {**self._fields, "ended_at": time(datetime.now(UTC)), "exit_status": self.exit_status or ended}
        fields |= {"tools": list(self._tools), "recall_ids": list(self._recall_ids)}
        lists = {"steps": self._steps, "learnings": self._learnings, "claims": self._claims, "entities": self._entities}
        whole = [text(told(fields))[1:-1], *(f'"{name}":[{",".join(held)}]' for name, held in lists.items())]
        self.sent = self._client.send("runs", self.run_id, "{" + ",".join(whole) + "}")


def new_id() -> str:
    """An id of a record that has none of its own."""
    return str(uuid.uuid4())
