"""`tidegate review`: what waits for a person, and what persons decide (SPEC 4; docs/review.md)."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Agent, Branch, Json, Org, Reviewer, Timeout
from pipelines.cli.sending import send_one

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client

OPERATOR = "operator"
_LEARNING, _ROW = "support/refunds/pattern-check-status --agent agent/support-1", "REF"
EXAMPLES: Mapping[str, str] = {
    "approve": f"{_LEARNING} --by mina --reason 'an example, no order'",
    "reject": f"{_LEARNING} --by mina --reason 'an order to whoever reads it'",
    "object": f"{_ROW} --by mina --reason 'it is out of date'",
    "retract": f"{_ROW} --by mina",
    "demote": f"{_ROW} --by mina --with REF",
    "hide": f"{_ROW} --by mina",
    "unhide": f"{_ROW} --by mina",
    "lift": f"{_LEARNING} --by mina --reason 'a made-up person'",
}
"""Acts by name, with what they are told."""
_ABOUT: Mapping[str, str] = {
    "approve": "Release a held learning, or sign a pool's row that waits for a signature. What is hard nobody can release.",
    "reject": "Refuse a held learning or a pool's row for good: its wording does not come back.",
    "object": "Keep a pool's row from everybody until the objection is retracted.",
    "retract": "Take back an objection of one's own.",
    "demote": "Take it out of every recall, for good; it is kept.",
    "hide": "Take it out of every recall until `unhide`.",
    "unhide": "Show again what was hidden.",
    "lift": "Lift a person's floor from a learning, for the wording in force; never a credential's.",
}
_REFUSED = {
    "unknown_entry": "it is not there",
    "own": "nobody acts on what is their own",
    "another_wording": "it says something else by now: look at it again",
    "not_possible": "that can't be done from where it stands",
    "hard": "what is hard can't be cleared by anybody",
    "reason_needed": "--reason is needed",
}
_QUEUE = ("waits_for", "org", "agent", "space", "target", "kind", "rule", "reason", "at")

Target = Annotated[str, typer.Argument(help="An entry key, with --agent; or the ref of a pool's row.", metavar="TARGET")]


def queue(org: Org = None, as_json: Json = False) -> None:
    """What waits for a person, longest first: held learnings, and rows of pools that lack a signature or that somebody objects to."""
    from sinks import reviews

    asked = engines.Engines(engines.read_settings())
    if output.rows(reviews.queue(asked.clickhouse, org or asked.settings.org), _QUEUE, as_json=as_json) == 0:
        output.say("nothing waits")


def show(target: Target, org: Org = None, agent: Agent = None, branch: Branch = "main", as_json: Json = False) -> None:
    """A learning or a pool's row as a reviewer sees it: the masked text, findings, evidence, and where it stands.

    Exit status 1 where there is none.
    """
    asked = engines.Engines(engines.read_settings())
    org = engines.org_of(asked.settings, org)
    found = _find(asked, org, agent, branch, target)
    if as_json:
        output.json_line(found)
    else:
        output.rows(({"name": name, "": value} for name, value in found.items()), ("name", ""), as_json=False)


def act(name: str) -> Callable[..., None]:
    """The command of an act."""

    def command(
        target: Target,
        org: Org = None,
        agent: Agent = None,
        branch: Branch = "main",
        reviewer: Reviewer = OPERATOR,
        reason: Annotated[str | None, typer.Option(help="Why; kept in the journal, and erasable.", metavar="TEXT")] = None,
        dependants: Annotated[list[str] | None, typer.Option("--with", help="What goes with it, too.", metavar="TARGET")] = None,
        timeout: Timeout = TIMEOUT_SECONDS,
        as_json: Json = False,
    ) -> None:
        from schemas.records import Review

        asked = engines.Engines(engines.read_settings())
        org = engines.org_of(asked.settings, org)
        targets = [target, *(dependants or [])]
        subjects = [_find(asked, org, agent, branch, one) for one in targets]
        refused = False
        for one, found in zip(targets, subjects, strict=True):
            review = Review(
                org=org,
                subject=found["subject"],
                agent=found["agent"] or None,
                space=found["space"] or None,
                act=name,
                reviewer=reviewer,
                reason=reason,
                wording=found["wording"],
            )
            receipt, part = send_one(asked, "reviews", review, timeout)
            refused |= part["end"] != "stored"
            if as_json:
                output.json_line({"target": one, "act": name, "receipt": receipt, "end": part["end"], "reason": part["reason"]})
            elif part["end"] == "stored":
                print(f"{name}: {one}")
            else:
                output.say(f"{one}: {_REFUSED.get(part['reason'], part['reason'])}")
        if refused:
            raise typer.Exit(exits.NO)

    command.__doc__ = f"{_ABOUT[name]}\n\nExit status 1 where it was refused."
    return command


def _find(asked: engines.Engines, org: str, agent: str | None, branch: str, target: str) -> dict[str, Any]:
    """What a target names. Ends with status 1 where there is none."""
    found = _look(asked, asked.clickhouse, org, agent, branch, target)
    if found is None:
        output.say(f"{org} has no {target}: an entry key with --agent, or the ref of a pool's row, is needed")
        raise typer.Exit(exits.NO)
    return found


def _look(asked: engines.Engines, client: "Client", org: str, agent: str | None, branch: str, target: str) -> dict[str, Any] | None:
    from schemas.ids import ids_of
    from sinks import reviews

    if "/" in target:
        return reviews.learning(client, org, engines.agent_of(asked.settings, agent), branch, target)
    ref = ids_of(asked.settings.need_secret(), org).read_ref(target)
    return reviews.shared(client, org, ref.subject) if ref is not None and not ref.own else None
