"""The stranger's table: who sees which rows, of every table and view, and through which names (SPEC 4.4, 7.1, 9.1)."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import chdb
import clickhouse_connect
import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError

from schemas import keys
from schemas.records import ExposedRow, Grant
from sinks import door
from sinks.front import Front
from sinks.processors import processors
from sinks.writer import Writer
from tests.sinks import records as r
from tests.sinks.asking import TOKEN, asked, get

GLOBEX = "globex"
WHOLE = (Grant(role="analyst", space=""),)
PEOPLE: dict[str, dict[str, Any]] = {
    "an agent": {"principal": r.AGENT, "roles": ()},
    "another agent": {"principal": r.OTHER, "roles": ()},
    "an analyst": {"principal": "person/ann", "kind": "person", "roles": WHOLE},
    "an analyst of a space": {"principal": "person/bob", "kind": "person", "roles": (Grant(role="analyst", space="sales"),)},
    "another organisation's analyst": {"principal": "person/eve", "kind": "person", "roles": WHOLE, "org": GLOBEX},
    "another organisation's agent": {"principal": r.AGENT, "roles": (), "org": GLOBEX},
}
SECRET = "Ring the customer's second number before a refund"


def told(org: str, agent: str) -> list[Any]:
    """Something of everything that there is, of one agent."""
    who: dict[str, Any] = {"org": org, "agent": agent}
    mine = r.learning(SECRET, **who, home_space="service", moves=(r.move("o-1", 0.5, 0.6),))
    held = r.learning("Held: do not tell", entry_key="a/held", state="held", **who)
    shared = r.shared(f"Refunds of {org} need a second look", org=org)
    return [
        *(mine, held, shared, r.member(shared, agent), r.counter(mine), r.agent_changed(agent, org=org)),
        r.outcome(f"o-{agent}", credits=(r.credit(mine),), **who),
        *(r.episode(f"r-{agent}", **who), r.claim(**who), r.finding(f"r-{agent}", **who), r.receipt(f"runs:0:{len(org + agent)}", **who)),
        *(r.exposure(ExposedRow(ref="x", own=True, subject=mine.learning_id, rank=1), recall_id=f"q-{agent}", **who),),
        *(r.decision(org=org), r.journal_entry(org=org), r.journal_text(org=org), r.checkpoint(org=org), r.dead_letter(**who)),
    ]


@pytest.fixture
def bearers(client: Client) -> dict[str, str]:
    """Everybody's key, over an engine that holds something of everybody."""
    writer = Writer(client, processors(r.SECRET))
    made = {name: keys.make("agent", r.AT) for name in PEOPLE}
    people = [r.identity(offset=n, keys=(made[name][1],), **of) for n, (name, of) in enumerate(PEOPLE.items())]
    everything = [t for org in (r.ORG, GLOBEX) for agent in (r.AGENT, r.OTHER) for t in told(org, agent)]
    assert writer.write(r.messages(*people, *everything)) == []
    return {name: str(bearer) for name, (bearer, _) in made.items()} | {"the operator": TOKEN}


def names(client: Client, database: str) -> dict[str, bool]:
    """Every table and view, and whether it is a view."""
    rows = client.query(f"SELECT name, engine = 'View' FROM system.tables WHERE database = '{database}'").result_rows
    return {name: bool(view) for name, view in rows}


@pytest.fixture
def as_one(front: Front, bearers: dict[str, str], migrated: str) -> Iterator[Any]:
    """Asks for a handle that asks for somebody, past the front and its list of names."""
    handles = []

    def opened(comment: str | None) -> Any:
        handle: Any = chdb.connect(front.path)  # type: ignore[no-untyped-call]
        handles.append(handle)
        handle.query(f"USE {migrated}")
        if comment is not None:
            handle.query(f"SET log_comment = '{comment}'")
        return handle

    yield opened
    for handle in handles:
        handle.close()


def rows(handle: Any, name: str) -> list[dict[str, Any]]:
    """What a handle reads of a table."""
    return [json.loads(line) for line in str(handle.query(f"SELECT * FROM {name}", "JSONEachRow")).splitlines()]


NOBODYS = {"reading", "pool_arrivals"}
"""Views of constants, and what keeps no rows."""


def test_each_table_has_its_filter(client: Client, migrated: str) -> None:
    """A table that is new is seen by nobody until somebody has said by whom."""
    tables = {name for name, view in names(client, migrated).items() if not view}
    assert set(door.FILTERS) == tables
    assert {name for name, view in names(client, migrated).items() if view} >= door.ORG_VIEWS


def test_rows(as_one: Any, client: Client, migrated: str) -> None:
    """SPEC 7.1, 8.1: of every table and view, claims among them, past the front: no identity, no rows; else the organisation's or
    one's own."""
    for name, view in names(client, migrated).items():
        if name in NOBODYS:
            continue
        assert rows(as_one(None), name) == [], name
        for comment, org, agent in (
            (f"org:{GLOBEX}", GLOBEX, None),
            (f"own:{r.ORG}\\n{r.OTHER}", r.ORG, r.OTHER),
            (f"own:{r.ORG}\\nagent/nobody", r.ORG, "agent/nobody"),
            ("org:nowhere", "nowhere", None),
            (f"own:{r.ORG}\\n", r.ORG, ""),
            (r.ORG, "nobody", None),
            ("org:*", "*", None),
        ):
            for row in rows(as_one(comment), name):
                assert row.get("org", org) == org, (name, comment)
                assert agent is None or row.get("agent", agent) == agent, (name, comment)
                assert agent is None or "agent" in row or view, (name, comment)
        for query in (f"SELECT count() FROM {name}", f"SELECT count() FROM merge('{migrated}', '^{name}$')"):
            assert str(as_one(None).query(query)).strip() == "0", query


