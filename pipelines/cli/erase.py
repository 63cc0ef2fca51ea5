"""`tidegate erase`: what is kept of an entity goes, and the receipt of it (SPEC 8.3; docs/erasure.md)."""

from typing import Annotated, Any

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Json, Org, Timeout
from pipelines.cli.sending import send_one
from pipelines.errors import SettingsError

OPERATOR = "operator"


def erase(
    entity: Annotated[str | None, typer.Option(help="Whom or what: a name, an address, an id, as it was met.", metavar="NAME")] = None,
    receipt: Annotated[str | None, typer.Option(help="Instead: ask again for the receipt of an erasure.", metavar="ID")] = None,
    org: Org = None,
    requested_by: Annotated[str, typer.Option("--by", help="Who asks for it.", metavar="NAME")] = OPERATOR,
    reason: Annotated[str | None, typer.Option(help="Why; kept in the journal, and erasable.", metavar="TEXT")] = None,
    timeout: Timeout = TIMEOUT_SECONDS,
    as_json: Json = False,
) -> None:
    """Erase what is kept of an entity: claims, episodes, findings, excerpts, what waits, and what its runs' outcomes lent to learnings.

    Learnings stay. The receipt says what went, how much, and what was not reached; where nothing was there, it says that. Exit status 1
    where the request was refused, or no such receipt is known.
    """
    from sinks import erasure

    if (entity is None) == (receipt is None):
        raise SettingsError("give --entity NAME, or --receipt ID to ask for a receipt again")
    asked = engines.Engines(engines.read_settings())
    org = engines.org_of(asked.settings, org)
    place = _asked(asked, org, entity, requested_by, reason, timeout) if entity is not None else _place(asked, receipt or "")
    found = erasure.receipt(asked.clickhouse, org, place, asked.settings.partitions)
    if found is None:
        output.say(f"{org} has no erasure {receipt}, or nothing is known of it yet")
        raise typer.Exit(exits.NO)
    if as_json:
        output.json_line(found)
    else:
        _show(found)


def _asked(asked: engines.Engines, org: str, entity: str, requested_by: str, reason: str | None, timeout: float) -> str:
    from schemas.records import Erasure

    request = Erasure(org=org, entity=entity, requested_by=requested_by, reason=reason)
    place, part = send_one(asked, "erasures", request, timeout)
    if part["end"] != "stored":
        output.say(f"refused: {part['reason']}")
        raise typer.Exit(exits.NO)
    return place


def _place(asked: engines.Engines, receipt: str) -> str:
    from pipelines.receipts import place_of

    return receipt if asked.settings.secret is None else place_of(asked.settings.secret, receipt)


def _show(found: dict[str, Any]) -> None:
    state = "done" if found["done"] else "under way: ask again with --receipt"
    print(f"erasure {found['id']} of {found['org']}, asked for by {output.plain(found['requested_by'])}: {state}")
    print("erased: " + ", ".join(f"{n} {name}" for name, n in found["erased"].items()))
    print(f"kept: {found['kept']}")
    for left in found["not_reached"]:
        until = f", until {output.plain(left['until'])}" if left["until"] else ""
        print(f"not reached: {left['what']}{until}")
    for entry in found["journal"]:
        print(f"journal: {entry['chain']}/{entry['sequence']} {entry['decision']}, signed {entry['signature'][:16]}… by {entry['key']}")
