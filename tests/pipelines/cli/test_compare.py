"""`tidegate compare` (INTERFACES): pairs in, relations out, in order."""

import json

import pytest
from typer.testing import CliRunner

from pipelines.cli.main import app

A = {"rule": "Check the order status before issuing a refund.", "tools": []}
B = {"rule": "Before issuing a refund, check the order status.", "tools": []}
C = {"rule": "Restart the build when the cache is stale.", "tools": ["ci.run"]}


def test_pairs_are_answered_in_order() -> None:
    lines = [{"id": 1, "a": A, "b": B}, {"id": 2, "a": A, "b": C}, {"a": A, "b": {"rule": "x"}}]
    done = CliRunner().invoke(app, ["compare", "--jsonl"], input="\n".join(map(json.dumps, lines)))
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert done.exit_code == 0
    assert (first["id"], first["relation"], second["id"], second["relation"]) == (1, "duplicate", 2, "distinct")
    assert 0 <= second["similarity"] < first["similarity"] <= 1
    assert third["id"] is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"a": A}, "b: an object is needed"),
        ({"a": {"tools": []}, "b": B}, "a.rule: a string is needed"),
        ({"a": A, "b": B | {"tools": [1]}}, "b.tools: not a list of strings"),
    ],
)
def test_what_is_no_pair_is_refused(line: object, said: str) -> None:
    done = CliRunner().invoke(app, ["compare", "--jsonl"], input=json.dumps(line))
    assert (done.exit_code, done.stdout, done.stderr) == (4, "", f"line 1: {said}\n")
