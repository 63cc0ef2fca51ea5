"""`tidegate journal` on a real `tidegate up`: what was decided is shown, exported, verified, countersigned (SPEC 6.8)."""

import json
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pipelines.keyring import key_file, public_file
from tests.pipelines.cli.conftest import Tidegate

pytestmark = pytest.mark.processes

ORG, AGENT = "journal-co", "agent/clerk"
RULES = ["Ask for the receipt before you refund.", "Write the amount in the currency of the order."]
SECRET_RULE = "Sign in with ghp_" + "1234567890abcdefABCDEF1234567890abcd" + " first."
RUN: dict[str, Any] = {
    "run_id": "r-1",
    "org": ORG,
    "agent": AGENT,
    "learnings": [{"entry_key": f"desk/pattern-{n}", "rule": rule} for n, rule in enumerate([*RULES, SECRET_RULE])],
}


def outcome(number: int) -> dict[str, Any]:
    credits = [{"entry_key": f"desk/pattern-{n}"} for n in range(len(RULES))]
    return {"outcome_id": f"o-{number}", "org": ORG, "agent": AGENT, "result": "success", "verified_by": "ci", "credits": credits}


@dataclass(frozen=True)
class Office:
    """Two promotions and a learning that is held."""

    tidegate: Tidegate

    @property
    def data(self) -> Path:
        return Path(self.tidegate.environ["TIDEGATE_DATA"])

    def verdicts(self, *args: str) -> dict[str, dict[str, Any]]:
        """What verify says of each chain of the organisation."""
        answer = self.tidegate("journal", "verify", *args, "--org", ORG, "--json")
        rows = {row["chain"]: row for row in answer.rows}
        assert answer.status == (not all(row["ok"] for row in rows.values()))
        return rows


def idle(tidegate: Tidegate) -> None:
    until = time.monotonic() + 30
    while not tidegate("status", "--json").rows[-1]["idle"]:
        assert time.monotonic() < until


@pytest.fixture(scope="module")
def office(tidegate: Tidegate) -> Office:
    def lines(*records: Any) -> str:
        return "".join(json.dumps(record) + "\n" for record in records)

    agent = {"org": ORG, "agent": AGENT, "home_space": "department/desk", "hosted": True}
    assert tidegate("agents", "load", "-", stdin=lines(agent)).status == 0
    # The run of a learning with a credential floors its others: it is another run.
    run, held = (RUN | {"run_id": r, "learnings": some} for r, some in (("r-1", RUN["learnings"][:2]), ("r-2", RUN["learnings"][2:])))
    assert tidegate("produce", "runs", "-", "--wait", stdin=lines(run, held)).status == 0
    assert tidegate("produce", "outcomes", "-", "--wait", stdin=lines(*map(outcome, range(3)))).status == 0
    idle(tidegate)
    return Office(tidegate)


def test_the_key_is_the_journals_alone(office: Office) -> None:
    """SPEC 6.8: made at the first start of the journal, for its owner alone."""
    assert stat.S_IMODE(key_file(office.data).stat().st_mode) == 0o600
    (key,) = [k for k in office.tidegate("journal", "keys", "--json").rows if k["role"] == "journal"]
    assert key["endorsed_by"] is None


def test_tail_shows_what_was_decided(office: Office) -> None:
    rows = office.tidegate("journal", "tail", "--org", ORG, "--json").rows
    assert sorted((r["chain"], r["sequence"], r["decision"]) for r in rows) == [
        ("public", 1, "promoted"), ("public", 2, "promoted"), ("restricted", 1, "held"),
    ]  # fmt: skip
    assert office.tidegate("journal", "tail", "--org", ORG, "-n", "1", "--chain", "public", "--json").row["sequence"] == 2
    assert len(office.tidegate("journal", "tail", "--org", ORG).out.splitlines()) == 4


def test_show_opens_the_commitments(office: Office) -> None:
    shown = [office.tidegate("journal", "show", str(n), "--org", ORG, "--json").row for n in (1, 2)]
    assert sorted(line["texts"]["rule"] for line in shown) == sorted(RULES)
    assert shown[1]["previous"] == shown[0]["hash"]
    assert (shown[0]["figures"]["applied"], shown[0]["figures"]["ratio"], shown[0]["figures"]["privacy"]) == ("3", "1.0", "shareable")
    nothing = office.tidegate("journal", "show", "9", "--org", ORG)
    assert (nothing.status, nothing.out, nothing.err) == (1, "", f"the public chain of {ORG} has no entry 9\n")


