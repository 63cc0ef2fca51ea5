"""Who asks: what the stream told of an agent, or what holds for one that was never loaded."""

from dataclasses import dataclass
from typing import Any

from clickhouse_connect.driver.client import Client

COMMONS = "commons"
PERSONAL = "personal"

_LOADED = "SELECT home_space FROM principals FINAL WHERE org = {org:String} AND agent = {agent:String}"
_SEEN = """SELECT 1 FROM (
    SELECT agent FROM episodes WHERE org = {org:String} AND agent = {agent:String} LIMIT 1
    UNION ALL SELECT agent FROM outcomes WHERE org = {org:String} AND agent = {agent:String} LIMIT 1
    UNION ALL SELECT agent FROM learnings WHERE org = {org:String} AND agent = {agent:String} LIMIT 1) LIMIT 1"""
_ALL = """SELECT org, agent, home_space, producer, hosted, shared_learning, tools FROM principals FINAL
UNION ALL
SELECT org, agent, 'personal', 'agent', false, NULL, [] FROM (
    SELECT org, agent FROM episodes UNION DISTINCT SELECT org, agent FROM outcomes UNION DISTINCT SELECT org, agent FROM learnings)
WHERE (org, agent) NOT IN (SELECT org, agent FROM principals)"""


@dataclass(frozen=True, slots=True)
class Caller:
    """An agent that is known, and the space that its promoted learnings land in."""

    org: str
    agent: str
    home_space: str

    @property
    def pools(self) -> list[str]:
        """Spaces whose pools it can view until there are grants (SPEC 7.2): its home, unless personal, and the commons."""
        return [COMMONS] if self.home_space in (PERSONAL, COMMONS) else [self.home_space, COMMONS]


def find(client: Client, org: str, agent: str) -> Caller | None:
    """The caller, or None for one who is not known: it was never loaded, and no run or outcome of it was seen (SPEC 7.1)."""
    who = {"org": org, "agent": agent}
    if loaded := client.query(_LOADED, parameters=who).result_rows:
        return Caller(org, agent, loaded[0][0])
    return Caller(org, agent, PERSONAL) if client.query(_SEEN, parameters=who).result_rows else None


def agents(client: Client, org: str | None = None) -> list[dict[str, Any]]:
    """All agents that are known, of one organisation or of all: those loaded, and with defaults those seen (INTERFACES, `agents list`)."""
    sql = f"SELECT * FROM ({_ALL}) WHERE {{org:String}} = '' OR org = {{org:String}} ORDER BY org, agent"
    return list(client.query(sql, parameters={"org": org or ""}).named_results())
