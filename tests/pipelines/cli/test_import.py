"""`tidegate import`: what it prints, what it refuses, and what becomes of what it sends."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipelines.cli.main import app
from tests.pipelines.cli.conftest import Tidegate

WHO = ("--org", "imported", "--agent", "agent/coder")
CHAT = {"messages": [{"role": "user", "content": "Ship order 7"}, {"role": "assistant", "content": "Shipped."}]}
PLAYBOOK = """## CHECKS
[chk-00001] helpful=9 harmful=0 :: Compare the totals of both ledgers before closing a month
[chk-00002] helpful=x harmful=0 :: broken
"""


def test_a_dry_run_needs_no_engine(tmp_path: Path) -> None:
    """Its lines are what `produce runs` takes."""
    file = tmp_path / "chat.jsonl"
    file.write_text(json.dumps(CHAT) + "\n[{}]\n")
    nowhere = {"TIDEGATE_DATA": str(tmp_path), "TIDEGATE_BROKERS": "127.0.0.1:1"}
    done = CliRunner().invoke(app, ["import", "openai", str(file), *WHO, "--dry-run"], env=nowhere)
    (run,) = map(json.loads, done.stdout.splitlines())
    assert (run["org"], run["agent"], run["goal"]) == ("imported", "agent/coder", "Ship order 7")
    assert done.exit_code == 4
    assert f"{file}:2: messages[0].role: is needed" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import", "openai", "missing.json", *WHO), "missing.json"),
        (("import", "openai", "-"), "--org"),
        (("import", "diary", "-", *WHO), "claude-code"),
    ],
)
def test_wrong_usage(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(app, arguments, input="[]", env={"TIDEGATE_DATA": str(tmp_path), "TIDEGATE_ORG": "", "TIDEGATE_AGENT": ""})
    assert done.exit_code == 2
    assert said in done.stderr.replace("\n", " ")


@pytest.mark.processes
def test_what_is_imported_is_there_and_again_is_a_duplicate(tidegate: Tidegate, tmp_path: Path) -> None:
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps(CHAT))
    first, again = (tidegate("import", "openai", str(chat), *WHO, "--wait", "--json") for _ in range(2))
    assert (first.status, again.status) == (0, 0)
    assert (first.row["read"], first.row["sent"], first.row["refused"]) == (1, 1, [])
    assert (first.row["ended"]["stored"], again.row["ended"]["duplicate"]) == (1, 1)
    assert first.row["receipts"][0]["run_id"] == again.row["receipts"][0]["run_id"]
    assert tidegate("receipt", first.row["receipts"][0]["id"], "--json").row["parts"][0]["end"] == "stored"


@pytest.mark.processes
def test_stated_counts_prove_nothing(tidegate: Tidegate, tmp_path: Path) -> None:
    """SPEC 6.1: nine times helpful, says the playbook; no application, no verified outcome, no candidate."""
    book = tmp_path / "ledger.txt"
    book.write_text(PLAYBOOK)
    done = tidegate("import", "playbook", str(book), *WHO, "--wait", "--json")
    assert done.status == 4
    assert done.row["refused"] == [
        {"file": str(book), "line": 3, "field": None, "error": "not a bullet: [id] helpful=0 harmful=0 :: wording"}
    ]
    assert done.row["ended"]["stored"] == 2  # the learning and the episode
    entry = "playbook/ledger/checks/pattern-chk-00001"
    (version,) = tidegate("history", entry, *WHO, "--json").rows
    assert (version["applied"], version["helpful"], version["trust"], version["evidence_status"]) == (0, 0, "recorded", "untested")
    assert version["confidence"] == pytest.approx(10 / 11)
    held = {row["condition"]: row["holds"] for row in tidegate("why", entry, *WHO, "--json").rows}
    assert (held["privacy"], held["trust"], held["applied"]) == (True, False, False)
