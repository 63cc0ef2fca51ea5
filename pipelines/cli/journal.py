"""`tidegate journal`: what was decided, in order, and the proof that nobody changed it (SPEC 6.8; docs/journal.md)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Json, Org, Reviewer, Timeout
from pipelines.cli.review import OPERATOR
from pipelines.cli.sending import send_one
from pipelines.errors import SettingsError

if TYPE_CHECKING:
    from agents.journal.keys import Keys
    from pipelines.journal import Journal

Chain = Annotated[str | None, typer.Option(help="Only this chain: public or restricted.", metavar="CHAIN")]
File = Annotated[str | None, typer.Argument(help="What `journal export` wrote; - is standard input. Left out: the journal itself.")]
From = Annotated[str, typer.Option("--from", help="Where it is read: kafka or clickhouse.", metavar="ENGINE")]
KEYS_HELP = (
    "Public keys to believe, PEM: these and what they endorsed. Left out: journal.pub in the data directory, else what is published."
)
Keyfile = Annotated[str | None, typer.Option("--key", help=KEYS_HELP, metavar="FILE")]

_TAIL = ("org", "chain", "sequence", "at", "actor", "decision", "subject", "reason", "figures")
_VERDICT = ("org", "chain", "entries", "ok", "first_bad", "problem", "countersigned")


def tail(
    org: Org = None,
    chain: Chain = None,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="How many.")] = 20,
    as_json: Json = False,
) -> None:
    """The newest decisions, oldest of them first; of all organisations where none is named."""
    from pipelines.journal import as_json as told
    from sinks import journal as table

    asked = engines.Engines(engines.read_settings())
    found = table.newest(asked.clickhouse, org or asked.settings.org, _chain(chain), lines)
    output.rows(map(told, found), _TAIL, as_json=as_json)


def show(
    sequence: Annotated[int, typer.Argument(min=1, help="Which entry of the chain.")],
    org: Org = None,
    chain: Annotated[str, typer.Option(help="public or restricted.", metavar="CHAIN")] = "public",
    as_json: Json = False,
) -> None:
    """One entry, whole: the texts that it commits to, as far as they are not erased, and who countersigned it.

    Exit status 1 where the chain has no such entry.
    """
    from agents.journal.chain import entry_hash, opens
    from pipelines.journal import as_line, from_clickhouse
    from sinks import journal as table

    asked = engines.Engines(engines.read_settings())
    name = engines.org_of(asked.settings, org), _chain(chain) or "public"
    entry = table.entry(asked.clickhouse, *name, sequence)
    if entry is None:
        output.say(f"the {name[1]} chain of {name[0]} has no entry {sequence}")
        raise typer.Exit(exits.NO)
    line = as_line(entry, from_clickhouse(asked.clickhouse, *name).seals)
    texts = {
        t.name: t.text
        for t in table.texts(asked.clickhouse, *name, sequence)
        if opens(entry.commitments.get(t.name, ""), bytes.fromhex(t.salt), t.name, t.text)
    }
    line |= {"hash": entry_hash(entry), "texts": {name: texts.get(name) for name in entry.commitments}}
    if as_json:
        output.json_line(line)
    else:
        output.rows(({"name": name, "": value} for name, value in line.items()), ("name", ""), as_json=False)


def export(org: Org = None, chain: Chain = None, source: From = "kafka", as_json: Json = False) -> None:
    """Write the journal to standard output as JSON lines, which `journal verify FILE` verifies anywhere."""
    from pipelines.journal import Unreadable, as_line

    asked = engines.Engines(engines.read_settings())
    journal = _read(asked, source, org or asked.settings.org, _chain(chain))
    for entry in journal.entries:
        if isinstance(entry, Unreadable):
            output.say("a record on the journal's topic is no entry and was left out")
        else:
            output.json_line(as_line(entry, journal.seals))


def verify(
    file: File = None,
    org: Org = None,
    chain: Chain = None,
    source: From = "kafka",
    key: Keyfile = None,
    against: Annotated[str | None, typer.Option(help="Checkpoints kept elsewhere: a cut tail is told.", metavar="FILE")] = None,
    as_json: Json = False,
) -> None:
    """Whether the chains are whole. Each is answered with the first entry that is wrong, where one is.

    Needs the public key only. Exit status 1 where a chain is broken.
    """
    from agents.journal.chain import CHAINS
    from pipelines import journal

    asked = engines.Engines(engines.read_settings())
    organisation, name = org or asked.settings.org, _chain(chain)
    try:
        kept = journal.checkpoints(against) if against else {}
    except ValueError as error:
        raise SettingsError(str(error)) from error
    kept = {n: point for n, point in kept.items() if organisation in (None, n[0]) and name in (None, n[1])}
    read = journal.from_file(file, organisation, name) if file else _read(asked, source, organisation, name)
    expected = [(organisation, c) for c in CHAINS if name in (None, c)] if organisation else []
    found = journal.verify(read, _pinned(asked, key), kept, expected)
    verdicts = [
        {
            "org": name[0],
            "chain": name[1],
            "entries": v.verdict.entries,
            "ok": v.verdict.ok,
            "first_bad": v.verdict.first_bad,
            "problem": v.verdict.problem,
            "root": v.verdict.root.hex(),
            "countersigned": v.countersigned,
        }
        for name, v in found.items()
    ]
    output.rows(verdicts, _VERDICT, as_json=as_json)
    if not all(v.verdict.ok for v in found.values()):
        raise typer.Exit(exits.NO)


def checkpoint(org: Org = None, chain: Chain = None, as_json: Json = False) -> None:
    """The newest signed checkpoint of each chain. Kept elsewhere, it shows later that a tail was cut (`verify --against`)."""
    from pipelines.journal import as_json as told
    from pipelines.seals import seals

    asked = engines.Engines(engines.read_settings())
    organisation, name = org or asked.settings.org, _chain(chain)
    found = seals(asked.kafka, asked.layout).checkpoints
    points = [told(p) for n, p in sorted(found.items()) if organisation in (None, n[0]) and name in (None, n[1])]
    if output.rows(points, ("org", "chain", "size", "root", "at", "key"), as_json=as_json) == 0:
        output.say("there is no checkpoint: nothing was decided yet")
        raise typer.Exit(exits.NO)


def keys(as_json: Json = False) -> None:
    """The public keys: of the journal, each endorsed by the one that it followed, and of second gates."""
    from pipelines.journal import as_json as told
    from pipelines.seals import seals

    asked = engines.Engines(engines.read_settings())
    found = sorted(seals(asked.kafka, asked.layout).keys, key=lambda k: k.at)
    output.rows(map(told, found), ("key", "role", "public", "endorsed_by", "at"), as_json=as_json)


def countersign(
    key: Annotated[Path, typer.Option(help="The second gate's private key, PEM; made where there is none.", metavar="FILE")],
    org: Org = None,
    as_json: Json = False,
) -> None:
    """As a second gate with a key of its own, look at every promotion that it has not signed, and sign those that hold.

    The chain is verified first. Exit status 1 where it is broken, or where the second gate objects to a promotion.
    """
    from pipelines import countersign as second

    asked = engines.Engines(engines.read_settings())
    producer = asked.producer()
    found = list(second.countersign(asked.settings, asked.kafka, asked.layout, producer, key, org or asked.settings.org, datetime.now(UTC)))
    if any(signed.problem is None for signed in found):
        asked.until_saved()
    rows: list[dict[str, Any]] = [
        {"org": s.org, "sequence": s.sequence, "subject": s.subject, "signed": s.problem is None, "problem": s.problem} for s in found
    ]
    output.rows(rows, ("org", "sequence", "subject", "signed", "problem"), as_json=as_json)
    if any(row["problem"] for row in rows):
        raise typer.Exit(exits.NO)


def rotate(as_json: Json = False) -> None:
    """Let a new key follow the journal's, which endorses it. Run it where the key is, then start the journal's worker again."""
    from pipelines import keyring
    from pipelines.journal import as_json as told

    asked = engines.Engines(engines.read_settings())
    record = keyring.rotate(asked.settings.data, asked.kafka, asked.layout)
    asked.until_saved()
    output.rows([told(record)], ("key", "role", "public", "endorsed_by", "at"), as_json=as_json)


def erase(
    sequence: Annotated[int, typer.Argument(min=1, help="Which entry of the chain.")],
    names: Annotated[list[str], typer.Argument(help="Which of its texts: rule, value, reason.", metavar="NAME...")],
    org: Org = None,
    chain: Annotated[str, typer.Option(help="public or restricted.", metavar="CHAIN")] = "public",
    reviewer: Reviewer = OPERATOR,
    reason: Annotated[str | None, typer.Option(help="Why.", metavar="TEXT")] = None,
    timeout: Timeout = TIMEOUT_SECONDS,
    as_json: Json = False,
) -> None:
    """Erase texts that an entry commits to. The chain stays whole; that they were erased, by whom and why is an entry of its own.

    Exit status 1 where the entry has no such text, or it is erased already.
    """
    from schemas.records import Review
    from sinks import journal as table

    asked = engines.Engines(engines.read_settings())
    org, name = engines.org_of(asked.settings, org), _chain(chain) or "public"
    there = {text.name for text in table.texts(asked.clickhouse, org, name, sequence)}
    if missing := sorted(set(names) - there):
        output.say(
            f"entry {sequence} of the {name} chain of {org} has no text {', '.join(missing)}; it has: {', '.join(sorted(there)) or 'none'}"
        )
        raise typer.Exit(exits.NO)
    review = Review(org=org, subject=f"{name}/{sequence}", act="erase", reviewer=reviewer, reason=reason, names=tuple(names))
    receipt, part = send_one(asked, "reviews", review, timeout)
    if as_json:
        output.json_line({"receipt": receipt, "end": part["end"], "erased": sorted(names)})
    else:
        print(f"erased of entry {sequence}: {', '.join(sorted(names))}")


def _read(asked: engines.Engines, source: str, org: str | None, chain: str | None) -> "Journal":
    from pipelines import journal

    if source == "kafka":
        return journal.from_kafka(asked.kafka, asked.layout, org, chain)
    if source == "clickhouse":
        return journal.from_clickhouse(asked.clickhouse, org, chain)
    raise SettingsError(f"--from {source!r}: kafka or clickhouse is needed")


def _chain(name: str | None) -> str | None:
    from agents.journal.chain import CHAINS

    if name is not None and name not in CHAINS:
        raise SettingsError(f"there is no chain {name!r}: {' or '.join(CHAINS)} is needed")
    return name


def _pinned(asked: engines.Engines, given: str | None) -> "Keys | None":
    """The keys that are believed without anybody's word; None: what is published beside the journal, which is said."""
    from pipelines import keyring

    own = keyring.public_file(asked.settings.data)
    if given or own.exists():
        return keyring.read_public(Path(given) if given else own)
    output.say("tidegate: the keys are those published beside the journal; --key FILE names ones that you got another way")
    return None
