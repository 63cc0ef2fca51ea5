"""What stands in pools, page by page, as an agent may see it."""

from collections.abc import Sequence
from typing import Any

from clickhouse_connect.driver.client import Client

from schemas.ids import Ref
from schemas.partition import log_hash

_PAGE = """SELECT ref, space, rule, nullIf(value, '') AS value, tools, memory_type, kind, trust, confidence, evidence_status, applied,
    helpful, validators, independent, at AS updated_at
FROM (SELECT * FROM pool WHERE org = {org:String} AND space = {space:String} AND shared_id > {after:String}
      ORDER BY shared_id, revision DESC LIMIT 1 BY shared_id)
WHERE crossing = 'promoted' AND state = 'active' AND visibility = 'shown'
  AND shared_id NOT IN (
    SELECT shared_id FROM pool_members FINAL
    WHERE org = {org:String} AND space = {space:String} AND member = {member:String} AND role IN ('donor', 'corroborator'))
ORDER BY shared_id LIMIT {limit:UInt32}"""


def page(client: Client, org: str, spaces: Sequence[str], member: str, last: Ref | None, limit: int) -> tuple[list[dict[str, Any]], bool]:
    """Promoted learnings of some spaces, and whether there are more. `member`: the agent (`Ids.agent`) whose own are left out; `last`: the
    row behind which the page begins. Rows come by space and id, which changes with no evidence.
    """
    rows: list[dict[str, Any]] = []
    begun = last is None
    for space in sorted(spaces):
        here = last is not None and last.log == log_hash(org, space)
        if not begun and not here:
            continue
        begun = True
        given = {
            "org": org,
            "space": space,
            "after": last.subject if here and last else "",
            "member": member,
            "limit": limit + 1 - len(rows),
        }
        rows += client.query(_PAGE, parameters=given).named_results()
        if len(rows) > limit:
            return rows[:limit], True
    return rows, False
