"""What the embedded engine may be asked from outside (DESIGN, "Who sees what in ClickHouse"): its own tables, and nothing beside them."""

from pathlib import Path

import pytest
from clickhouse_connect.driver.client import Client

from sinks.front import Front
from tests.sinks.asking import asked, get


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM file('{}', 'LineAsString')",
        "SELECT file('{}')",
        "SELECT `file`('{}')",
        "WITH (SELECT file('{}')) AS x SELECT x",
        "SELECT * FROM (SELECT * FROM file('{}', 'LineAsString'))",
        "SELECT 1 IN file('{}', 'LineAsString')",
        "SELECT * FROM view(SELECT * FROM file('{}', 'LineAsString'))",
        "SELECT arrayMap(x -> file(x), ['{}'])",
        "SELECT '{}' AS a, * REPLACE (file(a) AS a) FROM (SELECT a)",
        "SELECT * APPLY file FROM (SELECT '{}')",
        "SELECT * APPLY (file) FROM (SELECT '{}')",
        "SELECT * APPLY (x -> file(x)) FROM (SELECT '{}')",
        "DESCRIBE TABLE file('{}')",
        "DESCRIBE file('{}', 'CSVWithNames')",
        "EXPLAIN SELECT * FROM file('{}')",
        "EXPLAIN TABLE OVERRIDE mysql('127.0.0.1:1', 'a', 'b', 'c', 'd') PARTITION BY '{}'",
        "SHOW COLUMNS FROM learnings WHERE file('{}') != ''",
        "SHOW TABLES WHERE file('{}') != ''",
        "SELECT * FROM default.`{}`",
        "SELECT ('a', 'b') IN default.`{}`",
        "DESCRIBE default.`{}`",
        "SELECT 1 SETTINGS additional_result_filter = 'file(\\'{}\\') != \\'\\''",
        "SELECT * FROM learnings SETTINGS additional_table_filters = {{'learnings': 'file(\\'{}\\') != 1'}}",
        "SELECT 1 FORMAT Template SETTINGS format_template_row = '{}'",
        "SELECT 1 SETTINGS max_threads = 1, format_schema = '{}' FORMAT Protobuf",
        "SELECT * FROM merge('default', '.*{}')",
        "SELECT * FROM url('file://{}', 'LineAsString')",
        "SELECT * FROM url('http://127.0.0.1:1/{}')",
        "SELECT * FROM s3('http://127.0.0.1:1/{}')",
        "SELECT * FROM remote('127.0.0.1:1', 'a', '{}')",
        "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', '{}')",
        "SELECT * FROM executable('cat {}', 'LineAsString', 'a String')",
        "SELECT * FROM python('{}')",
        "SELECT * FROM sqlite('{}', 'a')",
        "SELECT * FROM filesystem('{}')",
        "SELECT aiGenerate('{}')",
        "SELECT sleep(3), '{}'",
        "SELECT 1 PARALLEL WITH SELECT file('{}')",
    ],
)
def test_nothing_beside_its_tables_is_read_through_it(front: Front, client: Client, migrated: str, tmp_path: Path, sql: str) -> None:
    """DESIGN, "Who sees what in ClickHouse": neither files nor addresses nor programs, whatever the token."""
    (tmp_path / "key").write_text("swordfish,x\n")
    for more in ({}, {"database": "default"}):
        status, text, _ = get(front, asked(sql.format(tmp_path / "key"), **{"database": migrated, **more}))
        assert (status, "swordfish" in text) == (403, False), text


def test_a_server_s_default_database_is_tidegate_s(front: Front, client: Client, tmp_path: Path) -> None:
    """The engine calls the machine's files its default database; tools ask for a server's default by that name."""
    (tmp_path / "key").write_text("swordfish,x\n")
    assert get(front, asked("SELECT currentDatabase()", database="default"))[1] == "tidegate\n"
    for sql in (f"SELECT * FROM `{tmp_path}/key`", f"SELECT * FROM '{tmp_path}/key'"):
        assert "swordfish" not in get(front, asked(sql, database="default"))[1]
    assert (
        "swordfish" not in get(front, asked("SELECT * FROM {d:Identifier}.{t:Identifier}", param_d="default", param_t=f"{tmp_path}/key"))[1]
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT countIf(applied > 0), uniqExactIf(agent, 1), quantileTDigestIf(0.5)(confidence, 1), COUNT(DISTINCT agent) FROM learnings",
        "SELECT sumMergeState(s) FROM (SELECT sumState(1) AS s)",
        "SELECT toStartOfMonth(at) AS m, row_number() OVER (PARTITION BY org ORDER BY at) FROM learnings QUALIFY m > '2020-01-01'",
        "SELECT CASE kind WHEN 'memory' THEN 1 ELSE 2 END, if(version > 1, 'a', 'b'), version::String, tools[1] FROM learnings",
        "SELECT arrayMap(x -> upper(x), tools), arrayStringConcat(tools, ', ') FROM learnings ARRAY JOIN gate AS g",
        "SELECT * EXCEPT (rule) APPLY toString FROM learnings",
        "SELECT * APPLY (toString) FROM learnings",
        "SELECT g.1, g.2 FROM learnings ARRAY JOIN gate AS g WHERE (org, agent) IN (SELECT org, agent FROM learnings)",
        "WITH x AS (SELECT 1 AS a) SELECT a FROM x UNION ALL SELECT number FROM numbers(3) SETTINGS max_threads = 1, join_use_nulls = 1",
        "SELECT * FROM VALUES('a Int8', 1, 2)",
        "SELECT formatReadableSize(bytes_on_disk), name FROM system.parts",
        "SELECT grouping(org), org FROM learnings GROUP BY org WITH ROLLUP",
        "SELECT now() - INTERVAL 1 DAY, DATE '2026-01-01', extract(rule, 'a+'), rule LIKE 'a%', EXISTS (SELECT 1) FROM learnings",
        "DESCRIBE TABLE learnings",
        "SHOW TABLES LIKE 'v_%'",
        "SHOW COLUMNS FROM learnings",
        "SHOW CREATE TABLE learnings",
        "EXISTS learnings",
        "EXPLAIN indexes = 1 SELECT * FROM learnings",
        "EXPLAIN SYNTAX SELECT 1",
    ],
)
def test_what_analysts_write_is_answered(front: Front, client: Client, migrated: str, sql: str) -> None:
    status, text, _ = get(front, asked(sql, database=migrated))
    assert status == 200, text


@pytest.mark.parametrize(
    "more", [{"dialect": "prql"}, {"format_schema": "/x"}, {"additional_result_filter": "0"}, {"url_base": "http://x"}]
)
def test_settings_that_say_where_or_how_to_read_are_refused(front: Front, engine: Client, more: dict[str, str]) -> None:
    assert get(front, asked("SELECT 1", **more))[0] == 400
