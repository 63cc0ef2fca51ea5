"""Numbered migrations, forwards and back: migrations/NNNN_name.sql, whose part behind the line "-- back" undoes the part before it."""

import re
from dataclasses import dataclass
from pathlib import Path

from clickhouse_connect.driver.client import Client

HERE = Path(__file__).parent / "migrations"
_APPLIED = """CREATE TABLE IF NOT EXISTS migrations
(version UInt32, name String, applied Bool, at DateTime64(6, 'UTC') DEFAULT now64(6))
ENGINE = ReplacingMergeTree(at) ORDER BY version"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered change: statements that make it, statements that undo it."""

    version: int
    name: str
    forwards: tuple[str, ...]
    back: tuple[str, ...]


def migrations() -> list[Migration]:
    """All migrations, by number."""
    return [_read(path) for path in sorted(HERE.glob("[0-9]*.sql"))]


def applied(client: Client) -> set[int]:
    """Numbers of the migrations that stand."""
    client.command(_APPLIED)
    return {row[0] for row in client.query("SELECT version FROM migrations FINAL WHERE applied").result_rows}


def forwards(client: Client) -> list[Migration]:
    """Apply what does not stand yet, and return it. Each statement may be repeated, so a crash half way is mended by the next start."""
    done = applied(client)
    todo = [m for m in migrations() if m.version not in done]
    for migration in todo:
        _run(client, migration, migration.forwards, stands=True)
    return todo


def back(client: Client, to: int) -> list[Migration]:
    """Undo, newest first, what has a higher number than `to`, and return it."""
    done = applied(client)
    todo = [m for m in reversed(migrations()) if m.version in done and m.version > to]
    for migration in todo:
        _run(client, migration, migration.back, stands=False)
    return todo


def _run(client: Client, migration: Migration, statements: tuple[str, ...], *, stands: bool) -> None:
    for statement in statements:
        client.command(statement)
    client.insert("migrations", [[migration.version, migration.name, stands]], column_names=["version", "name", "applied"])


def _read(path: Path) -> Migration:
    number, _, name = path.stem.partition("_")
    ahead, marker, behind = path.read_text().partition("\n-- back\n")
    if not marker:
        raise ValueError(f"{path}: no line '-- back'")
    return Migration(int(number), name, _statements(ahead), _statements(behind))


def _statements(sql: str) -> tuple[str, ...]:
    bare = re.sub(r"^--.*$", "", sql, flags=re.MULTILINE)
    return tuple(s.strip() for s in bare.split(";\n") if s.strip())
