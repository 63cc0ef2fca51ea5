"""The journal read, from where it stands or from a file, written down, and verified (docs/journal.md)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any, get_type_hints

from clickhouse_connect.driver.client import Client
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from agents.journal.chain import is_countersigned
from agents.journal.keys import SECOND_GATE, Keys, trusted
from agents.journal.replays import Replays
from agents.journal.second import PROVISIONAL
from agents.journal.verify import Verdict, Verifier
from pipelines.admin import Layout
from pipelines.lines import numbered, open_input
from pipelines.meta import ClientConfig
from pipelines.reading import to_the_end
from pipelines.seals import ChainName, Seals, reader, seals
from schemas.codec import decode
from schemas.partition import log_hash, partition_of
from schemas.problem import Problem
from schemas.records import JournalCheckpoint, JournalCountersignature, JournalEntry, JournalKey
from sinks import journal as table

_FIELDS = {f.name for f in fields(JournalEntry)}
_TYPES: Mapping[Any, tuple[type, ...]] = {str: (str,), int: (int,), datetime: (datetime,), str | None: (str, type(None))}
"""What a field of a record may hold; all others hold texts by name."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What stands where an entry should and is none, in the chain of what came before it."""


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal, once through. Seals may come to be known only while the entries are read."""

    entries: Iterator[JournalEntry | Unreadable]
    seals: Seals = field(default_factory=Seals)


@dataclass(frozen=True, slots=True)
class Verified:
    """What a chain's verification came to, and how many of its promotions a second gate signed."""

    verdict: Verdict
    countersigned: int


def from_kafka(config: ClientConfig, layout: Layout, org: str | None, chain: str | None) -> Journal:
    """The journal on its topic; what a crash put there twice is there once. Raises KafkaException."""
    every = list(range(layout.partitions))
    partitions = [partition_of(log_hash(org), layout.partitions)] if org else every

    def entries() -> Iterator[JournalEntry | Unreadable]:
        known = Replays()
        for message in to_the_end(config, layout.prefix + "journal", partitions, reader(layout)):
            record = decode(message.value())
            if not isinstance(record, JournalEntry):
                yield Unreadable()
            elif _asked(record, org, chain) and not known.again(record):
                yield record

    return Journal(entries(), seals(config, layout))


def from_clickhouse(client: Client, org: str | None, chain: str | None) -> Journal:
    """The journal in ClickHouse. Raises what clickhouse-connect raises."""
    found = Seals()
    for seal in (*table.keys(client), *table.countersignatures(client, org, chain)):
        found.add(seal)
    return Journal(table.entries(client, org, chain), found)


def from_file(path: str, org: str | None, chain: str | None) -> Journal:
    """The journal as `as_line` wrote it, one entry a line. Raises SettingsError where the file can't be opened."""
    found = Seals()

    def entries() -> Iterator[JournalEntry | Unreadable]:
        with open_input(path) as source:
            for _, text in numbered(source):
                entry = Unreadable() if isinstance(text, Problem) else _of_line(text, found)
                if isinstance(entry, Unreadable) or _asked(entry, org, chain):
                    yield entry

    return Journal(entries(), found)


def _asked(entry: JournalEntry, org: str | None, chain: str | None) -> bool:
    return org in (None, entry.org) and chain in (None, entry.chain)


def as_line(entry: JournalEntry, known: Seals) -> dict[str, Any]:
    """An entry as a JSON object that says all that verifies it: the public key beside its id, and what second gates signed."""
    keys = {record.key: record for record in known.keys}
    signed = known.countersignatures.get((entry.org, entry.chain, entry.sequence), [])
    return {
        **as_json(entry),
        "signed_by": as_json(keys[entry.key]) if entry.key in keys else None,
        "countersignatures": [{**as_json(c), "signed_by": as_json(keys[c.key])} for c in signed if c.key in keys],
    }


