"""Migrations go forwards and back, and may be repeated."""

from clickhouse_connect.driver.client import Client

from sinks import migrate


def _tables(client: Client) -> set[str]:
    return {row[0] for row in client.query("SHOW TABLES").result_rows}


def test_forwards_back_forwards(empty: Client) -> None:
    numbers = [m.version for m in migrate.migrations()]
    assert numbers == sorted(set(numbers))

    assert [m.version for m in migrate.forwards(empty)] == numbers
    there = _tables(empty)
    assert migrate.forwards(empty) == []

    assert [m.version for m in migrate.back(empty, 0)] == numbers[::-1]
    assert _tables(empty) == {"migrations"}
    assert migrate.back(empty, 0) == []

    assert [m.version for m in migrate.forwards(empty)] == numbers
    assert _tables(empty) == there


def test_back_to_a_number(empty: Client) -> None:
    migrate.forwards(empty)
    migrate.back(empty, 2)
    assert migrate.applied(empty) == {1, 2}
    assert "v_pool" not in _tables(empty)


def test_a_crash_half_way_is_mended_by_the_next_start(empty: Client) -> None:
    first = migrate.migrations()[0]
    for statement in first.forwards[:2]:
        empty.command(statement)
    migrate.forwards(empty)
    assert first.version in migrate.applied(empty)


def test_every_table_is_undone_by_name() -> None:
    """What a migration makes, its way back drops, in the opposite order, before or after it brings back what was there."""
    for migration in migrate.migrations():
        made = [_name(s) for s in migration.forwards if s.startswith("CREATE") or "ADD COLUMN" in s]
        dropped = [name for s in migration.back if not s.startswith("INSERT") and (name := _name(s)) in made]
        assert dropped == made[::-1], migration.name


def _name(statement: str) -> str:
    words = statement.split("(")[0].split()
    return words[words.index("EXISTS") + 1].rstrip(",") if "EXISTS" in words else words[words.index("VIEW") + 1]
