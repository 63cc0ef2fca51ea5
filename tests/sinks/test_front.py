"""The engine's HTTP front: what clients of ClickHouse need of it, and what it refuses."""

import base64
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import clickhouse_connect
import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError

from sinks.ask import Ask
from sinks.client import connect
from sinks.front import Front
from sinks.recall import Recall
from sinks.writer import Writer
from tests.sinks import records as r
from tests.sinks.asking import TOKEN, asked, get


@pytest.fixture
def http(front: Front, client: Client, migrated: str) -> Iterator[Client]:
    """clickhouse-connect over HTTP, in the test's database."""
    with connect(f"http://127.0.0.1:{front.server_port}/{migrated}", TOKEN) as found:
        yield found


def test_ping_needs_no_token(front: Front) -> None:
    assert get(front, "/ping", headers={"X-Nothing": "1"})[:2] == (200, "Ok.\n")


BASIC = base64.b64encode(f"anybody:{TOKEN}".encode()).decode()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X-ClickHouse-Key": TOKEN}, 200),
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
        ({"Authorization": f"Basic {BASIC}"}, 200),
        ({"X-Nothing": "1"}, 401),
        ({"X-ClickHouse-Key": "wrong"}, 403),
        ({"X-ClickHouse-Key": TOKEN[:-1]}, 403),
        ({"Authorization": "Bearer wr\xf6ng"}, 403),
        ({"Authorization": "Basic !!"}, 401),
        ({"Authorization": "Digest x"}, 401),
    ],
)
def test_the_token_opens(front: Front, headers: dict[str, str], status: int) -> None:
    found, text, _ = get(front, asked("SELECT 42"), headers=headers)
    assert (found, text == "42\n") == (status, status == 200)


@pytest.mark.parametrize(
    ("path", "body", "text"),
    [
        (asked("SELECT 1"), None, "1\n"),
        ("/", b"SELECT 2", "2\n"),
        (asked("SELECT"), b"3", "3\n"),
        (asked("SELECT {n:UInt8} + 1", param_n="4"), None, "5\n"),
        (asked("SELECT {s:String}", param_s="a\\nb"), None, "a\\nb\n"),
        (asked("SELECT 1 AS x FORMAT JSONEachRow"), None, '{"x":1}\n'),
        (asked("SELECT 1 AS x", default_format="CSVWithNames"), None, '"x"\n1\n'),
        (asked("SELECT currentDatabase()", database="system"), None, "system\n"),
        (asked("SELECT getSetting('max_threads')", max_threads="3"), None, "3\n"),
        (asked("SELECT 1;"), None, "1\n"),
        (asked("EXISTS TABLE system.one"), None, "1\n"),
        (asked("SELECT count() FROM numbers(10) SETTINGS max_threads = 1"), None, "10\n"),
        (asked("WITH 1 AS x SELECT x -- a note"), None, "1\n"),
        (asked("(SELECT 1) UNION ALL (SELECT 1)"), None, "1\n1\n"),
        (asked("SELECT 'drop table x; into outfile'"), None, "drop table x; into outfile\n"),
        ("/", None, "Ok.\n"),
    ],
)
def test_queries(front: Front, engine: Client, path: str, body: bytes | None, text: str) -> None:
    assert get(front, path, body)[:2] == (200, text)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO t VALUES (1)",
        "CREATE TABLE t (a Int8) ENGINE = Memory",
        "CREATE TEMPORARY TABLE t (a Int8)",
        "DROP DATABASE migrated",
        "ALTER TABLE receipts DELETE WHERE 1",
        "TRUNCATE TABLE receipts",
        "SET max_threads = 1",
        "SET readonly = 0",
        "USE system",
        "KILL QUERY WHERE 1",
        "SYSTEM FLUSH LOGS",
        "GRANT SELECT ON *.* TO x",
        "ATTACH TABLE t",
        "OPTIMIZE TABLE receipts",
        "INSERT INTO FUNCTION file('x') SELECT 1",
        "SELECT 1 INTO OUTFILE 'x'",
        "SELECT 1 INTO/**/OUTFILE 'x' FORMAT CSV",
        "SELECT 1; DROP TABLE receipts",
        "SELECT 1; SELECT 2",
        "EXPLAIN SELECT 1 INTO OUTFILE 'x'",
        "SELECT 1 SETTINGS readonly = 0",
        "/* SELECT */ DROP TABLE receipts",
        "SELECT",
        "",
        "SELECT no_such_function(1)",
        "SELECT * FROM no_such_table",
    ],
)
def test_nothing_is_changed_through_it(front: Front, client: Client, migrated: str, tmp_path: Path, sql: str) -> None:
    """Only the sink writes."""
    tables = client.query("SHOW TABLES").result_rows
    status, text, headers = get(front, asked(sql, database=migrated))
    if sql:
        assert status in (403, 500)
        assert "Code: " in text
        assert headers["X-ClickHouse-Exception-Code"].isdigit()
    assert client.query("SHOW TABLES").result_rows == tables
    assert not Path("x").exists()


