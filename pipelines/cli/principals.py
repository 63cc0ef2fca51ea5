"""`tidegate agent`, `tidegate person`: who there is, with keys and roles (docs/identity.md)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Json, Org, Timeout
from pipelines.errors import SettingsError

if TYPE_CHECKING:
    from agents.scan.directory import Directory
    from schemas.keys import Bearer
    from schemas.records import Grant, Key, Principal

Attests = Annotated[
    str | None, typer.Option(help="What an outcome sent with the key may attest: agent, ci, human, verifier or customer.", metavar="WORD")
]
KeyFile = Annotated[Path | None, typer.Option("--out", help="Write the key to a new file (0600), and print none.", metavar="FILE")]
Roles = Annotated[
    list[str] | None,
    typer.Option("--role", help="reader, publisher, reviewer, administrator, auditor or analyst; ROLE:SPACE: in that space alone."),
]
_COLUMNS = ("org", "principal", "kind", "home_space", "roles", "keys")


def add(kind: str) -> Callable[..., None]:
    """The command that makes an agent or a person known, or changes it."""

    def command(
        name: Annotated[str, typer.Argument(help="As it is to be called: agent/support-1, person/mina.", metavar="NAME")],
        org: Org = None,
        home_space: Annotated[str | None, typer.Option(help="Where its promoted learnings land.", metavar="SPACE")] = None,
        hosted: Annotated[bool | None, typer.Option(help="Whether the platform runs it.")] = None,
        shared_learning: Annotated[bool | None, typer.Option(help="Whether its learnings may cross; left out: as hosted.")] = None,
        roles: Roles = None,
        attests: Attests = None,
        out: KeyFile = None,
        timeout: Timeout = TIMEOUT_SECONDS,
        as_json: Json = False,
    ) -> None:
        from pipelines.principals import changing
        from schemas.records import Principal

        asked = engines.Engines(engines.read_settings())
        org = engines.org_of(asked.settings, org)
        told: dict[str, Any] = {"home_space": home_space, "hosted": hosted, "shared_learning": shared_learning}
        with changing(asked.settings):
            known = asked.directory().find(org, name)
            principal = known or Principal(org=org, principal=name, kind=kind, producer=kind)
            principal = replace(principal, **{field: value for field, value in told.items() if value is not None})
            if roles is not None:
                principal = replace(principal, roles=tuple(_grant(role) for role in roles))
            bearer = None
            if not in_force(principal.keys):
                bearer, principal = with_new_key(principal, attests)
            hand_over(bearer, out)
            tell(asked, [principal], timeout)
        _shown(principal, bearer, out, as_json)

    command.__doc__ = (
        f"Make {'an agent' if kind == 'agent' else 'a person'} known, or change what is told of it; what is left out stays as it is.\n\n"
        "Prints its key where it has none in force yet: once, for nobody keeps it."
    )
    return command


def listing(kind: str) -> Callable[..., None]:
    """The command that lists the agents or the persons."""

    def command(org: Org = None, as_json: Json = False) -> None:
        asked = engines.Engines(engines.read_settings())
        org = org or asked.settings.org
        found = [p for p in asked.directory().principals() if p.kind == kind and org in (None, p.org)]
        if not output.rows((_row(principal) for principal in found), _COLUMNS, as_json=as_json):
            output.say(f"no {kind} was added yet")

    command.__doc__ = f"List the {kind}s that were added or loaded, with their roles and how many keys of theirs are in force."
    return command


def revoke(kind: str) -> Callable[..., None]:
    """The command that revokes all keys of an agent or a person."""

    def command(
        name: Annotated[str, typer.Argument(help="Whose keys.", metavar="NAME")],
        org: Org = None,
        timeout: Timeout = TIMEOUT_SECONDS,
        as_json: Json = False,
    ) -> None:
        from pipelines.principals import changing

        asked = engines.Engines(engines.read_settings())
        org = engines.org_of(asked.settings, org)
        with changing(asked.settings):
            principal = one_of(asked.directory(), org, name)
            tell(asked, [without_keys(principal)], timeout)
        keys = in_force(principal.keys)
        if as_json:
            output.json_line({"org": org, "principal": name, "revoked": [key.key_id for key in keys]})
        else:
            print(f"{len(keys)} keys of {name} are revoked")

    command.__doc__ = f"Revoke every key of {'an agent' if kind == 'agent' else 'a person'}. What was signed before stays taken."
    return command


def one_of(directory: "Directory", org: str, name: str) -> "Principal":
    """A principal that is known. Ends with status 1 where there is none."""
    found = directory.find(org, name)
    if found is None:
        output.say(f"{org} has no principal {name}: `tidegate agent add` or `tidegate person add` makes one")
        raise typer.Exit(exits.NO)
    return found


def with_new_key(principal: "Principal", attests: str | None) -> "tuple[Bearer, Principal]":
    """A key, and a principal who has it too."""
    from schemas.keys import make

    bearer, key = make(attests or "agent", now())
    return bearer, replace(principal, keys=(*principal.keys, key))


def without_keys(principal: "Principal", *key_ids: str) -> "Principal":
    """A principal whose keys, or some of them, count from now on no longer."""
    at = now()
    keys = (replace(k, revoked_at=at) if k.revoked_at is None and (not key_ids or k.key_id in key_ids) else k for k in principal.keys)
    return replace(principal, keys=tuple(keys))


def in_force(keys: "Iterable[Key]") -> "list[Key]":
    """Those that were not revoked."""
    return [key for key in keys if key.revoked_at is None]


def now() -> datetime:
    """This moment, in whole milliseconds."""
    at = datetime.now(UTC)
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def hand_over(bearer: "Bearer | None", out: Path | None) -> None:
    """Write a key to its file, before it counts. Raises SettingsError where the file can't be made, or is there."""
    from pipelines.principals import write_key

    if bearer is not None and out is not None:
        write_key(out, bearer)