@pytest.mark.parametrize("who", [*PEOPLE, "the operator", "a stranger", "nobody"])
def test_names(front: Front, bearers: dict[str, str], client: Client, migrated: str, who: str) -> None:
    """Through the front a key names views alone, and each shows rows of its holder's organisation, or his own."""
    known = {"an agent", "another agent", "an analyst", "another organisation's analyst", "another organisation's agent"}
    headers = {} if who == "nobody" else {"X-ClickHouse-Key": bearers.get(who, f"tg_{'0' * 16}_{'A' * 43}")}
    of = PEOPLE.get(who, {})
    seen = set()
    for name in names(client, migrated):
        status, text, _ = get(
            front, asked(f"SELECT * FROM {name}", database=migrated, default_format="JSONEachRow"), headers=headers or {"X": "y"}
        )
        if who == "the operator":
            assert status == 200
            continue
        views = door.ORG_VIEWS if of.get("roles") else door.OWN_VIEWS
        assert (status == 200) == (who in known and name in views), (name, status)
        if status == 200:
            found = [json.loads(line) for line in text.splitlines()]
            seen |= {name} if found else set()
            assert {row["org"] for row in found} <= {of.get("org", r.ORG)}
            if not of["roles"]:
                assert {row["agent"] for row in found} <= {of["principal"]}
            assert not any("Held:" in str(row) for row in found)
            if of["roles"] and name != "v_pool":
                assert SECRET not in text
            if not of["roles"] and name == "v_learnings":
                assert SECRET in text
    if who in known:
        assert {"v_learnings", "v_outcomes", "v_credits", "v_runs"} <= seen


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM learnings",
        "SELECT count() FROM postings",
        "SELECT * FROM merge('{db}', '^learnings$')",
        "SELECT 1 FROM v_learnings WHERE rule IN (SELECT rule FROM learnings)",
        "SELECT 1 FROM v_learnings WHERE org IN identities",
        "SELECT (SELECT any(rule) FROM learnings)",
        "WITH v_learnings AS (SELECT * FROM learnings) SELECT * FROM v_learnings",
        "SELECT * FROM view(SELECT * FROM learnings)",
        "SELECT * FROM v_learnings UNION ALL SELECT * FROM v_learnings WHERE exists(SELECT 1 FROM claims)",
        "SELECT * FROM v_learnings AS a JOIN learnings AS b ON a.org = b.org",
        "SELECT * FROM v_learnings SETTINGS log_comment = '*'",
        "SELECT * FROM v_dead_letters",
        "SELECT * FROM system.parts",
        "SELECT * FROM system.tables",
        "SELECT * FROM system.processes",
        "SELECT * FROM information_schema.tables",
        "EXPLAIN ESTIMATE SELECT * FROM learnings",
        "EXPLAIN SELECT * FROM v_learnings",
        "DESCRIBE TABLE learnings",
        "SHOW CREATE TABLE v_learnings",
        "EXISTS TABLE learnings",
        "SELECT file('/etc/passwd')",
        "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
        "SELECT * FROM dictionary('x')",
        "SET log_comment = '*'",
        "SELECT 1; SELECT 2",
    ],
)
def test_ways_round(front: Front, bearers: dict[str, str], migrated: str, sql: str) -> None:
    """No way of writing it makes a view of a table, or another of who asks."""
    for who in ("an analyst", "an agent"):
        status, text, _ = get(front, asked(sql.format(db=migrated), database=migrated), headers={"X-ClickHouse-Key": bearers[who]})
        assert status in (400, 403, 500), text
        assert SECRET not in text


def test_the_address_changes_nobody(front: Front, bearers: dict[str, str], migrated: str) -> None:
    for more in ({"log_comment": "*"}, {"readonly": "0", "log_comment": r.ORG}, {"param_log_comment": "*"}):
        query = asked("SELECT DISTINCT org FROM v_runs", database=migrated, **more)
        status, text, _ = get(front, query, headers={"X-ClickHouse-Key": bearers["another organisation's analyst"]})
        assert (status, text) in ((200, f"{GLOBEX}\n"), (400, text))


def test_tools_connect_with_a_key(front: Front, bearers: dict[str, str], migrated: str) -> None:
    """clickhouse-connect and curl, as to a server; the key is the password."""
    key = bearers["an analyst"]
    with clickhouse_connect.get_client(
        host="127.0.0.1", port=front.server_port, username="ann", password=key, database=migrated, autogenerate_session_id=False
    ) as found:
        assert found.query("SELECT DISTINCT org FROM v_learnings").result_rows == [(r.ORG,)]
        assert found.query_df("SELECT agent, count() AS n FROM v_outcomes GROUP BY agent ORDER BY agent")["n"].tolist() == [1, 1]
        with pytest.raises(DatabaseError, match="none that this key may read"):
            found.query("SELECT * FROM learnings")
    command = [
        "curl",
        "-s",
        f"http://127.0.0.1:{front.server_port}/?database={migrated}",
        "-u",
        f"ann:{key}",
        "--data-binary",
        "SELECT count() FROM v_pool",
    ]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "1\n"
