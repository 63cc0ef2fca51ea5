"""What the command line asks of ClickHouse besides recall: rows as INTERFACES' JSON tells them, times with their zone."""

from collections.abc import Mapping, Sequence
from typing import Any

from clickhouse_connect.driver.client import Client

_ENTRY = "org = {org:String} AND agent = {agent:String} AND branch = {branch:String} AND entry_key = {entry:String}"
_HISTORY = f"""SELECT version, at, cause, cause_id, cause_by, state, crossing, confidence, evidence_status,
    applied, helpful, success_count, failure_count, trust, tier
FROM entry_versions WHERE {_ENTRY} ORDER BY version"""
_GATE = f"SELECT c.1 AS condition, c.2 AS holds, c.3 AS figure, c.4 AS needed FROM learnings_now ARRAY JOIN gate AS c WHERE {_ENTRY}"
_RECEIPT = "SELECT part, end, nullIf(toString(reason), '') AS reason FROM receipts FINAL WHERE id = {id:String}"
_ENDS = "SELECT id, part, end FROM receipts FINAL WHERE id IN {ids:Array(String)}"
_TOTALS = "SELECT end, count() FROM receipts FINAL GROUP BY end"
_DEAD_LETTERS = """SELECT id, part, topic, epoch, partition, offset, reason, nullIf(field, '') AS field, nullIf(excerpt, '') AS excerpt,
    nullIf(toString(org), '') AS org, nullIf(toString(agent), '') AS agent, at, replayable_until
FROM dead_letters FINAL
WHERE ({topic:String} = '' OR topic = {topic:String}) AND ({reason:String} = '' OR reason = {reason:String})
ORDER BY at DESC, topic, partition, offset, part"""


def history(client: Client, org: str, agent: str, branch: str, entry: str) -> list[dict[str, Any]]:
    """Every version of a learning, oldest first; none where the agent has no such entry."""
    return _rows(client, _HISTORY, {"org": org, "agent": agent, "branch": branch, "entry": entry})


def gate(client: Client, org: str, agent: str, branch: str, entry: str) -> list[dict[str, Any]]:
    """The seven conditions of the gate at a learning's newest version, with their figures (SPEC 6.1)."""
    return _rows(client, _GATE, {"org": org, "agent": agent, "branch": branch, "entry": entry})


def receipt(client: Client, receipt_id: str) -> list[dict[str, Any]]:
    """How each part of a message ended, in the order of the parts."""
    return sorted(_rows(client, _RECEIPT, {"id": receipt_id}), key=lambda row: _part_order(row["part"]))


def ends(client: Client, receipt_ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
    """Receipt id to part to end, of the messages that have one."""
    found: dict[str, dict[str, str]] = {}
    for receipt_id, part, end in client.query(_ENDS, parameters={"ids": list(receipt_ids)}).result_rows:
        found.setdefault(receipt_id, {})[part] = end
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