def tell(asked: engines.Engines, principals: "Sequence[Principal]", timeout: float) -> None:
    """Say who there is, and wait until scan and ClickHouse know. Raises SettingsError where something of it can't be."""
    from pipelines.produce import send
    from pipelines.wait import behind, until_read
    from schemas import validate

    records = [(number, validate.problem(principal) or principal) for number, principal in enumerate(principals, 1)]
    report = send(records, "principals", asked.producer(), asked.settings.prefix, asked.signer, lambda *_: None)
    if report.failure:
        raise report.failure
    if report.refused:
        raise SettingsError(f"{report.refused[0].field}: {report.refused[0].error}")
    asked.until_saved()
    with output.progress() as shown:
        until_read(asked.offsets, "scan", behind(report.sent), timeout, shown.show)
        until_read(asked.offsets, "sink", asked.offsets.ends(["identities", "learnings"]), timeout, shown.show)


def _grant(text: str) -> "Grant":
    from schemas.records import Grant

    role, _, space = text.partition(":")
    return Grant(role=role, space=space)


def _row(principal: "Principal") -> dict[str, Any]:
    roles = [f"{grant.role}:{grant.space}" if grant.space else grant.role for grant in principal.roles]
    names = {"org": principal.org, "principal": principal.principal, "kind": principal.kind, "home_space": principal.home_space}
    return names | {"roles": roles, "keys": len(in_force(principal.keys))}


def _shown(principal: "Principal", bearer: "Bearer | None", out: Path | None, as_json: bool) -> None:
    printed = None if bearer is None or out is not None else str(bearer)
    if as_json:
        output.json_line(_row(principal) | {"key": printed})
        return
    if printed is not None:
        print(printed)
    output.say(f"{principal.principal} of {principal.org} is known" + ("; its key is printed this once" if printed else ""))
