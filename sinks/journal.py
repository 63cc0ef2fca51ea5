"""The journal as ClickHouse has it: the same records that stand on the topics."""

from collections.abc import Iterator
from typing import Any

from clickhouse_connect.driver.client import Client

from schemas.records import JournalCountersignature, JournalEntry, JournalKey, JournalText

_ENTRY = "org, chain, sequence, previous, decision_id, actor, decision, subject, reason, figures, commitments, at, key, signature"
_WHERE = "({org:String} = '' OR org = {org:String}) AND ({chain:String} = '' OR chain = {chain:String})"
_ENTRIES = f"SELECT {_ENTRY} FROM journal FINAL WHERE {_WHERE} ORDER BY org, chain, sequence"
_NEWEST = f"""SELECT {_ENTRY} FROM
(SELECT * FROM journal FINAL WHERE {_WHERE} ORDER BY at DESC, sequence DESC LIMIT {{n:UInt32}}) ORDER BY at, sequence"""
_ONE = f"SELECT {_ENTRY} FROM journal FINAL WHERE org = {{org:String}} AND chain = {{chain:String}} AND sequence = {{n:UInt64}}"
_TEXTS = """SELECT org, chain, sequence, name, text, salt, at FROM journal_texts FINAL
WHERE org = {org:String} AND chain = {chain:String} AND sequence = {n:UInt64} AND NOT erased ORDER BY name"""
_KEYS = """SELECT key, public, role, nullIf(endorsed_by, '') AS endorsed_by, nullIf(endorsement, '') AS endorsement, at
FROM journal_keys FINAL ORDER BY at"""
_COUNTERSIGNATURES = f"SELECT org, chain, sequence, subject, key, signature, at FROM journal_countersignatures FINAL WHERE {_WHERE}"


def entries(client: Client, org: str | None, chain: str | None) -> Iterator[JournalEntry]:
    """Entries of one organisation and chain, or of all: each chain in order."""
    with client.query_rows_stream(_ENTRIES, parameters={"org": org or "", "chain": chain or ""}) as stream:
        for row in stream:
            yield JournalEntry(**dict(zip(_ENTRY.split(", "), row, strict=True)))


def newest(client: Client, org: str | None, chain: str | None, number: int) -> list[JournalEntry]:
    """The newest so many entries, oldest of them first."""
    return [JournalEntry(**row) for row in _rows(client, _NEWEST, org=org or "", chain=chain or "", n=number)]


def entry(client: Client, org: str, chain: str, sequence: int) -> JournalEntry | None:
    """One entry; None where the chain has none with this sequence."""
    return next((JournalEntry(**row) for row in _rows(client, _ONE, org=org, chain=chain, n=sequence)), None)


def texts(client: Client, org: str, chain: str, sequence: int) -> list[JournalText]:
    """The texts that an entry commits to and that are not erased."""
    return [JournalText(**row) for row in _rows(client, _TEXTS, org=org, chain=chain, n=sequence)]


def keys(client: Client) -> list[JournalKey]:
    """Every published key, oldest first."""
    return [JournalKey(**row) for row in _rows(client, _KEYS)]


def countersignatures(client: Client, org: str | None, chain: str | None) -> list[JournalCountersignature]:
    """What second gates signed."""
    return [JournalCountersignature(**row) for row in _rows(client, _COUNTERSIGNATURES, org=org or "", chain=chain or "")]


def _rows(client: Client, sql: str, **given: Any) -> Iterator[dict[str, Any]]:
    return client.query(sql, parameters=given).named_results()
