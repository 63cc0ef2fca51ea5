"""`tidegate key`: keys of principals (docs/identity.md)."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Json, Org, Timeout
from pipelines.cli.principals import Attests, KeyFile, hand_over, now, one_of, tell, with_new_key, without_keys
from pipelines.errors import SettingsError

if TYPE_CHECKING:
    from schemas.records import Key, Principal

_COLUMNS = ("org", "principal", "key_id", "attests", "added_at", "revoked_at")
Name = Annotated[str, typer.Argument(help="Whose: agent/support-1.", metavar="PRINCIPAL")]


def add(
    name: Name,
    org: Org = None,
    attests: Attests = None,
    public: Annotated[
        str | None,
        typer.Option(help="Public half of its own Ed25519 key, 64 hex digits: it signs, and opens nothing.", metavar="HEX"),
    ] = None,
    out: KeyFile = None,
    timeout: Timeout = TIMEOUT_SECONDS,
    as_json: Json = False,
) -> None:
    """Give a principal one key more, and print it: once, for nobody keeps it. It signs messages to Kafka and opens HTTP and SQL.

    A key for a CI system that reports outcomes of an agent is one of the agent's, with --attests ci.
    """
    from pipelines.principals import changing
    from schemas.keys import of_public

    if public is not None and out is not None:
        raise SettingsError("--out is for a key that is made here: with --public its private half is where it was made")
    asked = engines.Engines(engines.read_settings())
    org = engines.org_of(asked.settings, org)
    with changing(asked.settings):
        principal = one_of(asked.directory(), org, name)
        bearer = None
        if public is None:
            bearer, principal = with_new_key(principal, attests)
        else:
            try:
                principal = replace(principal, keys=(*principal.keys, of_public(public, attests or "agent", now())))
            except ValueError as error:
                raise SettingsError(f"--public: {error}") from error
        hand_over(bearer, out)
        tell(asked, [principal], timeout)
    row = _row(principal, principal.keys[-1])
    printed = None if bearer is None or out is not None else str(bearer)
    if as_json:
        output.json_line(row | {"key": printed})
    elif printed is not None:
        print(printed)
        output.say(f"key {row['key_id']} of {name}: it is printed this once")
    else:
        output.say(f"key {row['key_id']} of {name}" + (f" is in {out}" if out else " may sign"))


def listing(
    org: Org = None,
    principal: Annotated[str | None, typer.Option(help="Of this one alone.", metavar="NAME")] = None,
    as_json: Json = False,
) -> None:
    """List keys, revoked ones too; never the keys themselves."""
    asked = engines.Engines(engines.read_settings())
    org = org or asked.settings.org
    found = [p for p in asked.directory().principals() if org in (None, p.org) and principal in (None, p.principal)]
    if not output.rows((_row(p, key) for p in found for key in p.keys), _COLUMNS, as_json=as_json):
        output.say("no key was made yet")


def revoke(
    key_id: Annotated[str, typer.Argument(help="Its id, as `key list` shows it.", metavar="KEY_ID")],
    org: Org = None,
    timeout: Timeout = TIMEOUT_SECONDS,
    as_json: Json = False,
) -> None:
    """Revoke a key. What it signed before stays taken; what it signs from now on is refused."""
    from pipelines.principals import changing

    asked = engines.Engines(engines.read_settings())
    org = org or asked.settings.org
    with changing(asked.settings):
        having = [p for p in asked.directory().principals() if org in (None, p.org) and any(k.key_id == key_id for k in p.keys)]
        if not having:
            output.say(f"there is no key {key_id}")
            raise typer.Exit(exits.NO)
        revoked = [without_keys(principal, key_id) for principal in having]
        tell(asked, revoked, timeout)
    rows = [_row(p, key) for p in revoked for key in p.keys if key.key_id == key_id]
    output.rows(rows, _COLUMNS, as_json=as_json)


def _row(principal: "Principal", key: "Key") -> dict[str, Any]:
    times = {"added_at": key.added_at, "revoked_at": key.revoked_at}
    return {"org": principal.org, "principal": principal.principal, "key_id": key.key_id, "attests": key.attests, **times}
