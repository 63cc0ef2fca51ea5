"""The commands on a real `tidegate up`: what is sent is shown, as INTERFACES says it."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from pipelines.runtime import find
from pipelines.settings import load
from tests.pipelines.cli.conftest import Answer, Tidegate

pytestmark = pytest.mark.processes

AGENT, OTHER = "agent/support-1", "agent/support-2"
ENTRY = "support/refunds/pattern-check-status"
WHO = ("--org", "acme", "--agent", AGENT)
AGENTS = [{"org": "acme", "agent": agent, "home_space": "department/support", "hosted": True} for agent in (AGENT, OTHER)]
RUN = {
    "run_id": "r-1",
    "org": "acme",
    "agent": AGENT,
    "learnings": [
        {"entry_key": ENTRY, "rule": "Check the status of an order before you offer a refund."},
        {"entry_key": "support/refunds/risk-partial", "rule": "A partial refund needs a second approval."},
    ],
    "claims": [{"entity": "acme-customer", "key": "billing/terms", "value": {"net": 30}}],
}


def outcome(number: int, *entries: str) -> dict[str, Any]:
    """A success that relied on some entries."""
    credits = [{"entry_key": entry} for entry in entries]
    return {"outcome_id": f"o-{number}", "org": "acme", "agent": AGENT, "result": "success", "verified_by": "ci", "credits": credits}


def lines(*records: Any) -> str:
    """Records as JSON lines; what is text already stays as it is."""
    return "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)


@dataclass(frozen=True)
class Flow:
    """What the commands said as agents, runs and outcomes went in."""

    tidegate: Tidegate
    agents: Answer
    runs: Answer
    outcomes: Answer


@pytest.fixture(scope="module")
def flow(tidegate: Tidegate, tmp_path_factory: pytest.TempPathFactory) -> Flow:
    """Two agents; a run, the same run again, a broken line; four outcomes, one of them early."""
    runs: Path = tmp_path_factory.mktemp("input") / "runs.jsonl.gz"
    runs.write_bytes(gzip.compress(lines(RUN, {**RUN, "run_id": None}, "", RUN).encode()))
    return Flow(
        tidegate,
        tidegate("agents", "load", "-", stdin=lines(*AGENTS, {"org": "acme"})),
        tidegate("produce", "runs", str(runs), "--wait", "--json"),
        tidegate(
            "produce", "outcomes", "-", "--wait", "--json", stdin=lines(*(outcome(n, ENTRY) for n in (1, 2, 3)), outcome(4, "a/not-yet"))
        ),
    )


def test_agents_load(flow: Flow) -> None:
    assert (flow.agents.status, flow.agents.out) == (4, "")
    assert flow.agents.err == "line 3: agent: is needed\n2 loaded, 1 refused\n"


def test_agents_list_has_those_loaded_and_with_defaults_those_seen(flow: Flow) -> None:
    """INTERFACES: an agent never loaded is known from its first run."""
    flow.tidegate("produce", "runs", "-", "--wait", stdin=lines({"run_id": "r", "org": "globex", "agent": "agent/new"}))
    rows = flow.tidegate("agents", "list", "--json").rows
    assert [row for row in rows if row["org"] == "acme"] == [
        row | {"producer": "agent", "shared_learning": None, "tools": []} for row in AGENTS
    ]
    assert flow.tidegate("agents", "list", "--org", "globex", "--json").row == {
        "org": "globex",
        "agent": "agent/new",
        "home_space": "personal",
        "producer": "agent",
        "hosted": False,
        "shared_learning": None,
        "tools": [],
    }


def test_produce_says_what_became_of_each_line_and_part(flow: Flow) -> None:
    """INTERFACES, produce: the same run again is a duplicate, part by part."""
    said = flow.runs.row
    assert flow.runs.status == 4
    assert said["refused"] == [{"line": 2, "field": "run_id", "error": "is needed"}]
    assert (said["read"], said["sent"], [receipt["line"] for receipt in said["receipts"]]) == (3, 2, [1, 4])
    assert said["ended"] == {"stored": 4, "held": 0, "refused": 0, "dead_lettered": 0, "duplicate": 4, "waiting": 0}


def test_produce_names_each_part_that_ended_badly(flow: Flow) -> None:
    """SPEC 9.3: which line, which part, why; status counts it."""
    text = lines(outcome(90) | {"agent": OTHER, "credits": [{"ref": "A" * 50}]})
    answer = flow.tidegate("produce", "outcomes", "-", "--wait", "--json", stdin=text)
    (failed,) = answer.row["failed"]
    assert (answer.status, failed | {"id": ""}) == (4, {"line": 1, "id": "", "part": "credit:0", "end": "refused", "reason": "bad_ref"})
    again = flow.tidegate("produce", "outcomes", "-", "--wait", stdin=text.replace("o-90", "o-91"))
    assert "line 1: credit:0 of outcomes:" in again.err
    assert "ended refused: bad_ref" in again.err
    assert flow.tidegate("status", "--json").rows[-1]["refused"] >= 2


def test_waiting_is_an_end_and_no_failure(flow: Flow) -> None:
    """SPEC 5.2: an outcome that overtakes the learning it credits waits for it."""
    assert flow.outcomes.status == 0
    assert flow.outcomes.row["ended"] == {"stored": 3, "held": 0, "refused": 0, "dead_lettered": 0, "duplicate": 0, "waiting": 1}


def test_receipt(flow: Flow) -> None:
    first, second = (receipt["id"] for receipt in flow.runs.row["receipts"])
    parts = ["claim:0", "episode", "learning:0", "learning:1"]
    stored = flow.tidegate("receipt", first, "--json").row
    assert stored == {"id": first, "parts": [{"part": part, "end": "stored", "reason": None} for part in parts]}
    assert {part["end"] for part in flow.tidegate("receipt", second, "--json").row["parts"]} == {"duplicate"}
    unknown = flow.tidegate("receipt", "runs:0:999999", "--json")
    assert (unknown.status, unknown.row["parts"]) == (1, [])


def test_history_is_oldest_first(flow: Flow) -> None:
    versions = flow.tidegate("history", ENTRY, *WHO, "--json").rows
    figures = [(row["version"], row["applied"], row["helpful"], row["evidence_status"]) for row in versions]
    assert figures == [(1, 0, 0, "untested"), (2, 1, 1, "validated"), (3, 2, 2, "validated"), (4, 3, 3, "validated")]
    assert set(versions[0]) >= {
        *("version", "at", "cause", "state", "crossing", "confidence", "evidence_status", "applied", "helpful"),
        *("success_count", "failure_count", "trust", "tier"),
    }
    assert versions[-1]["crossing"] == "candidate"


def test_why_tells_the_seven_conditions(flow: Flow) -> None:
    """SPEC 6.1, 6.2: each condition with its figure and what is needed."""
    rows = flow.tidegate("why", ENTRY, *WHO, "--json").rows
    assert [row["condition"] for row in rows] == ["privacy", "state", "binding", "enabled", "trust", "applied", "ratio"]
    assert all(row["holds"] for row in rows)
    untested = flow.tidegate("why", "support/refunds/risk-partial", *WHO, "--json").rows
    assert {row["condition"] for row in untested if not row["holds"]} == {"trust", "applied", "ratio"}


def test_explain_comes_to_the_figures_of_history(flow: Flow, tmp_path: Path) -> None:
    """Which outcome moved what; the drawing has a dot for each."""
    plot = tmp_path / "confidence.svg"
    rows = flow.tidegate("explain", ENTRY, *WHO, "--json", "--plot", str(plot)).rows
    versions = flow.tidegate("history", ENTRY, *WHO, "--json").rows
    assert [(row["version"], row["confidence"], row["evidence_status"]) for row in rows] == [
        (version["version"], version["confidence"], version["evidence_status"]) for version in versions
    ]
    assert [(row["cause"], row["cause_id"], row["helped"]) for row in rows[1:]] == [("outcome", f"o-{n}", "yes") for n in (1, 2, 3)]
    assert plot.read_text().count("<circle") == len(rows)


def test_rollback_makes_an_old_version_the_newest(flow: Flow) -> None:
    """SPEC 2.8: a new version with the old wording; what was replaced starts untested, and a credit to it moves nothing."""
    entry = "support/refunds/decision-limit"
    learning = {"entry_key": entry, "rule": "Refund up to fifty euros at once.", "confidence": 0.7, "tools": ["orders.get"]}
    wordings: tuple[dict[str, str], ...] = ({}, {"rule": "Refund nothing at once."})
    runs = [{**RUN, "run_id": f"limit-{n}", "learnings": [{**learning, **said}], "claims": []} for n, said in enumerate(wordings)]
    assert flow.tidegate("produce", "runs", "-", "--wait", stdin=lines(*runs)).status == 0
    done = flow.tidegate("rollback", entry, "1", *WHO, "--json")
    assert (done.status, done.row["end"], done.row["version"]) == (0, "stored", 3)
    late = {**outcome(90), "credits": [{"entry_key": entry, "version": 2}]}
    assert flow.tidegate("produce", "outcomes", "-", "--wait", stdin=lines(late)).status == 0
    last, idle = flow.tidegate("explain", entry, *WHO, "--json").rows[-2:]
    assert (last["version"], last["cause"], last["cause_id"], last["confidence"]) == (3, "rolled_back", "1", 0.7)
    assert (idle["version"], idle["cause_id"], idle["moved"], idle["reason"]) == (3, "o-90", 0, "wording_replaced")
    rules = flow.tidegate("sql", f"SELECT rule, tools FROM entries WHERE entry_key = '{entry}' ORDER BY version", "--json").rows
    assert rules[0] == rules[2] != rules[1]
    refused = flow.tidegate("rollback", entry, "9", *WHO)
    assert (refused.status, refused.err) == (1, f"{entry} has no version 9 that can come back: the newest is 3\n")


def test_a_briefing_tells_what_is_hot(flow: Flow) -> None:
    """SPEC 7.9"""
    told = flow.tidegate("brief", "--org", "acme", "--agent", OTHER, "--json")
    assert ("learning", "Check the status of an order before you offer a refund.") in {(row["section"], row["rule"]) for row in told.rows}
    wrong = flow.tidegate("brief", "--org", "acme", "--agent", OTHER, "--env", "node")
    assert (wrong.status, "--env 'node': KEY=VALUE is needed" in wrong.err) == (2, True)


@pytest.mark.parametrize("command", ["history", "why", "explain"])
def test_an_entry_that_is_not_there(flow: Flow, command: str) -> None:
    answer = flow.tidegate(command, "no/such", *WHO, "--json")
    assert (answer.status, answer.out, answer.err) == (1, "", f"{AGENT} of acme has no entry no/such\n")


def test_recall_shows_its_own_and_the_pool_and_tells_the_stream(flow: Flow) -> None:
    """SPEC 7.8: a read by an agent leaves an exposure."""
    own = flow.tidegate("recall", "refund an order", *WHO, "--json").rows
    pool = flow.tidegate("recall", "refund an order", "--org", "acme", "--agent", OTHER, "--json").rows
    assert own[0]["entry_key"] == ENTRY
    assert [(row["entry_key"], row["rule"], row["space"]) for row in pool] == [
        (None, "Check the status of an order before you offer a refund.", "department/support")
    ]
    assert set(own[0]) >= {
        *("recall_id", "ref", "section", "entry_key", "rule", "value", "space", "area", "levels_up", "state", "evidence_status"),
        *("confidence", "applied", "helpful", "trust", "tier", "score", "why"),
    }
    vote = {"outcome_id": "v-1", "org": "acme", "agent": OTHER, "result": "success", "credits": [{"ref": pool[0]["ref"]}]}
    assert flow.tidegate("produce", "outcomes", "-", "--wait", stdin=lines(vote)).status == 0
    shown = flow.tidegate("sql", f"SELECT count() AS n FROM v_exposures WHERE recall_id = '{own[0]['recall_id']}'", "--json")
    assert shown.row == {"n": len(own)}


def test_recall_of_a_caller_who_is_not_known_gets_nothing(flow: Flow) -> None:
    """SPEC 7.1."""
    answer = flow.tidegate("recall", "refund", "--org", "acme", "--agent", "agent/nobody", "--json")
    assert (answer.status, answer.out, answer.err) == (
        *(0, ""),
        "agent/nobody of acme is not known: load it (`tidegate agents load`), or send a run of it first\n",
    )


def test_recall_of_nothing_is_wrong_usage(flow: Flow) -> None:
    assert flow.tidegate("recall", " ", *WHO).status == 2


def test_tables_for_people(flow: Flow) -> None:
    for args in (["history", ENTRY, *WHO], ["why", ENTRY, *WHO], ["recall", "refund", *WHO], ["status"], ["agents", "list"], ["topics"]):
        answer = flow.tidegate(*args)
        assert answer.status == 0
        assert len(answer.out.splitlines()) > 1


def test_status_is_idle_once_all_was_waited_for(flow: Flow) -> None:
    flow.tidegate("produce", "outcomes", "-", "--wait", stdin=lines(outcome(1, ENTRY)))
    *rows, last = flow.tidegate("status", "--json").rows
    assert {tuple(row) for row in rows} == {("group", "topic", "partition", "end", "committed", "lag")}
    assert {row["group"] for row in rows} == {"scan", "aggregate", "promote", "journal", "sink"}
    assert set(last) == {"idle", "stored", "held", "dead_lettered", "refused", "members"}
    assert all(last["members"].values())
    assert last["idle"] == (not any(row["lag"] for row in rows))
    assert last["stored"] >= 7


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("SELEC 1", 2, "Syntax error"),
        ("SELECT nothing FROM v_pool", 2, "nothing"),
        ("DROP TABLE receipts", 2, "tidegate sql: ClickHouse does not take this query"),
    ],
)
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["table", "json"])
def test_sql_that_is_no_question(flow: Flow, query: str, status: int, said: str, form: tuple[str, ...]) -> None:
    answer = flow.tidegate("sql", query, *form)
    assert (answer.status, answer.out) == (status, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1


def test_sql_rows(flow: Flow) -> None:
    query = "SELECT number AS n, toString(number) AS text FROM numbers(3);"
    assert flow.tidegate("sql", query, "--json").rows == [{"n": n, "text": str(n)} for n in range(3)]
    assert flow.tidegate("sql", "-", stdin=query).out.split() == ["n", "text", "0", "0", "1", "1", "2", "2"]


def test_dead_letters_are_listed_shown_and_sent_again(flow: Flow) -> None:
    """SPEC 9.4: a message that cannot be read goes to the dead letters; the rest goes on."""
    tidegate = flow.tidegate
    running = find(load(tidegate.environ))
    assert running is not None and running.brokers is not None
    producer = Producer({"bootstrap.servers": running.brokers})
    producer.produce("tidegate.runs", b"\xffnot avro", b"acme/" + AGENT.encode(), 0)
    producer.flush()
    tidegate("produce", "runs", "-", "--wait", stdin=lines({"run_id": "after", "org": "acme", "agent": AGENT}))

    letter = tidegate("dlq", "list", "--json", "--reason", "not_avro").row
    assert {"id", "topic", "partition", "offset", "reason", "field", "excerpt", "at", "replayable_until"} <= set(letter)
    assert (letter["topic"], letter["partition"], letter["excerpt"]) == ("runs", 0, None)
    assert tidegate("dlq", "show", letter["id"], "--json").row == letter
    assert letter["id"] in tidegate("dlq", "show", letter["id"]).out
    assert tidegate("dlq", "show", "runs:0:999999").status == 1

    replayed = tidegate("dlq", "replay", letter["id"], "--json")
    assert replayed.status == 0
    tidegate("produce", "runs", "-", "--wait", stdin=lines({"run_id": "later", "org": "acme", "agent": AGENT}))
    again = [row["id"] for row in tidegate("dlq", "list", "--json", "--reason", "not_avro").rows]
    assert sorted(again) == sorted([letter["id"], replayed.row["receipt"]])
    assert tidegate("dlq", "show", letter["id"], "--json").row == letter | {"replayed_as": replayed.row["receipt"]}
    assert [row["id"] for row in tidegate("dlq", "replay", "--all", "--reason", "not_avro", "--json").rows] == [replayed.row["receipt"]]
    assert tidegate("receipt", replayed.row["receipt"], "--json").row["parts"] == [
        {"part": "message", "end": "dead_lettered", "reason": "not_avro"}
    ]


def test_a_wait_that_takes_too_long_says_what_is_missing(flow: Flow, tmp_path: Path) -> None:
    """INTERFACES, commands: 1, the answer is no. Topics of another prefix, which no worker reads."""
    running = find(load(flow.tidegate.environ))
    assert running is not None and running.brokers is not None and running.clickhouse is not None
    token = (Path(flow.tidegate.environ["TIDEGATE_DATA"]) / "operator.token").read_text().strip()
    elsewhere = Tidegate(
        flow.tidegate.environ
        | {"TIDEGATE_BROKERS": running.brokers, "TIDEGATE_CLICKHOUSE": running.clickhouse.replace("//", f"//operator:{token}@")}
        | {"TIDEGATE_PREFIX": "other.", "TIDEGATE_REPLICATION": "1", "TIDEGATE_MIN_ISR": "1", "TIDEGATE_DATA": str(tmp_path)}
        | {"TIDEGATE_SECRET": "s" * 32}
    )
    missing = elsewhere("produce", "runs", "-", stdin=lines(RUN))
    assert (missing.status, missing.out) == (3, "")
    assert "topic other.runs does not exist; `tidegate topics --create` makes the topics" in missing.err
    assert elsewhere("topics").status == 1
    assert all(row["ok"] for row in elsewhere("topics", "--create", "--json").rows)
    late = elsewhere("produce", "runs", "-", "--wait", "--timeout", "1", "--json", stdin=lines(RUN))
    assert (late.status, late.row["sent"], "ended" in late.row) == (1, 1, False)
    assert "nothing moved for 1 s, and scan has still to read runs (1 left)" in late.err
