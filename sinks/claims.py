"""Claims as they may be read: an agent its own, a curator those of an organisation's agents, as far as he reaches (SPEC 8.1, 8.2).

What stands in the table is sealed. A claim whose key was destroyed is not there for anybody.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from clickhouse_connect.driver.client import Client

from schemas.records import Claim
from schemas.sealed import open_claim
from schemas.vault import Vault

Page = Literal["quarantine", "sensitive", "all"]
PAGES: tuple[Page, ...] = get_args(Page)
_PRIVATE = "if(privacy IN ('shareable', 'sensitive'), toString(privacy), 'agent_specific')"
"""Missing or damaged reads private (SPEC 2.7)."""
_COLUMNS = f"""org, agent, claim_id, entity, key, nullIf(value, '') AS value, {_PRIVATE} AS privacy, nullIf(run_id, '') AS run_id,
    received_at, entity_id, sealed, reason"""
_OWN = f"""SELECT {_COLUMNS} FROM claims FINAL
WHERE org = {{org:String}} AND org != '' AND agent = {{agent:String}} AND claim_id > {{after:String}}
ORDER BY claim_id LIMIT {{most:UInt32}}"""
_WANTED: Mapping[Page, str] = {"quarantine": "reason != ''", "sensitive": "privacy = 'sensitive'", "all": "true"}
_REACHED = """agent IN (SELECT agent FROM principals FINAL WHERE org = {org:String}
    AND arrayExists(s -> home_space = s OR startsWith(home_space, concat(s, '/')), {spaces:Array(String)}))"""
_OF_ORG = f"""SELECT {_COLUMNS} FROM claims FINAL
WHERE org = {{org:String}} AND org != '' AND claim_id > {{after:String}} AND %s AND %s
ORDER BY claim_id LIMIT {{most:UInt32}}"""


def own(client: Client, vault: Vault | None, org: str, agent: str, after: str, limit: int) -> tuple[list[dict[str, Any]], str | None]:
    """A page of an agent's own claims, behind the claim id `after`, and the `after` of the next page; None: there is none."""
    return _page(client, vault, _OWN, {"org": org, "agent": agent, "after": after}, limit)


def of_org(
    client: Client, vault: Vault | None, org: str, spaces: Sequence[str] | None, page: Page, after: str, limit: int
) -> tuple[list[dict[str, Any]], str | None]:
    """The same of an organisation's agents; `spaces`: of those at home there alone, None: of all."""
    reached = "true" if spaces is None else _REACHED
    given = {"org": org, "spaces": list(spaces or ()), "after": after}
    return _page(client, vault, _OF_ORG % (_WANTED[page], reached), given, limit)


def bound(client: Client, vault: Vault | None, org: str, agent: str, names: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """What the agent's own claims say under some keys, by key: `[{"entity", "value"}]`."""
    wanted = {name: list[dict[str, Any]]() for name in names}
    after: str | None = ""
    while after is not None:
        rows, after = own(client, vault, org, agent, after, 1_000)
        for row in rows:
            if row["key"] in wanted:
                wanted[row["key"]].append({"entity": row["entity"], "value": row["value"]})
    return wanted


def _page(client: Client, vault: Vault | None, sql: str, given: Mapping[str, Any], limit: int) -> tuple[list[dict[str, Any]], str | None]:
    found = [Claim(**row) for row in client.query(sql, parameters={**given, "most": limit + 1}).named_results()]
    shown = [claim for claim in (_opened(vault, claim) for claim in found[:limit]) if claim is not None]
    return [_row(claim) for claim in shown], found[limit - 1].claim_id if len(found) > limit else None


def _opened(vault: Vault | None, claim: Claim) -> Claim | None:
    """It in the clear; None where its key is gone, or this process has no store of keys."""
    if vault is None:
        return None if claim.sealed else claim
    return open_claim(vault, claim)


def _row(claim: Claim) -> dict[str, Any]:
    return {
        "claim_id": claim.claim_id,
        "agent": claim.agent,
        "entity": claim.entity,
        "key": claim.key,
        "value": json.loads(claim.value) if claim.value else None,
        "privacy": claim.privacy,
        "reason": claim.reason or None,
        "run_id": claim.run_id,
        "received_at": claim.received_at,
    }
