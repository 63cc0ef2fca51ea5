"""Rows of pools by their posting ids, as migration 0019 packs them: what recall ranked is looked up in one column."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
from clickhouse_connect.driver.client import Client

SHOWN = """wording, rule, value, tools, memory_type, kind, space, confidence, evidence_status, trust, applied, helpful,
    success_count, failure_count, state, contradicts, at"""
_PACKED = ("subject", "crossing", "visibility", *SHOWN.replace(",", " ").split())
_SETTINGS = "SETTINGS max_threads = 1, use_query_condition_cache = 0"
_ROWS = f"""SELECT id, revision, row FROM pool_rows
WHERE org = {{org:String}} AND space IN {{spaces:Array(String)}} AND id IN {{ids:Array(UInt64)}} {_SETTINGS}"""
_BROUGHT = f"""SELECT shared_id FROM pool_members FINAL
WHERE org = {{org:String}} AND member = {{member:String}} AND role IN ('donor', 'corroborator') {_SETTINGS}"""


def read(client: Client, given: Mapping[str, Any], ids: Sequence[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Posting id and row of each that is shown. `given`: `org` and `spaces`."""
    newest: dict[int, tuple[int, str]] = {}
    for key, revision, packed in client.query(_ROWS, parameters={**given, "ids": ids}).result_rows:
        newest[key] = max((revision, packed), newest.get(key, (-1, "")))
    for key, (_, packed) in newest.items():
        row = dict(zip(_PACKED, orjson.loads(packed), strict=True))
        if row["crossing"] == "promoted" and row["state"] == "active" and row["visibility"] == "shown":
            yield key, row | {"at": datetime.fromisoformat(row["at"]).replace(tzinfo=UTC)}


def brought(client: Client, given: Mapping[str, Any]) -> frozenset[str]:
    """Shared ids of what an agent brought to pools itself: it is not shown them (SPEC 6.6). `given`: `org` and `member`, its keyed hash."""
    return frozenset(key for (key,) in client.query(_BROUGHT, parameters=dict(given)).result_rows)
