"""`tidegate erase` on a real `tidegate up`: one person goes from every read path, what she lent is taken back, learnings stay."""

import json
from typing import Any

import pytest

from tests.pipelines.cli.conftest import Tidegate

pytestmark = pytest.mark.processes

ORG, AGENT, KEY = "erase-co", "agent/clerk", "desk/pattern-receipt"
NAME, BOUND = "Annabel Fairview", "desk/pattern-terms"
RUNS = [
    {"run_id": "r-plain", "learnings": [{"entry_key": KEY, "rule": "Ask for the receipt before you refund anything."}]},
    {
        "run_id": "r-annabel",
        "entities": [{"kind": "person", "value": NAME}],
        "steps": [{"kind": "message", "role": "user", "output": f"{NAME} asks for a refund"}],
        "learnings": [{"entry_key": BOUND, "rule": "Print the usual terms below the total.", "value_bindings": ["billing/terms"]}],
        "claims": [{"entity": NAME, "key": "billing/terms", "value": "by invoice"}],
    },
]
OUTCOMES = [
    {"outcome_id": "o-plain", "run_id": "r-plain", "result": "success", "credits": [{"entry_key": KEY}]},
    {"outcome_id": "o-annabel", "run_id": "r-annabel", "result": "success", "credits": [{"entry_key": KEY}]},
    {"outcome_id": "o-waits", "run_id": "r-annabel", "result": "success", "credits": [{"entry_key": "desk/unwritten"}]},
]
WHO = {"org": ORG, "agent": AGENT}
TABLES = ("episodes", "claims", "findings", "outcomes", "credits", "v_runs", "v_outcomes", "v_credits", "v_findings")


def lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record | WHO) + "\n" for record in records)


def rows(tidegate: Tidegate, table: str) -> int:
    """How many rows of a table tell of her run, her outcomes, or her."""
    told = tidegate("sql", f"SELECT toString(tuple(*)) AS row FROM {table} WHERE org = '{ORG}'", "--json").rows
    return sum(any(word in row["row"] for word in ("annabel", NAME, "o-waits")) for row in told)


def bound(tidegate: Tidegate) -> list[dict[str, Any]]:
    """What recall says that the claim holds which a learning is bound to."""
    rows = tidegate("recall", "usual terms", "--org", ORG, "--agent", AGENT, "--scope", "own", "--json").rows
    found: list[dict[str, Any]] = next(row for row in rows if row["entry_key"] == BOUND)["bindings"]["billing/terms"]
    return found


def test_before_and_after(tidegate: Tidegate) -> None:
    """SPEC 8.3, 8.4: every table and view, the learning counted again, the receipt told again, and a second erasure that finds nothing."""
    assert tidegate("produce", "runs", "-", "--wait", stdin=lines(RUNS)).status == 0
    assert tidegate("produce", "outcomes", "-", "--wait", stdin=lines(OUTCOMES)).status == 0
    before = {table: rows(tidegate, table) for table in TABLES}
    assert min(before[table] for table in ("episodes", "claims", "outcomes", "credits", "v_runs")) > 0

    assert [claim["value"] for claim in bound(tidegate)] == ["by invoice"]

    [receipt] = tidegate("erase", "--org", ORG, "--entity", NAME.upper(), "--json").rows
    assert receipt["done"]
    assert receipt["erased"] == {"episodes": 1, "claims": 1, "outcomes": 2, "waiting": 1, "learnings": 1, "credits": 0}
    assert {entry["decision"] for entry in receipt["journal"]} == {"erasure_requested", "entity_erased"}
    assert all(entry["signature"] for entry in receipt["journal"])
    assert {table: rows(tidegate, table) for table in TABLES} == dict.fromkeys(TABLES, 0)
    newest = tidegate("history", KEY, "--org", ORG, "--agent", AGENT, "--json").rows[-1]
    assert (newest["applied"], newest["cause"], newest["state"]) == (1, "retracted", "active")

    assert bound(tidegate) == []

    [again] = tidegate("erase", "--org", ORG, "--receipt", receipt["id"], "--json").rows
    assert again == receipt
    [second] = tidegate("erase", "--org", ORG, "--entity", NAME, "--json").rows
    assert (second["done"], set(second["erased"].values())) == (True, {0})
    assert tidegate("erase", "--org", ORG, "--receipt", "erasures:0:999").status == 1
    assert tidegate("erase", "--org", ORG).status == 2