@pytest.mark.parametrize("engine", ["kafka", "clickhouse"])
def test_it_is_whole_wherever_it_is_read(office: Office, engine: str) -> None:
    found = office.verdicts("--from", engine)
    assert {name: (row["entries"], row["ok"], row["first_bad"], row["problem"]) for name, row in found.items()} == {
        "public": (2, True, None, None),
        "restricted": (1, True, None, None),
    }
    assert all(row["ok"] for row in office.tidegate("journal", "verify", "--from", engine, "--json").rows)


@pytest.mark.parametrize("engine", ["kafka", "clickhouse"])
def test_an_export_verifies_with_the_public_key_alone(office: Office, engine: str, tmp_path: Path) -> None:
    file, elsewhere = tmp_path / "export", office.tidegate.environ | {"TIDEGATE_DATA": str(tmp_path / "no data")}
    file.write_text(office.tidegate("journal", "export", "--org", ORG, "--from", engine).out)
    checked = Tidegate(elsewhere)("journal", "verify", str(file), "--key", str(public_file(office.data)), "--json")
    assert (checked.status, [row["ok"] for row in checked.rows]) == (0, [True, True])
    lines = file.read_text().splitlines()
    file.write_text("\n".join(line.replace('"gate"', '"whim"') for line in lines))
    broken = Tidegate(elsewhere)("journal", "verify", str(file), "--key", str(public_file(office.data)), "--json")
    assert broken.status == 1
    assert {row["chain"]: (row["first_bad"], row["problem"]) for row in broken.rows}["public"] == (1, "changed")


def test_a_checkpoint_shows_a_cut_tail(office: Office, tmp_path: Path) -> None:
    point, file = tmp_path / "point", tmp_path / "export"
    point.write_text(office.tidegate("journal", "checkpoint", "--org", ORG, "--json").out)
    assert all(row["ok"] for row in office.verdicts("--against", str(point)).values())
    lines = office.tidegate("journal", "export", "--org", ORG, "--chain", "public").out.splitlines()
    file.write_text(lines[0] + "\n")
    assert office.verdicts(str(file), "--chain", "public")["public"]["ok"]
    cut = office.verdicts(str(file), "--against", str(point), "--chain", "public")["public"]
    assert (cut["first_bad"], cut["problem"]) == (2, "cut")


def test_a_second_gate_lifts_the_mark(office: Office, tmp_path: Path) -> None:
    """SPEC 6.8: provisional until a second gate with a key of its own countersigns."""
    asked = f"SELECT countIf(provisional) AS marked, count() AS n FROM v_pool WHERE org = '{ORG}'"
    assert office.tidegate("sql", asked, "--json").row == {"marked": 2, "n": 2}
    own = office.tidegate("journal", "countersign", "--key", str(key_file(office.data)), "--org", ORG)
    assert (own.status, own.out) == (2, "")
    gate = str(tmp_path / "second.key")
    rows = office.tidegate("journal", "countersign", "--key", gate, "--org", ORG, "--json").rows
    assert [(row["sequence"], row["signed"], row["problem"]) for row in rows] == [(1, True, None), (2, True, None)]
    assert office.tidegate("journal", "countersign", "--key", gate, "--org", ORG, "--json").rows == []
    idle(office.tidegate)
    assert office.tidegate("sql", asked, "--json").row == {"marked": 0, "n": 2}
    assert [office.verdicts("--from", engine)["public"]["countersigned"] for engine in ("kafka", "clickhouse")] == [2, 2]


def test_a_second_gate_objects(office: Office, tmp_path: Path) -> None:
    """It judges by settings of its own."""
    strict = Tidegate(office.tidegate.environ | {"TIDEGATE_PROMOTION_MIN_APPLIED": "4"})
    answer = strict("journal", "countersign", "--key", str(tmp_path / "third.key"), "--org", ORG, "--json")
    assert answer.status == 1
    assert {(row["signed"], row["problem"]) for row in answer.rows} == {(False, "does not hold: applied")}


def test_a_key_that_follows_is_endorsed(office: Office) -> None:
    """SPEC 6.8: rotation; the journal takes it up at its next start."""
    row = office.tidegate("journal", "rotate", "--json").row
    keys = {k["key"]: k for k in office.tidegate("journal", "keys", "--json").rows}
    assert keys[row["key"]]["endorsed_by"] in keys
    assert all(v["ok"] for v in office.verdicts().values())


@pytest.mark.parametrize("args", [("--chain", "secret"), ("--from", "file"), ("--against", "/no/such"), ("--key", "/no/such")])
def test_wrong_usage(office: Office, args: tuple[str, str]) -> None:
    answer = office.tidegate("journal", "verify", *args)
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
