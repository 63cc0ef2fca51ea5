"""What is not yet sent: a queue in SQLite, in memory or in a file that outlives the process."""

import sqlite3
import threading
from dataclasses import dataclass
from os import PathLike, fspath


@dataclass(frozen=True, slots=True)
class Item:
    """A record to be sent: to which topic, its own id, the key of all its tries, and its JSON."""

    topic: str
    id: str
    key: str
    body: bytes
    number: int = 0


class InUse(RuntimeError):
    """The file of a buffer belongs to another process, or to another client of this one."""


class Buffer:
    """At most `limit` bytes of records, the oldest first. A file is safe to kill: what `put` has taken is there when it is opened again."""

    def __init__(self, path: str | PathLike[str] | None, limit: int) -> None:
        self.lasting = path is not None
        self._limit = limit
        self._lock = threading.Lock()
        self._taken: set[int] = set()
        self._db = sqlite3.connect(
            fspath(path) if path is not None else ":memory:", timeout=0, check_same_thread=False, isolation_level=None
        )
        try:
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("BEGIN EXCLUSIVE")
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS items"
                " (number INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, body BLOB NOT NULL)"
            )
            self._db.execute("COMMIT")
            self._bytes: int = self._db.execute("SELECT coalesce(sum(length(body)), 0) FROM items").fetchone()[0]
            self._count: int = self._db.execute("SELECT count(*) FROM items").fetchone()[0]
        except sqlite3.OperationalError as error:
            self._db.close()
            if "locked" in str(error):
                raise InUse(f"{path} belongs to another client: give each a buffer of its own") from error
            raise

    def __len__(self) -> int:
        """How many are not yet sent."""
        return self._count

    def put(self, item: Item) -> Item | None:
        """Keep a record, and give it its number; None where there is no room for it."""
        with self._lock:
            if self._bytes + len(item.body) > self._limit:
                return None
            placed = self._db.execute(
                "INSERT INTO items (topic, id, key, body) VALUES (?, ?, ?, ?)", (item.topic, item.id, item.key, item.body)
            )
            self._bytes += len(item.body)
            self._count += 1
            assert placed.lastrowid is not None
            return Item(item.topic, item.id, item.key, item.body, placed.lastrowid)

    def take(self) -> Item | None:
        """The oldest record that nobody has taken."""
        with self._lock:
            # Few are taken at a time, and they are among the oldest.
            rows = self._db.execute("SELECT topic, id, key, body, number FROM items ORDER BY number LIMIT ?", (len(self._taken) + 1,))
            for row in rows:
                if row[4] not in self._taken:
                    self._taken.add(row[4])
                    return Item(*row)
        return None

    def back(self, item: Item) -> None:
        """It was not sent: it can be taken again."""
        with self._lock:
            self._taken.discard(item.number)

    def done(self, item: Item) -> None:
        """It was sent, or never will be."""
        with self._lock:
            self._db.execute("DELETE FROM items WHERE number = ?", (item.number,))
            self._taken.discard(item.number)
            self._bytes -= len(item.body)
            self._count -= 1

    def left(self) -> list[tuple[int, str, str]]:
        """Number, topic and id of each record that is not yet sent."""
        with self._lock:
            return list(self._db.execute("SELECT number, topic, id FROM items ORDER BY number"))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._db.close()
