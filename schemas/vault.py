"""Keys of what is private, in a store of their own: an episode has one, and what an agent knows of an entity has one (SPEC 8.3).

Claims and episodes stand sealed on topics, in tables and in backups of both. Once their key is destroyed nobody reads them again,
wherever a copy is. Texts are compressed (zlib, RFC 1950), sealed by AES-SIV (RFC 5297), which gives the same for the same, so that a record
that is sent again is the same record, bound to the place that it stands in, and written as base64url.

The store is an SQLite file that processes of one machine share. A key is on disk before anything that it sealed is sent.
"""

import base64
import binascii
import os
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

KEY_BYTES = 32
"""AES-SIV with two keys of 128 bits."""
BUSY_SECONDS = 30.0
_TABLES = """
CREATE TABLE IF NOT EXISTS keys (name TEXT PRIMARY KEY, received INTEGER NOT NULL, key BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS met (org TEXT, entity TEXT, name TEXT, PRIMARY KEY (org, entity, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS destroyed (org TEXT, entity TEXT, at INTEGER, keys INTEGER, PRIMARY KEY (org, entity, at)) WITHOUT ROWID;
"""

_OVERTAKEN = """DELETE FROM keys WHERE name = ? AND EXISTS (
    SELECT 1 FROM met JOIN destroyed ON destroyed.org = met.org AND destroyed.entity = met.entity
    WHERE met.name = keys.name AND destroyed.at >= keys.received)"""
"""A key of what was sent before an erasure that came first."""


class KeysTaken(Exception):
    """Another process made a key of the same name at the same moment: seal again, with its."""


def of_episode(org: str, agent: str, run_id: str) -> str:
    """Name of an episode's key."""
    return "\0".join(("episode", org, agent, run_id))


def of_claims(org: str, agent: str, entity: str) -> str:
    """Name of the key of an agent's claims about an entity (its keyed hash)."""
    return "\0".join(("claims", org, agent, entity))


@dataclass(slots=True)
class _Fresh:
    """Keys that were made and are not on disk yet, with the entities that they go with."""

    keys: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    met: list[tuple[str, str, str]] = field(default_factory=list)


class Vault:
    """A key store at a path, which is made where it is missing. Raises sqlite3.Error where it can't be read or written."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        self._db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        # What is deleted is overwritten; what is committed is on disk.
        self._db.executescript(f"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; {_TABLES}")
        self._fresh = _Fresh()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def seal(self, name: str, place: str, text: str, org: str, entities: Sequence[str], received: int) -> str:
        """A text sealed with the key of that name, which is made where there is none; `commit` before it is sent.

        `entities`: keyed hashes of those whose erasure destroys the key; `received`: when what it is of came, in milliseconds since 1970.
        Where one of them was erased after that, the commit keeps the key nowhere.
        """
        key = self._key(name)
        if key is None:
            key = os.urandom(KEY_BYTES)
            self._fresh.keys[name] = received, key
        if name in self._fresh.keys:
            self._fresh.met += [(org, entity, name) for entity in entities]
        sealed = AESSIV(key).encrypt(zlib.compress(text.encode("utf-8", "surrogatepass"), 1), [place.encode()])
        return base64.urlsafe_b64encode(sealed).decode()

    def open(self, name: str, place: str, sealed: str) -> str | None:
        """What was sealed; None where its key is gone, or it is another's."""
        key = self._key(name)
        if key is None:
            return None
        try:
            plain = AESSIV(key).decrypt(base64.urlsafe_b64decode(sealed), [place.encode()])
            return zlib.decompress(plain).decode("utf-8", "surrogatepass")
        except (InvalidTag, ValueError, binascii.Error, zlib.error):
            return None

    def commit(self) -> None:
        """Put the keys that were made on disk. Raises KeysTaken where others of their names are there by now: none was kept."""
        fresh, self._fresh = self._fresh, _Fresh()
        if not fresh.keys:
            return
        self._db.execute("BEGIN IMMEDIATE")
        try:
            rows = [(name, received, key) for name, (received, key) in fresh.keys.items()]
            taken = len(rows) - self._db.executemany("INSERT OR IGNORE INTO keys VALUES (?, ?, ?)", rows).rowcount
            self._db.executemany("INSERT OR IGNORE INTO met VALUES (?, ?, ?)", fresh.met)
            if self._db.execute("SELECT 1 FROM destroyed LIMIT 1").fetchone():
                self._db.executemany(_OVERTAKEN, [(name,) for name in fresh.keys])
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("ROLLBACK" if taken else "COMMIT")
        if taken:
            raise KeysTaken

    def forget(self) -> None:
        """Drop the keys that were made since the last commit: what they sealed is not sent."""
        self._fresh = _Fresh()

    def destroy(self, org: str, entity: str, at: int) -> int:
        """Destroy the keys of what was met of an entity before a time (milliseconds since 1970); how many there were.

        Done again for the same time it tells the same.
        """
        self.commit()
        self._db.execute("BEGIN IMMEDIATE")
        try:
            names = "SELECT name FROM met WHERE org = ? AND entity = ?"
            gone = self._db.execute(f"DELETE FROM keys WHERE received <= ? AND name IN ({names})", (at, org, entity)).rowcount
            self._db.execute("DELETE FROM met WHERE org = ? AND entity = ? AND name NOT IN (SELECT name FROM keys)", (org, entity))
            self._db.execute("INSERT OR IGNORE INTO destroyed VALUES (?, ?, ?, ?)", (org, entity, at, gone))
            told = self._db.execute("SELECT keys FROM destroyed WHERE org = ? AND entity = ? AND at = ?", (org, entity, at)).fetchone()
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the log beside the file holds them until then
        return int(told[0])

    def _key(self, name: str) -> bytes | None:
        if name in self._fresh.keys:
            return self._fresh.keys[name][1]
        found = self._db.execute("SELECT key FROM keys WHERE name = ?", (name,)).fetchone()
        return found[0] if found else None
