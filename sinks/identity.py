"""Who asks, known by the key that they bring (SPEC 9.2, 10.1): what HTTP and SQL are told of a caller."""

from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from schemas.keys import parse
from schemas.records import Grant

__all__ = ["OPERATOR", "Grant", "Who", "find_key", "principal"]

OPERATOR = "operator"

_KEY = """SELECT k.org, k.principal, k.secret_hash, k.attests, i.kind, i.home_space, i.roles
FROM (SELECT * FROM identity_keys FINAL WHERE key_id = {key:String} AND (isNull(revoked_at) OR revoked_at > now64(3, 'UTC'))) AS k
INNER JOIN (SELECT * FROM identities FINAL) AS i ON i.org = k.org AND i.principal = k.principal"""
_PRINCIPAL = "SELECT kind, home_space, roles FROM identities FINAL WHERE org = {org:String} AND principal = {principal:String}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """A caller. `kind`: agent, person, hook or tool; operator for who acts for everybody, whose `org` and `principal` are empty.

    `key_id`: the key that was brought, empty where none was; `attests`: what an outcome sent with it may attest (SPEC 5.7).
    """

    org: str
    principal: str
    kind: str
    home_space: str = "personal"
    roles: tuple[Grant, ...] = ()
    key_id: str = ""
    attests: str = "agent"

    def has(self, *roles: str, space: str = "") -> bool:
        """Whether it has one of some roles in the whole organisation or, where a space is named, in that space."""
        return any(grant.role in roles and grant.space in ("", space) for grant in self.roles)


def find_key(client: Client, bearer: str) -> Who | None:
    """Whose key it is; None where it is none, or one that was revoked."""
    key = parse(bearer)
    if key is None:
        return None
    for org, name, known, attests, kind, home_space, roles in client.query(_KEY, parameters={"key": key.key_id}).result_rows:
        if key.opens(known):
            return Who(org=org, principal=name, kind=kind, home_space=home_space, roles=_grants(roles), key_id=key.key_id, attests=attests)
    return None


def principal(client: Client, org: str, name: str) -> Who | None:
    """A principal as it is known by its name, with no key; None where it has none and no role."""
    for kind, home_space, roles in client.query(_PRINCIPAL, parameters={"org": org, "principal": name}).result_rows:
        return Who(org=org, principal=name, kind=kind, home_space=home_space, roles=_grants(roles))
    return None


def _grants(roles: list[tuple[str, str]]) -> tuple[Grant, ...]:
    return tuple(Grant(role=role, space=space) for role, space in (role.values() if isinstance(role, dict) else role for role in roles))