@pytest.mark.parametrize("more", [{"readonly": "0"}, {"max_threads": "many"}, {"no_such_setting": "1"}, {"'; DROP": "1"}])
def test_settings_of_the_url(front: Front, engine: Client, more: dict[str, str]) -> None:
    """`readonly` can be asked for, not off; what is no setting is refused."""
    status, text, _ = get(front, asked("SELECT getSetting('readonly')", **more))
    assert (status, text) == (200, "2\n") if "readonly" in more else status in (400, 500)


def test_a_setting_is_seen_by_no_other_request(front: Front, engine: Client) -> None:
    before = get(front, asked("SELECT getSetting('max_threads')"))
    get(front, asked("SELECT 1", max_threads="3", database="system"))
    assert get(front, asked("SELECT getSetting('max_threads')"))[:2] == before[:2]


def test_a_body_that_is_too_large_is_refused(front: Front) -> None:
    assert get(front, "/", headers={"X-ClickHouse-Key": TOKEN, "Content-Length": str(1 << 40)})[0] == 413


def test_other_paths(front: Front) -> None:
    assert get(front, "/play")[0] == 404


def test_clickhouse_connect_reads_as_from_a_server(http: Client, client: Client, writer: Writer) -> None:
    writer.write(r.messages(r.learning(), r.shared(), r.agent_changed(), r.episode()))
    for view in ("v_learnings", "v_pool", "v_runs", "learnings"):
        assert http.query(f"SELECT * FROM {view}").result_rows == client.query(f"SELECT * FROM {view}").result_rows
    assert http.command("SELECT count() FROM learnings") == 1
    with http.raw_stream("SELECT number FROM numbers(200000)", fmt="JSONEachRow", settings={"readonly": 2}) as lines:
        assert sum(1 for _ in lines.read().splitlines()) == 200_000
    with http.query_row_block_stream("SELECT number FROM numbers(200000)") as blocks:
        assert sum(len(block) for block in blocks) == 200_000
    with pytest.raises(DatabaseError) as refused:
        http.insert("receipts", [["x"]], column_names=["id"])
    assert refused.value.code == 164


def test_parameters_too_long_for_an_address_come_as_a_form(http: Client) -> None:
    ids, text = [2**63 + n for n in range(1000)], 'ü "quoted"; name="x"\r\n\r\nand on --'
    sql = "SELECT length({ids:Array(UInt64)}) AS n, {ids:Array(UInt64)}[1000] AS last, {text:String} AS text"
    assert http.query(sql, parameters={"ids": ids, "text": text}).result_rows == [(1000, 2**63 + 999, text)]


def test_recall_works_over_it(http: Client, writer: Writer) -> None:
    writer.write(r.messages(r.learning(), r.agent_changed()))
    answer = Recall(http, r.SECRET).answer(Ask(org=r.ORG, agent=r.AGENT, text="refund status"))
    assert [row["entry_key"] for row in answer.rows] == [r.learning().entry_key]


def test_users_and_passwords(front: Front, engine: Client) -> None:
    """As an analyst's tools connect: the token as the password."""
    with clickhouse_connect.get_client(host="127.0.0.1", port=front.server_port, username="analyst", password=TOKEN) as client:
        assert client.query("SELECT 1").result_rows == [(1,)]


def test_many_at_once(front: Front, client: Client, migrated: str, writer: Writer) -> None:
    """Readers do not wait for the writer, nor mix up each other's answers."""
    wrong: list[str] = []

    def read(number: int) -> None:
        for _ in range(5):
            status, text, _ = get(
                front, asked(f"SELECT {number} AS n, count() >= 0 AS c FROM learnings FORMAT JSONEachRow", database=migrated)
            )
            if status != 200 or json.loads(text) != {"n": number, "c": True}:
                wrong.append(text)

    threads = [threading.Thread(target=read, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for number in range(5):
        writer.write(r.messages(*(r.learning(entry_key=f"a/{number}-{i}") for i in range(50)), first_offset=number * 100))
    for thread in threads:
        thread.join()
    assert wrong == []
    assert client.command("SELECT count() FROM learnings FINAL") == 250


@pytest.mark.parametrize(
    "request_",
    [
        b"GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /?query=%ff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Basic \xc3\xa9\r\nContent-Length: 3\r\n\r\nabc",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \xb2\r\n\r\n",
    ],
)
def test_a_damaged_request_is_answered_and_logged_nowhere(front: Front, request_: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_connection(("127.0.0.1", front.server_port), timeout=10) as peer:
        peer.sendall(request_)
        assert peer.recv(100).startswith(b"HTTP/1.1 4")
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("form", ["TSV", "JSON"])
@pytest.mark.parametrize("sql", ["SELECT groupArray(number) FROM numbers(100000000000)"])
def test_a_query_that_wants_all_memory_is_ended_and_the_rest_goes_on(front: Front, sql: str, form: str) -> None:
    """The sink shares the process."""
    status, text, _ = get(front, asked(sql, default_format=form, max_memory_usage="50000000"))
    assert (status, "MEMORY_LIMIT_EXCEEDED" in text) == (500, True)
    _, limits, _ = get(front, asked("SELECT toUInt64(getSetting('max_memory_usage')) > 0, toUInt64(getSetting('max_execution_time')) > 0"))
    assert limits == "1\t1\n"
