"""What the command line shows, as INTERFACES' JSON."""

import pytest
from clickhouse_connect.driver.client import Client

from schemas.records import Cause
from sinks import queries
from sinks.caller import agents
from sinks.writer import Writer
from tests.sinks import records as r

ENTRY = (r.ORG, r.AGENT, "main", r.learning().entry_key)


def test_history_is_oldest_first(client: Client, writer: Writer) -> None:
    cause = Cause(what="outcome", id="o-1", by=r.AGENT, confidence_before=1.0, confidence_after=0.5)
    writer.write(
        r.messages(
            r.learning(version=2, cause=cause, confidence=0.5, applied=1, tier=1),
            r.learning(),
            r.learning(branch="b", learning_id="ff" * 16),
        )
    )
    first, second = queries.history(client, *ENTRY)
    promised = "version at cause state crossing confidence evidence_status applied helpful success_count failure_count trust tier"
    assert set(promised.split()) <= set(first)
    assert (first["version"], first["at"], first["cause"]) == (1, r.minutes(1), "created")
    assert (second["version"], second["cause"], second["cause_id"], second["confidence"], second["tier"]) == (2, "outcome", "o-1", 0.5, 1)


def test_history_shows_the_author_what_is_held(client: Client, writer: Writer) -> None:
    """SPEC 4.4."""
    writer.write(r.messages(r.learning(state="held")))
    assert [row["state"] for row in queries.history(client, *ENTRY)] == ["held"]


@pytest.mark.parametrize(
    "other", [("globex", *ENTRY[1:]), (ENTRY[0], r.OTHER, *ENTRY[2:]), (*ENTRY[:3], "no/entry"), (*ENTRY[:2], "b", ENTRY[3])]
)
def test_no_such_entry(client: Client, writer: Writer, other: tuple[str, str, str, str]) -> None:
    writer.write(r.messages(r.learning()))
    assert queries.history(client, *other) == queries.gate(client, *other) == queries.explain(client, *other) == []


def test_explain_tells_what_moved_in_order(client: Client, writer: Writer) -> None:
    cause = Cause(what="outcome", id="o-1", confidence_before=1.0, confidence_after=0.5)
    writer.write(r.messages(r.learning(version=2, cause=cause, confidence=0.5, moves=(r.move("o-1", 1.0, 0.5),)), r.learning()))
    first, second = queries.explain(client, *ENTRY)
    assert (first["version"], first["cause"], first["result"], first["moved"]) == (1, "created", None, None)
    assert (second["version"], second["cause_id"], second["helped"], second["moved"]) == (2, "o-1", "yes", -0.5)


def test_gate_has_the_seven_conditions(client: Client, writer: Writer) -> None:
    """SPEC 6.1."""
    writer.write(r.messages(r.learning(), r.learning(version=2, gate=r.gate("ratio"))))
    found = queries.gate(client, *ENTRY)
    assert [row["condition"] for row in found] == list(r.CONDITIONS)
    assert [row for row in found if not row["holds"]] == [{"condition": "ratio", "holds": False, "figure": "1", "needed": "3"}]


def test_receipts(client: Client, writer: Writer) -> None:
    """A later end replaces an earlier one; parts come in order."""
    parts = [r.receipt(part=f"learning:{n}") for n in (10, 2)]
    writer.write(r.messages(*parts, r.receipt(part="episode"), r.receipt(part="claim:0", end="waiting", reason="early")))
    writer.write(r.messages(r.receipt(part="claim:0", end="dead_lettered", reason="unknown_entry", revision=2), first_offset=9))
    assert queries.receipt(client, "runs:0:0") == [
        {"part": "claim:0", "end": "dead_lettered", "reason": "unknown_entry"},
        {"part": "episode", "end": "stored", "reason": None},
        {"part": "learning:2", "end": "stored", "reason": None},
        {"part": "learning:10", "end": "stored", "reason": None},
    ]
    assert queries.receipt(client, "runs:0:1") == []
    assert queries.ends(client, ["runs:0:0", "runs:0:1"])["runs:0:0"]["episode"] == ("stored", None)
    assert queries.ends(client, []) == {}
    assert queries.totals(client) == {"stored": 3, "dead_lettered": 1}


def test_a_dead_letter_says_as_what_it_was_sent_again(client: Client, writer: Writer) -> None:
    """The newest record of a dead letter counts."""
    writer.write(r.messages(r.dead_letter()))
    writer.write(r.messages(r.dead_letter(replayed_as="runs:0:9"), first_offset=5))
    assert [row["replayed_as"] for row in queries.dead_letters(client)] == ["runs:0:9"]


def test_dead_letters_are_newest_first(client: Client, writer: Writer) -> None:
    writer.write(r.messages(r.dead_letter(1), r.dead_letter(2, at=r.minutes(1), field="rule", topic="outcomes", reason="conflict")))
    found = queries.dead_letters(client)
    assert [row["offset"] for row in found] == [2, 1]
    assert {"id", "topic", "partition", "offset", "reason", "field", "excerpt", "at", "replayable_until"} <= set(found[0])
    assert (found[0]["field"], found[1]["field"], found[1]["excerpt"]) == ("rule", None, None)
    assert [row["offset"] for row in queries.dead_letters(client, topic="runs")] == [1]
    assert [row["offset"] for row in queries.dead_letters(client, reason="conflict")] == [2]


def test_agents_are_those_loaded_and_those_seen(client: Client, writer: Writer) -> None:
    """INTERFACES: an agent never loaded is known, with the defaults, from its first run or outcome."""
    writer.write(
        r.messages(
            r.agent_changed(hosted=True, shared_learning=False),
            r.episode(),
            r.episode(agent=r.OTHER),
            r.outcome(agent="agent/x", org="globex"),
        )
    )
    loaded = {
        "org": r.ORG,
        "agent": r.AGENT,
        "home_space": "service",
        "producer": "agent",
        "hosted": True,
        "shared_learning": False,
        "tools": ["orders.get"],
    }
    seen = {"home_space": "personal", "producer": "agent", "hosted": False, "shared_learning": None, "tools": []}
    assert agents(client, r.ORG) == [loaded, {"org": r.ORG, "agent": r.OTHER, **seen}]
    assert agents(client)[2] == {"org": "globex", "agent": "agent/x", **seen}
