"""What the command line asks of ClickHouse besides recall: rows as INTERFACES' JSON tells them, times with their zone."""

from collections.abc import Mapping, Sequence
from typing import Any

from clickhouse_connect.driver.client import Client

_ENTRY = "org = {org:String} AND agent = {agent:String} AND branch = {branch:String} AND entry_key = {entry:String}"
_HISTORY = f"""SELECT version, at, cause, cause_id, cause_by, state, crossing, confidence, evidence_status,
    applied, helpful, success_count, failure_count, trust, tier
FROM entry_versions WHERE {_ENTRY} ORDER BY version"""
_WRITTEN = f"""SELECT rule, nullIf(value, '') AS value, nullIf(cue, '') AS cue, tools, goal_phrases, memory_type, kind,
    if(floor_stated = '', privacy, floor_stated) AS privacy, environment, nullIf(applies_to, '') AS applies_to, prior AS confidence,
    if(empty(dimensions), importance, NULL) AS importance, is_artifact, if(ttl_at > now64(3, 'UTC'), ttl_at, NULL) AS ttl_at,
    pattern_refs, value_bindings, nullIf(toString(session), '') AS session, nullIf(toString(work_area), '') AS work_area,
    nullIf(toString(space), '') AS space, producer
FROM entries FINAL WHERE {_ENTRY} AND version = {{version:UInt32}}"""
_NEWEST = f"SELECT version FROM learnings FINAL WHERE {_ENTRY}"
_GATE = f"SELECT c.1 AS condition, c.2 AS holds, c.3 AS figure, c.4 AS needed FROM learnings_now ARRAY JOIN gate AS c WHERE {_ENTRY}"
_EXPLAIN = f"""SELECT version, at, cause, nullIf(cause_id, '') AS cause_id, nullIf(toString(result), '') AS result,
    nullIf(toString(helped), '') AS helped, weight, confidence_before, confidence, confidence - confidence_before AS moved,
    mass_success, mass_failure, applied, helpful, success_count, failure_count, evidence_status, nullIf(toString(reason), '') AS reason
FROM evidence WHERE {_ENTRY} ORDER BY version, step, at"""
_RECEIPT = "SELECT part, end, nullIf(toString(reason), '') AS reason FROM receipts FINAL WHERE id = {id:String}"
_ENDS = "SELECT id, part, end, nullIf(toString(reason), '') FROM receipts FINAL WHERE id IN {ids:Array(String)}"
_TOTALS = "SELECT end, count() FROM receipts FINAL GROUP BY end"
_DEAD_LETTERS = """SELECT id, part, topic, epoch, partition, offset, reason, nullIf(field, '') AS field, nullIf(excerpt, '') AS excerpt,
    nullIf(toString(org), '') AS org, nullIf(toString(agent), '') AS agent, at, replayable_until,
    nullIf(replayed_as, '') AS replayed_as
FROM dead_letters FINAL
WHERE ({topic:String} = '' OR topic = {topic:String}) AND ({reason:String} = '' OR reason = {reason:String})
ORDER BY at DESC, topic, partition, offset, part"""


def history(client: Client, org: str, agent: str, branch: str, entry: str) -> list[dict[str, Any]]:
    """Every version of a learning, oldest first; none where the agent has no such entry."""
    return _rows(client, _HISTORY, {"org": org, "agent": agent, "branch": branch, "entry": entry})


def written(client: Client, org: str, agent: str, branch: str, entry: str, version: int) -> dict[str, Any] | None:
    """What the author of a version wrote, scrubbed, and where; None where there is none. A time to live that is over is left out."""
    return next(iter(_rows(client, _WRITTEN, {"org": org, "agent": agent, "branch": branch, "entry": entry, "version": version})), None)


def newest(client: Client, org: str, agent: str, branch: str, entry: str) -> int:
    """Number of a learning's newest version; 0 where there is no such entry."""
    found = _rows(client, _NEWEST, {"org": org, "agent": agent, "branch": branch, "entry": entry})
    return int(found[0]["version"]) if found else 0


def gate(client: Client, org: str, agent: str, branch: str, entry: str) -> list[dict[str, Any]]:
    """The seven conditions of the gate at a learning's newest version, with their figures (SPEC 6.1)."""
    return _rows(client, _GATE, {"org": org, "agent": agent, "branch": branch, "entry": entry})


def explain(client: Client, org: str, agent: str, branch: str, entry: str) -> list[dict[str, Any]]:
    """What moved a learning's evidence, version by version, and which credits moved nothing and why (docs/views.md, `v_evidence`)."""
    return _rows(client, _EXPLAIN, {"org": org, "agent": agent, "branch": branch, "entry": entry})


def receipt(client: Client, receipt_id: str) -> list[dict[str, Any]]:
    """How each part of a message ended, in the order of the parts."""
    return sorted(_rows(client, _RECEIPT, {"id": receipt_id}), key=lambda row: _part_order(row["part"]))


def ends(client: Client, receipt_ids: Sequence[str]) -> Mapping[str, Mapping[str, tuple[str, str | None]]]:
    """Receipt id to part to end and reason, of the messages that have one."""
    found: dict[str, dict[str, tuple[str, str | None]]] = {}
    for receipt_id, part, end, reason in client.query(_ENDS, parameters={"ids": list(receipt_ids)}).result_rows:
        found.setdefault(receipt_id, {})[part] = end, reason
    return found


def totals(client: Client) -> dict[str, int]:
    """How many parts of messages ended how: end to number."""
    return {row[0]: row[1] for row in client.query(_TOTALS).result_rows}


def dead_letters(client: Client, topic: str | None = None, reason: str | None = None) -> list[dict[str, Any]]:
    """Dead letters, newest first: of one topic (without prefix), with one reason, or all."""
    return _rows(client, _DEAD_LETTERS, {"topic": topic or "", "reason": reason or ""})


def _rows(client: Client, sql: str, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(client.query(sql, parameters=dict(given)).named_results())


def _part_order(part: str) -> tuple[str, int]:
    kind, _, number = part.partition(":")
    return kind, int(number or 0)
