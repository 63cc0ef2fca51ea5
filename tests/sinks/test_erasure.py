"""Erased is gone from every table, whatever arrives when (SPEC 8.3, 8.4)."""

import itertools
from datetime import timedelta

import pytest
from clickhouse_connect.driver.client import Client

from sinks import erasure
from sinks.writer import Writer
from tests.sinks import records as r

NAME = "Ann Lee of Fairview"
ANN, BOB = r.IDS.entity(NAME), r.IDS.entity("Bob Ray")
ID = "erasures:0:4"


OF_ANN = (
    r.episode("r-ann", entities=(ANN,), exit_status=f"told {NAME}"),
    r.claim(entity=NAME, entity_id=ANN, value=f'"{NAME} pays by invoice"'),
    r.finding("r-ann", field=f"steps[0] of {NAME}"),
    r.outcome("o-ann", 3, (r.credit(r.learning()),), run_id="r-ann", scorer=NAME),
    r.dead_letter(9, org=r.ORG, excerpt=f"what {NAME} said", entities=(ANN,)),
)
OF_OTHERS = (
    r.learning(),
    r.episode("r-bob", entities=(BOB,)),
    r.claim(claim_id="cd" * 16, entity="Bob Ray", entity_id=BOB),
    r.finding("r-bob", source=r.source(5)),
    r.outcome("o-bob", 4, (r.credit(r.learning()),), run_id="r-bob"),
    r.dead_letter(10, org=r.ORG, excerpt="what Bob said", entities=(BOB,)),
)
KEPT = {"episodes": 1, "claims": 1, "findings": 1, "outcomes": 1, "credits": 1, "dead_letters": 2, "learnings": 1}


def holding(client: Client, text: str) -> set[str]:
    """Every table and view of the database that holds a text anywhere in its rows."""
    names = [row[0] for row in client.query("SELECT name FROM system.tables WHERE database = currentDatabase()").result_rows]
    rows = {n: client.query(f"SELECT count() FROM `{n}` WHERE position(toString(tuple(*)), {{t:String}}) > 0", {"t": text}) for n in names}
    return {name for name, found in rows.items() if found.result_rows[0][0]}


def counts(client: Client) -> dict[str, int]:
    return {table: client.query(f"SELECT count() FROM {table} FINAL").result_rows[0][0] for table in KEPT}


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))], ids=str)
def test_it_is_in_no_table_and_no_view_in_whatever_order_it_arrives(writer: Writer, client: Client, order: tuple[int, ...]) -> None:
    """SPEC 8.4: one walk over all tables and views; what the sink reads after the erasure, being behind, goes too."""
    parts = (OF_ANN, OF_OTHERS, (r.erased(entity=ANN),))
    for n in order:
        assert writer.write(r.messages(*parts[n], first_offset=100 * n)) == []
    assert holding(client, NAME) == set()
    assert holding(client, "r-ann") <= {"erased_runs"}
    assert counts(client) == KEPT


def test_all_of_it_was_there_before(writer: Writer, client: Client) -> None:
    """The walk can fail: every kind of table was found to hold the name."""
    writer.write(r.messages(*OF_ANN))
    assert holding(client, NAME) >= {"episodes", "claims", "findings", "outcomes", "dead_letters", "v_runs", "v_findings", "v_dead_letters"}


def test_what_came_later_stays(writer: Writer, client: Client) -> None:
    """SPEC 8.3: an erasure is of what was received before it."""
    writer.write(r.messages(r.erased(entity=ANN)))
    writer.write(r.messages(r.episode("r-new", entities=(ANN,), received_at=r.minutes(61)), first_offset=10))
    assert client.query("SELECT run_id FROM episodes").result_rows == [("r-new",)]


def test_another_organisations_stay(writer: Writer, client: Client) -> None:
    """SPEC 8.3: a stand-in is an organisation's own, and so is what it erases."""
    writer.write(r.messages(r.episode("r-1", org="globex", entities=(ANN,)), r.claim(org="globex", entity_id=ANN), r.erased(entity=ANN)))
    assert (counts(client)["episodes"], counts(client)["claims"]) == (1, 1)


def test_the_receipt_sums_the_partitions_and_says_what_was_not_reached(writer: Writer, client: Client) -> None:
    """SPEC 8.3: done once every partition has told; the journal's entries are its signatures; it can be asked for again."""
    entry = r.journal_entry(chain="restricted", decision="entity_erased", subject=ID)
    writer.write(r.messages(r.erased(0), entry))
    first = erasure.receipt(client, r.ORG, ID, 2)
    assert first is not None
    assert (first["done"], first["erased"]["episodes"]) == (False, 1)
    writer.write(r.messages(r.erased(1, episodes=0, claims=2), first_offset=50))
    for _ in range(2):
        found = erasure.receipt(client, r.ORG, ID, 2)
        assert found is not None
        assert (found["done"], found["requested_by"]) == (True, "person/mina")
        assert found["erased"] == {"episodes": 1, "claims": 3, "outcomes": 2, "waiting": 0, "learnings": 2, "credits": 0}
        assert [(e["decision"], e["signature"]) for e in found["journal"]] == [("entity_erased", entry.signature)]
        assert found["not_reached"][0]["until"] == r.minutes(60) + timedelta(days=7)
    assert erasure.receipt(client, r.ORG, "erasures:0:5", 2) is None
    assert erasure.receipt(client, "globex", ID, 2) is None
