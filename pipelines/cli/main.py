"""The `tidegate` command: puts the commands together, each with an example. What a command needs is imported when it runs."""

from collections.abc import Callable
from typing import Annotated

import typer

from pipelines.cli import (
    agents,
    api,
    brief,
    compare,
    config,
    demo,
    dlq,
    erase,
    exits,
    explain,
    history,
    import_,
    journal,
    key,
    org,
    principals,
    produce,
    recall,
    receipt,
    review,
    rollback,
    scan,
    sink,
    sql,
    status,
    topics,
    up,
    worker,
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"tidegate {version('tidegate')}")
        raise typer.Exit


def _program(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")] = False,
) -> None:
    """What stands before a command."""


app = typer.Typer(
    name="tidegate",
    callback=_program,
    cls=exits.Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Carries what an agent learned in a private run to the other agents of its organisation, and lets nothing else through.",
    epilog="Exit status: 0 done; 1 the answer is no; 2 wrong usage or settings; 3 an engine can't be reached; "
    "4 a part of the input was refused, the rest was taken.",
)


def _family(name: str, about: str) -> typer.Typer:
    family = typer.Typer(cls=exits.Commands, no_args_is_help=True, rich_markup_mode="rich", help=about)
    app.add_typer(family, name=name, rich_help_panel=_LOOK)
    return family


def _add(to: typer.Typer, name: str, command: Callable[..., None], example: str, panel: str | None = None) -> None:
    to.command(name, epilog=f"Example: [bold]tidegate {example}[/bold]", rich_help_panel=panel)(command)


_RUN, _SEND, _ASK, _LOOK, _OFFLINE = "Run", "Send", "Ask", "Look after", "Without engines"
_ENTRY = "support/refunds/pattern-check-status --org acme --agent agent/support-1"

_add(app, "up", up.up, "up", _RUN)
_add(app, "worker", worker.worker, "worker --agents scan,aggregate,promote", _RUN)
_add(app, "sink", sink.sink, "sink", _RUN)
_add(app, "api", api.api, "api", _RUN)
_add(app, "topics", topics.topics, "topics --create", _RUN)
_add(app, "config", config.config, "config", _RUN)
_add(app, "demo", demo.demo, "demo", _RUN)

_add(app, "produce", produce.produce, "produce runs runs.jsonl.gz --wait", _SEND)
_add(app, "import", import_.import_, "import claude-code session.jsonl --org acme --agent agent/coder --wait", _SEND)
_add(app, "receipt", receipt.receipt, "receipt runs:3:17", _SEND)
_add(app, "rollback", rollback.rollback, f"rollback {_ENTRY.replace(' ', ' 3 ', 1)}", _SEND)
_add(app, "erase", erase.erase, "erase --org acme --entity 'Ann Lee' --by person/mina", _SEND)

_add(app, "recall", recall.recall, 'recall "refund of an order in transit" --org acme --agent agent/support-1', _ASK)
_add(app, "brief", brief.brief, "brief --org acme --agent agent/support-1 --env runtime=node", _ASK)
_add(app, "history", history.history, f"history {_ENTRY}", _ASK)
_add(app, "explain", explain.explain, f"explain {_ENTRY} --plot confidence.svg", _ASK)
_add(app, "why", history.why, f"why {_ENTRY}", _ASK)
_add(app, "sql", sql.sql, 'sql "SELECT space, rule, trust FROM v_pool" --json', _ASK)

_add(app, "status", status.status, "status", _LOOK)
_agents = _family("agents", "Who there is: load agents, list them.")
_add(_agents, "load", agents.load, "agents load agents.jsonl")
_add(_agents, "list", agents.listing, "agents list --json")
_org = _family("org", "Organisations, each with somebody who administers it.")
_add(_org, "add", org.add, "org add acme --administrator person/mina")
_add(_org, "list", org.listing, "org list --json")
_add(_org, "revoke", org.revoke, "org revoke acme")
for _kind, _about, _example in (
    ("agent", "Agents, with their keys and roles.", "agent/support-1 --org acme --home-space department/support --hosted"),
    ("person", "Persons, with their keys and roles.", "person/mina --org acme --role reviewer:department/support"),
):
    _family_of = _family(_kind, _about)
    _add(_family_of, "add", principals.add(_kind), f"{_kind} add {_example}")
    _add(_family_of, "list", principals.listing(_kind), f"{_kind} list --org acme")
    _add(_family_of, "revoke", principals.revoke(_kind), f"{_kind} revoke {_example.partition(' --org')[0]} --org acme")
_key = _family("key", "Keys: give one to a principal, list them, revoke one.")
_add(_key, "add", key.add, "key add agent/support-1 --org acme --attests ci --out ci.key")
_add(_key, "list", key.listing, "key list --org acme")
_add(_key, "revoke", key.revoke, "key revoke 56475aa75463474c --org acme")
_dlq = _family("dlq", "Messages that could not be taken: list them, look at them, send them again.")
_add(_dlq, "list", dlq.listing, "dlq list --reason unknown_schema")
_add(_dlq, "show", dlq.show, "dlq show outcomes:2:41")
_add(_dlq, "replay", dlq.replay, "dlq replay outcomes:2:41")

_journal = _family("journal", "What was decided, in order, and the proof that nobody changed it.")
_add(_journal, "tail", journal.tail, "journal tail -n 5 --org acme")
_add(_journal, "show", journal.show, "journal show 17 --org acme")
_add(_journal, "export", journal.export, "journal export --org acme > acme.jsonl")
_add(_journal, "verify", journal.verify, "journal verify acme.jsonl --key journal.pub")
_add(_journal, "checkpoint", journal.checkpoint, "journal checkpoint --json > kept-elsewhere.jsonl")
_add(_journal, "keys", journal.keys, "journal keys --json")
_add(_journal, "countersign", journal.countersign, "journal countersign --key second-gate.key")
_add(_journal, "rotate", journal.rotate, "journal rotate")
_add(_journal, "erase", journal.erase, "journal erase 17 rule --org acme --reason 'it named a customer'")

_review = _family("review", "What a person decides: look at what waits, and act on a learning or on a pool's row.")
_add(_review, "queue", review.queue, "review queue --json")
_add(_review, "show", review.show, f"review show {_ENTRY}")
for _act, _example in review.EXAMPLES.items():
    _add(_review, _act, review.act(_act), f"review {_act} {_example}")
_add(_review, "rollback", review.rollback, f"review rollback {_ENTRY.replace(' ', ' 3 ', 1)} --by mina --reason 'it was right before'")
for _act in ("ban", "unban"):
    _add(_review, _act, review.ban(_act), f"review {_act} agent/support-1 --by mina --reason 'it repeats orders'")

_add(app, "scan", scan.scan, "scan --fail-on high notes.md", _OFFLINE)
_add(app, "compare", compare.compare, "compare --jsonl pairs.jsonl", _OFFLINE)

if __name__ == "__main__":
    app()
