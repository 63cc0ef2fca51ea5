"""Who asks: what the stream told of an agent, or what holds for one that was never loaded."""

from dataclasses import dataclass
from typing import Any

from clickhouse_connect.driver.client import Client

COMMONS = "commons"
PERSONAL = "personal"

_LOADED = "SELECT home_space FROM principals FINAL WHERE org = {org:String} AND agent = {agent:String}"
_ROLES = """SELECT r.2 FROM (SELECT arrayJoin(roles) AS r FROM identities FINAL WHERE org = {org:String} AND principal = {agent:String})
WHERE r.1 = 'reader'"""
_SPACES = "SELECT DISTINCT toString(space) FROM pool WHERE org = {org:String}"
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
    """An agent that is known, the space that its promoted learnings land in, and other spaces that it was granted to read."""

    org: str
    agent: str
    home_space: str
    granted: tuple[str, ...] = ()

    @property
    def pools(self) -> list[str]:
        """Spaces whose pools it can view (SPEC 7.2, 10.6): its home, unless personal, the commons, and what it was granted."""
        own = [COMMONS] if self.home_space in (PERSONAL, COMMONS) else [self.home_space, COMMONS]
        return list(dict.fromkeys((*own, *self.granted)))


def find(client: Client, org: str, agent: str) -> Caller | None:
    """The caller, or None for one who is not known: it was never loaded, and no run or outcome of it was seen (SPEC 7.1)."""
    who = {"org": org, "agent": agent}
    if loaded := client.query(_LOADED, parameters=who).result_rows:
        return Caller(org, agent, loaded[0][0], _granted(client, who))
    return Caller(org, agent, PERSONAL, _granted(client, who)) if client.query(_SEEN, parameters=who).result_rows else None


def _granted(client: Client, who: dict[str, str]) -> tuple[str, ...]:
    """Spaces that it reads as a `reader`, a role that an administrator gave it: of one space, or of the whole organisation."""
    spaces = {space for (space,) in client.query(_ROLES, parameters=who).result_rows}
    if "" in spaces:
        spaces = {space for (space,) in client.query(_SPACES, parameters=who).result_rows}
    return tuple(sorted(spaces))


def agents(client: Client, org: str | None = None) -> list[dict[str, Any]]:
    """All agents that are known, of one organisation or of all: those loaded, and with defaults those seen (INTERFACES, `agents list`)."""
    sql = f"SELECT * FROM ({_ALL}) WHERE {{org:String}} = '' OR org = {{org:String}} ORDER BY org, agent"
    return list(client.query(sql, parameters={"org": org or ""}).named_results())
