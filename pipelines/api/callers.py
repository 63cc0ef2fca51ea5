"""Who calls: known by the bearer key of the request, never by what its body says (SPEC 9.2)."""

import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated

from clickhouse_connect.driver.client import Client
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from pipelines.api.limits import Rate
from pipelines.api.problems import Refused
from pipelines.api.readers import Readers
from sinks.identity import find_key

KNOWN_SECONDS = 5.0
"""How long a key is taken for what it was: one that was revoked works as long at most."""
MOST_KNOWN = 10_000

ORG_HEADER, AGENT_HEADER = "Tidegate-Org", "Tidegate-Agent"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a key belongs to. `org`, `principal` None: the operator of the data directory, who acts for anybody.

    `key`: what its requests are counted by; `roles`: role and space, "" for the whole organisation.
    """

    key: str
    org: str | None = None
    principal: str | None = None
    kind: str = "operator"
    roles: frozenset[tuple[str, str]] = frozenset()

    @property
    def operator(self) -> bool:
        """Whether it acts for anybody."""
        return self.org is None

    def has(self, *roles: str) -> bool:
        """Whether it has one of some roles in its whole organisation."""
        return any((role, "") in self.roles for role in roles)


Find = Callable[[Client, str], Caller | None]


def caller_of(client: Client, bearer: str) -> Caller | None:
    """Whose a key is; None where it is none that is in force."""
    who = find_key(client, bearer)
    if who is None:
        return None
    return Caller(who.key_id, who.org, who.principal, who.kind, frozenset((grant.role, grant.space) for grant in who.roles))


class Callers:
    """`operator`: the token of the data directory, where there is one; `find` looks a key up."""

    def __init__(self, operator: str | None, find: Find, readers: Readers, rate: Rate) -> None:
        self._operator, self._find, self._readers, self._rate = operator, find, readers, rate
        self._known: dict[bytes, tuple[float, Caller]] = {}

    async def of(self, bearer: str | None, address: str) -> Caller:
        """Whose request it is, counted. Raises Refused: 401 where the key is none, 429 where it sends too many."""
        caller = await self._look_up(bearer) if bearer else None
        # Keys that are none are counted by where they come from: looking them up costs too.
        self._rate.spend(caller.key if caller else f"from {address}")
        if caller is None:
            raise Refused(
                401,
                "unauthorized",
                "Authorization: Bearer KEY is needed, with a key that is in force: an administrator of the organisation makes one; on the "
                "machine itself the operator's token of the data directory (operator.token) is one too",
                headers={"WWW-Authenticate": "Bearer"},
            )
        return caller

    async def _look_up(self, bearer: str) -> Caller | None:
        if self._operator and hmac.compare_digest(bearer.encode("utf-8", "surrogateescape"), self._operator.encode()):
            return Caller("operator")
        mark, now = sha256(bearer.encode("utf-8", "surrogateescape")).digest(), time.monotonic()
        since, known = self._known.get(mark, (0.0, None))
        if known is not None and now - since < KNOWN_SECONDS:
            return known
        found = await self._readers.ask(lambda reader: self._find(reader.client, bearer))
        if found is None:
            self._known.pop(mark, None)
            return None
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[mark] = now, found
        return found


_BEARER = HTTPBearer(
    auto_error=False, scheme_name="key", description="A key of an agent or a person, or the operator's token of the data directory."
)


async def _calling(request: Request, bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]) -> Caller:
    callers: Callers = request.app.state.services.callers
    return await callers.of(bearer.credentials if bearer else None, request.client.host if request.client else "")


Calling = Annotated[Caller, Depends(_calling)]
"""A parameter of every route but those that tell whether the server is well."""


def acting(caller: Caller, headers: Mapping[str, str], org: object = None, agent: object = None, field: str = "agent") -> tuple[str, str]:
    """The organisation and the agent that a request acts for: the key's; `org` and `agent`: what the body or path says, which may be left
    out and may name nobody else. The operator names them there, or by headers; `field` says where the agent was named.

    Raises Refused.
    """
    if caller.org is not None and caller.principal is not None:
        wanted = caller.org, caller.principal
        said = {"org": org, field: agent, ORG_HEADER: headers.get(ORG_HEADER), AGENT_HEADER: headers.get(AGENT_HEADER)}
        whose = {"org": wanted[0], ORG_HEADER: wanted[0]}
        for name, value in said.items():
            if value is not None and value != whose.get(name, wanted[1]):
                raise Refused(
                    403,
                    "another_author",
                    f"{name} names another than the key belongs to: leave it out, or use the key of whom it names",
                    name,
                )
        return wanted
    return _named(headers, ORG_HEADER, org, "org"), _named(headers, AGENT_HEADER, agent, field)


def _named(headers: Mapping[str, str], header: str, said: object, field: str) -> str:
    told = headers.get(header)
    if said is not None and not isinstance(said, str):
        raise Refused(422, "bad_value", f"{field} not a string", field)
    if told and said and told != said:
        raise Refused(403, "another_author", f"{field} names another than the header {header} does: leave one of them out", field)
    found = told or said
    if not found:
        raise Refused(422, "missing", f"{field} is needed: with the operator's token, name it here or by the header {header}", field)
    return found
