"""What waits for a person: held learnings, and rows of pools that lack a signature or that somebody objects to (SPEC 4)."""

from typing import Any

from clickhouse_connect.driver.client import Client

_HELD = """SELECT 'held' AS waits_for, org, agent, '' AS space, entry_key AS target, learning_id AS subject, kind, rule, hold AS reason,
    wording, at
FROM learnings FINAL WHERE state = 'held'"""
_POOL = """SELECT crossing AS waits_for, org, '' AS agent, space, ref AS target, shared_id AS subject, kind, rule, '' AS reason, wording, at
FROM pool FINAL WHERE crossing IN ('awaiting_signatures', 'objected')"""
_COUNTED = "SELECT org, agent, count() FROM learnings FINAL WHERE state = 'held' GROUP BY org, agent"
_QUEUE = f"SELECT * FROM ({_HELD} UNION ALL {_POOL}) WHERE {{org:String}} = '' OR org = {{org:String}} ORDER BY at, subject"
_LEARNING = """SELECT learning_id AS subject, agent, '' AS space, entry_key, rule, value, cue, tools, kind, memory_type, privacy, state,
    crossing, visibility, hold AS reason, confidence, evidence_status, applied, helpful, trust, contradicts, version, wording, at
FROM learnings FINAL
WHERE org = {org:String} AND agent = {agent:String} AND branch = {branch:String} AND entry_key = {entry:String}"""
_SHARED = """SELECT shared_id AS subject, '' AS agent, space, ref, rule, value, tools, kind, memory_type, state, crossing, visibility,
    confidence, evidence_status, applied, helpful, trust, validators, contradicts, version, wording, at
FROM pool FINAL WHERE org = {org:String} AND shared_id = {subject:String}"""
_FINDINGS = """SELECT field, layer, kind, severity, hard FROM findings FINAL
WHERE org = {org:String} AND subject = {subject:String} ORDER BY field, kind"""


def queue(client: Client, org: str | None) -> list[dict[str, Any]]:
    """What waits, longest first, of one organisation or of all."""
    return _rows(client, _QUEUE, org=org or "")


def held(client: Client) -> dict[tuple[str, str], int]:
    """How many learnings are held, by organisation and agent."""
    return {(org, agent): number for org, agent, number in client.query(_COUNTED).result_rows}


def learning(client: Client, org: str, agent: str, branch: str, entry: str) -> dict[str, Any] | None:
    """An agent's learning as a reviewer sees it, with its findings; None where there is none."""
    return _with_findings(client, org, _rows(client, _LEARNING, org=org, agent=agent, branch=branch, entry=entry))


def shared(client: Client, org: str, subject: str) -> dict[str, Any] | None:
    """A pool's row as a reviewer sees it; None where there is none."""
    return next(iter(_rows(client, _SHARED, org=org, subject=subject)), None)


def _with_findings(client: Client, org: str, found: list[dict[str, Any]]) -> dict[str, Any] | None:
    return {**found[0], "findings": _rows(client, _FINDINGS, org=org, subject=found[0]["subject"])} if found else None


def _rows(client: Client, sql: str, **given: Any) -> list[dict[str, Any]]:
    return list(client.query(sql, parameters=given).named_results())
