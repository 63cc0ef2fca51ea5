"""Raw records as tests send them, and what scan makes of them."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from agents.binding.batch import Incoming, Outgoing
from agents.scan.core import Scan
from agents.scan.rules.rule import fill
from schemas.codec import decode, encode
from schemas.ids import ids_of
from schemas.records import (
    Exposure,
    LearningDraft,
    LearningProposed,
    Outcome,
    Principal,
    Run,
    Write,
)
from tests.agents.scan.known import OPEN, SECRET

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
IDS = ids_of(SECRET, "acme")
TOKEN = fill("ghp_{w36}")
KEY = "support/refunds/pattern-check-status"


def incoming(record: Any, key: bytes | None = None) -> Incoming:
    topic = {Run: "runs", Outcome: "outcomes", Write: "writes", Principal: "principals", Exposure: "recalls"}[type(record)]
    name = record.principal if isinstance(record, Principal) else record.agent
    return Incoming(topic, "e1", 3, 7, AT, key or f"{record.org}/{name}".encode(), encode(record))


def read(sent: Outgoing) -> Any:
    return decode(sent.value)


def scanned(record: Any, key: bytes | None = None) -> list[tuple[str, Any]]:
    out = Scan(SECRET, OPEN).step(3, [incoming(record, key)], lambda _: None).out
    return [(o.topic, read(o)) for o in out]


def only(sent: list[tuple[str, Any]], kind: type) -> list[Any]:
    return [r for _, r in sent if isinstance(r, kind)]


def a_run(**parts: Any) -> Run:
    return replace(Run(run_id="r-1", org="acme", agent="agent/one"), **parts)


def a_learning(rule: str = "Check the status first.", **parts: Any) -> LearningDraft:
    return LearningDraft(entry_key=KEY, rule=rule, **parts)


def proposed(run: Run) -> LearningProposed:
    [proposal] = only(scanned(run), LearningProposed)
    return proposal  # type: ignore[no-any-return]
