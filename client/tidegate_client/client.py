"""The client: tells runs and outcomes in the background, and asks."""

import atexit
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from datetime import datetime
from os import PathLike
from types import TracebackType
from typing import Any, Self

from tidegate_client.buffer import Buffer, Item
from tidegate_client.forms import Credit, Recalled, Result, Scope, Verifier, text, told
from tidegate_client.http import Http
from tidegate_client.recording import Run, new_id
from tidegate_client.sending import Closed, Lost, Sending, Transport

BUFFER_BYTES = 64 * 1024 * 1024
THREADS = 8
CLOSE_SECONDS = 30.0


def over_http(
    url: str,
    *,
    key: str,
    org: str | None = None,
    agent: str | None = None,
    buffer: str | PathLike[str] | None = None,
    limit: int = BUFFER_BYTES,
    on_lost: Callable[[Lost], None] | None = None,
) -> "Client":
    """A client of the service's HTTP interface. `org`, `agent`: for whom, where `key` is the operator's token.

    `buffer`: a file for what is not yet sent, which outlives the process; left out, it is kept in memory. `limit`: its bytes. `on_lost`:
    told of each record that will not arrive.
    """
    http = Http(url, key, org, agent)
    return Client(http, http, Buffer(buffer, limit), on_lost)


def over_kafka(
    brokers: str,
    *,
    org: str,
    agent: str,
    key: str | None = None,
    url: str | None = None,
    prefix: str = "tidegate.",
    config: Mapping[str, Any] | None = None,
    buffer: str | PathLike[str] | None = None,
    limit: int = BUFFER_BYTES,
    on_lost: Callable[[Lost], None] | None = None,
) -> "Client":
    """A client that writes straight to Kafka (extra `kafka`). `key` signs; left out, only an open deployment takes what is sent.

    `url`: of the HTTP interface, for recall, which Kafka can't answer; `config`: more settings of librdkafka; the others as `over_http` has
    them.
    """
    from tidegate_client.kafka import Kafka
    from tidegate_client.signing import Signer

    kafka = Kafka(brokers, prefix, org, agent, Signer.of(key) if key else None, config or {})
    http = Http(url, key or "", org, agent) if url else None
    return Client(kafka, http, Buffer(buffer, limit), on_lost)


class Client:
    """Made by `over_http` or `over_kafka`. Close it, or use it as a block: what is not sent yet is sent then; so it is as Python ends."""

    def __init__(self, transport: Transport, http: Http | None, buffer: Buffer, on_lost: Callable[[Lost], None] | None) -> None:
        self._transport, self._http = transport, http
        self._sending = Sending(buffer, transport, THREADS, on_lost)
        self._closed: Closed | None = None
        atexit.register(self.close)

    def run(
        self,
        goal: str | None = None,
        *,
        run_id: str | None = None,
        parent_run_id: str | None = None,
        session: str | None = None,
        work_area: str | None = None,
        attempt: int | None = None,
        model: str | None = None,
        runtime: str | None = None,
        environment: Mapping[str, str] | None = None,
        tools: Iterable[str] = (),
    ) -> Run:
        """Record a run, as a block. `run_id`: yours, unique for the agent; left out, a new one. `tools`: what it could use."""
        fields: dict[str, Any] = {"run_id": run_id or new_id(), "parent_run_id": parent_run_id, "session": session, "work_area": work_area}
        fields |= {"attempt": attempt, "model": model, "runtime": runtime, "goal": goal}
        return Run(self, told({**fields, "environment": dict(environment) if environment else None}), tools)

    def report(
        self,
        result: Result | None = None,
        *,
        credits: Iterable[Credit] = (),
        verified_by: Verifier | None = None,
        outcome_id: str | None = None,
        run_id: str | None = None,
        recall_ids: Iterable[str] = (),
        score: float | None = None,
        scorer: str | None = None,
        amends: str | None = None,
        causal_confidence: float | None = None,
        at: datetime | None = None,
    ) -> Future[str]:
        """How a task turned out that relied on learnings; gives the receipt once it is sent. Either `result`, or a `score` from 0 to 1.

        `outcome_id`: make it from the task, so that what is told twice counts once; left out, a new one.
        """
        if (result is None) == (score is None):
            raise ValueError("an outcome has a result or a score, one of them")
        name = outcome_id or new_id()
        fields: dict[str, Any] = {"outcome_id": name, "result": result, "score": score, "scorer": scorer, "amends": amends}
        fields |= {"run_id": run_id, "at": at}
        fields |= {"verified_by": verified_by, "causal_confidence": causal_confidence, "recall_ids": list(recall_ids)}
        return self.send("outcomes", name, text(told({**fields, "credits": [credit.form() for credit in credits]})))

    def recall(
        self,
        asked: str,
        *,
        scope: Scope | None = None,
        area: str | None = None,
        space: str | None = None,
        limit: int | None = None,
        depth: int | None = None,
    ) -> Recalled:
        """What is known, best first. Asks at once, and raises Unavailable where nobody answers, Refused where the question is none."""
        if self._http is None:
            raise ValueError("recall is asked over HTTP: give url")
        fields = {"text": asked, "scope": scope, "area": area, "space": space, "limit": limit, "depth": depth}
        found = self._http.recall(told(fields))
        return Recalled(found.get("recall_id"), bool(found.get("known")), tuple(found.get("rows", ())))

    def receipt(self, receipt: str) -> dict[str, Any]:
        """How the parts of a record that was sent over HTTP have ended: `{"id", "done", "parts": [{"part", "end", "reason"}]}`."""
        if self._http is None:
            raise ValueError("receipts are asked for over HTTP: give url")
        return self._http.receipt(receipt)

    def send(self, topic: str, name: str, body: str) -> Future[str]:
        """Have a record sent: what `run` and `report` end in. `topic`: runs or outcomes; `name`: the record's id; `body`: its JSON."""
        # A lone surrogate, as a text that was cut leaves one, would have the whole record refused.
        return self._sending.submit(Item(topic, name, new_id(), body.encode(errors="replace")))

    def flush(self, seconds: float = CLOSE_SECONDS) -> bool:
        """Wait until everything that was told is sent; False where it is not after so many seconds."""
        return self._sending.flush(seconds)

    def close(self, seconds: float = CLOSE_SECONDS) -> Closed:
        """Send what is left, for so many seconds at most, and say what became of it. Without a buffer's file what is left then is lost."""
        if self._closed is None:
            atexit.unregister(self.close)
            self._closed = self._sending.close(seconds)
            if self._http is not None and self._http is not self._transport:
                self._http.close()
        return self._closed

    def __enter__(self) -> Self:
        """It is open already."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close it."""
        self.close()
