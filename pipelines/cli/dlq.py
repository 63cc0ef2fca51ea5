"""`tidegate dlq`: messages that could not be taken (SPEC 9.4)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Json
from pipelines.errors import SettingsError

if TYPE_CHECKING:
    from schemas.records import DeadLetter

_COLUMNS = ("id", "part", "reason", "field", "excerpt", "at", "replayable_until", "replayed_as")

Ids = Annotated[list[str], typer.Argument(help="As `tidegate dlq list` shows them: topic:partition:offset.", metavar="ID...")]


def listing(
    topic: Annotated[str | None, typer.Option(help="Only of this topic, without prefix.", metavar="TOPIC")] = None,
    reason: Annotated[str | None, typer.Option(help="Only with this reason.", metavar="REASON")] = None,
    as_json: Json = False,
) -> None:
    """List dead letters, newest first."""
    asked = engines.Engines(engines.read_settings())
    topic = _topic(asked, topic)
    if not output.rows(_found(asked, topic=topic, reason=reason), _COLUMNS, as_json=as_json):
        there = sorted({row["reason"] for row in _found(asked, topic=topic)})
        output.say(f"no dead letter has the reason {reason}; there are: {', '.join(there)}" if reason and there else "no dead letters")


def show(ids: Ids, as_json: Json = False) -> None:
    """Show what is known of some dead letters: one for each part that was refused. Exit status 1 where there is none."""
    found = _named(engines.Engines(engines.read_settings()), ids)
    if as_json:
        output.rows(found, _COLUMNS, as_json=True)
    else:
        output.rows(({"name": name, "": value} for row in found for name, value in row.items()), ("name", ""), as_json=False)
    _all_there(ids, found)


def replay(
    ids: Annotated[list[str] | None, typer.Argument(help="As `tidegate dlq list` shows them.", metavar="[ID]...")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every one that was not sent again yet; with --reason, of that reason.")] = False,
    reason: Annotated[str | None, typer.Option(help="With --all: only with this reason.", metavar="REASON")] = None,
    as_json: Json = False,
) -> None:
    """Send messages again: the raw bytes, with key and headers, as a new record of the same topic. `dlq list` then says as which.

    Exit status 4 where one can't be sent again, since its topic no longer keeps it.
    """
    from pipelines import admin, deadletters
    from pipelines.wait import until_read

    if bool(ids) == every:
        raise SettingsError("which? name dead letters, or give --all")
    asked = engines.Engines(engines.read_settings())
    found = _named(asked, ids) if ids else [row for row in _found(asked, reason=reason) if row["replayed_as"] is None]
    pointers = [deadletters.Pointer(row["topic"], row["epoch"], row["partition"], row["offset"]) for row in found]
    epochs = admin.epochs(asked.kafka, asked.layout)
    producer, prefix, partitions = asked.producer(), asked.settings.prefix, len(asked.offsets.ends(["dead-letters"]))
    done = []
    for replayed in deadletters.replay(pointers, asked.kafka, producer, asked.offsets, prefix, epochs):
        done.append(replayed)
        if replayed.receipt:
            letters = [_letter(row) for row in found if row["id"] == replayed.id]
            deadletters.mark(letters, replayed.receipt, producer, prefix, partitions)
    if any(replayed.receipt for replayed in done):
        asked.until_saved()
        until_read(asked.offsets, "sink", asked.offsets.ends(["dead-letters"]), TIMEOUT_SECONDS, lambda *_: None)
    output.rows(map(asdict, done), ("id", "receipt", "problem"), as_json=as_json)
    _all_there(ids or (), found)
    if any(replayed.problem for replayed in done):
        raise typer.Exit(exits.PARTLY_REFUSED)


def _topic(asked: engines.Engines, named: str | None) -> str | None:
    """A topic without prefix, however it was named. Raises SettingsError where there is none of that name."""
    from pipelines.topics import TOPICS

    topic = named and named.removeprefix(asked.settings.prefix)
    if topic and topic not in (names := [t.name for t in TOPICS]):
        raise SettingsError(f"there is no topic {topic}: choose from {', '.join(names)}")
    return topic


def _letter(row: Mapping[str, Any]) -> "DeadLetter":
    """The dead letter that a row tells of."""
    from schemas.records import DeadLetter

    return DeadLetter(**row)


def _found(asked: engines.Engines, *, topic: str | None = None, reason: str | None = None) -> list[dict[str, Any]]:
    from sinks.queries import dead_letters

    return dead_letters(asked.clickhouse, topic=topic, reason=reason)


def _named(asked: engines.Engines, ids: Collection[str]) -> list[dict[str, Any]]:
    topics = sorted({i.partition(":")[0] for i in ids})
    return [row for topic in topics for row in _found(asked, topic=topic) if row["id"] in ids]


def _all_there(ids: Iterable[str], found: Iterable[Mapping[str, Any]]) -> None:
    there = {row["id"] for row in found}
    if missing := [i for i in ids if i not in there]:
        output.say(f"no dead letter {', '.join(missing)}")
        raise typer.Exit(exits.NO)
