"""`tidegate org`: organisations, which are there as soon as they have a principal (docs/identity.md)."""

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Json, Timeout
from pipelines.cli.principals import KeyFile, hand_over, in_force, tell, with_new_key, without_keys
from pipelines.errors import SettingsError

if TYPE_CHECKING:
    from schemas.records import Principal

Name = Annotated[str, typer.Argument(help="The organisation.", metavar="ORG")]


def add(
    name: Name,
    administrator: Annotated[str, typer.Option(help="Who administers it.", metavar="PERSON")] = "person/administrator",
    out: KeyFile = None,
    timeout: Timeout = TIMEOUT_SECONDS,
    as_json: Json = False,
) -> None:
    """Make an organisation, with a person who administers it, and print that person's key: once, for nobody keeps it."""
    from pipelines.principals import administrator_of, changing

    asked = engines.Engines(engines.read_settings())
    with changing(asked.settings):
        if any(p.org == name for p in asked.directory().principals()):
            raise SettingsError(f"organisation {name} is there already: `tidegate person add … --org {name}` adds to it")
        bearer, person = with_new_key(administrator_of(name, administrator), None)
        hand_over(bearer, out)
        tell(asked, [person], timeout)
    printed = None if out is not None else str(bearer)
    if as_json:
        output.json_line({"org": name, "administrator": administrator, "key": printed})
    else:
        if printed is not None:
            print(printed)
        output.say(f"{administrator} administers {name}" + ("; the key is printed this once" if printed else ""))


def listing(as_json: Json = False) -> None:
    """List the organisations that have principals, with how many, and how many keys are in force."""
    asked = engines.Engines(engines.read_settings())
    found: defaultdict[str, list[Principal]] = defaultdict(list)
    for principal in asked.directory().principals():
        found[principal.org].append(principal)
    rows = ({"org": org, "principals": len(ps), "keys": sum(len(in_force(p.keys)) for p in ps)} for org, ps in found.items())
    if not output.rows(rows, ("org", "principals", "keys"), as_json=as_json):
        output.say("there is no organisation yet")


def revoke(name: Name, timeout: Timeout = TIMEOUT_SECONDS, as_json: Json = False) -> None:
    """Revoke every key of an organisation. What was signed before stays taken."""
    from pipelines.principals import changing

    asked = engines.Engines(engines.read_settings())
    with changing(asked.settings):
        found = [p for p in asked.directory().principals() if p.org == name]
        if not found:
            output.say(f"there is no organisation {name}")
            raise typer.Exit(exits.NO)
        having = [principal for principal in found if in_force(principal.keys)]
        if having:
            tell(asked, [without_keys(principal) for principal in having], timeout)
    revoked = [key.key_id for principal in having for key in in_force(principal.keys)]
    if as_json:
        output.json_line({"org": name, "revoked": revoked})
    else:
        print(f"{len(revoked)} keys of {name} are revoked")