def as_json(record: Any) -> dict[str, Any]:
    """A record as a JSON object, with its time as RFC 3339 in UTC with milliseconds."""
    return {**asdict(record), "at": record.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")}


def _of_line(text: bytes, known: Seals) -> JournalEntry | Unreadable:
    try:
        line = json.loads(text)
        entry: JournalEntry = _typed(JournalEntry, {name: value for name, value in line.items() if name in _FIELDS})
        if line.get("signed_by"):
            known.add(_typed(JournalKey, line["signed_by"]))
        for signed in line.get("countersignatures", ()):
            known.add(_typed(JournalKey, signed.pop("signed_by")))
            known.add(_typed(JournalCountersignature, signed))
    except (ValueError, TypeError, KeyError, AttributeError):
        return Unreadable()
    return entry


def _typed(kind: type[Any], value: Mapping[str, Any]) -> Any:
    """A record out of JSON. Raises ValueError, TypeError or KeyError where it is none."""
    record = kind(**{**value, "at": datetime.fromisoformat(value["at"])})
    if record.at.tzinfo is None:
        raise ValueError("at")
    for name, hint in get_type_hints(kind).items():
        found = getattr(record, name)
        if type(found) not in _TYPES.get(hint, (dict,)):
            raise TypeError(name)
        if type(found) is dict and not all(type(text) is str for pair in found.items() for text in pair):
            raise TypeError(name)
    json.dumps(asdict(replace(record, at=None)), ensure_ascii=False).encode()  # a lone surrogate is no text
    return record


def checkpoints(path: str) -> dict[ChainName, JournalCheckpoint]:
    """Checkpoints as `tidegate journal checkpoint --json` wrote them. Raises ValueError where a line is none."""
    found = {}
    with open_input(path) as source:
        for number, text in numbered(source):
            try:
                if isinstance(text, Problem):
                    raise ValueError(text.detail)
                point: JournalCheckpoint = _typed(JournalCheckpoint, json.loads(text))
            except (ValueError, TypeError, KeyError) as error:
                raise ValueError(f"{path}:{number}: no checkpoint") from error
            found[point.org, point.chain] = point
    return found


def verify(
    journal: Journal, pinned: Keys | None, against: Mapping[ChainName, JournalCheckpoint], expected: Iterable[ChainName]
) -> dict[ChainName, Verified]:
    """Verify every chain that is there, is `expected`, or has a checkpoint. `pinned`: the keys to be believed; None: what is published."""
    chains: dict[ChainName, _Chain] = {}
    latest: ChainName | None = None

    def chain(name: ChainName) -> _Chain:
        if name not in chains:
            chains[name] = _Chain(name, journal.seals, pinned, against.get(name))
        return chains[name]

    for entry in journal.entries:
        if isinstance(entry, JournalEntry):
            latest = (entry.org, entry.chain)
            chain(latest).take(entry)
        elif latest is not None:
            chain(latest).verifier.unreadable()
        else:
            latest = next(iter(expected), ("", "public"))
            chain(latest).verifier.unreadable()
    for name in (*expected, *against):
        chain(name).refresh()
    return {name: Verified(c.verifier.verdict(), c.countersigned) for name, c in sorted(chains.items())}


class _Chain:
    """A chain while it is verified."""

    def __init__(self, name: ChainName, known: Seals, pinned: Keys | None, against: JournalCheckpoint | None) -> None:
        self._seals, self._pinned = known, pinned
        self._keys: dict[str, Ed25519PublicKey] = {}
        self._gates: dict[str, Ed25519PublicKey] = {}
        self._looked_at = -1
        self.verifier = Verifier(*name, self._keys, against)
        self.countersigned = 0

    def take(self, entry: JournalEntry) -> None:
        """Look at the next entry."""
        self.refresh()
        if self.verifier.take(entry) and entry.decision == PROVISIONAL and self._is_countersigned(entry):
            self.countersigned += 1

    def refresh(self) -> None:
        """Believe what keys have come to be known."""
        if self._looked_at != len(self._seals.keys):
            self._looked_at = len(self._seals.keys)
            self._keys.update(trusted(self._seals.keys, self._pinned))
            self._gates = {k: v for k, v in trusted(self._seals.keys, role=SECOND_GATE).items() if k not in self._keys}

    def _is_countersigned(self, entry: JournalEntry) -> bool:
        signed = self._seals.countersignatures.get((entry.org, entry.chain, entry.sequence), ())
        return any(c.key in self._gates and is_countersigned(entry, c.signature, self._gates[c.key]) for c in signed)
