"""`tidegate review`: what waits for a person, and what persons decide (SPEC 4; docs/review.md)."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import TIMEOUT_SECONDS, Agent, Branch, Json, Org, Reviewer, Timeout
from pipelines.cli.sending import send_one

if TYPE_CHECKING:
    from schemas.records import Review

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
    "ban": "Refuse an agent's next learnings, until `unban`; what it wrote before stays as it is.",
    "unban": "Take an agent's learnings again.",
}
_REFUSED = {
    "unknown_entry": "it is not there",
    "own": "nobody acts on what is their own",
    "another_wording": "it says something else by now: look at it again",
    "not_possible": "that can't be done from where it stands",
    "hard": "what is hard can't be cleared by anybody",
    "reason_needed": "--reason is needed",
    "access_breach": "whoever signed may not do that: a role is needed (docs/review.md)",
    "rejected": "its wording was rejected, and stays so",
    "unknown_version": "there is no such version",
}
_QUEUE = ("waits_for", "org", "agent", "space", "target", "kind", "rule", "reason", "at")

Target = Annotated[str, typer.Argument(help="An entry key, with --agent; or the ref of a pool's row.", metavar="TARGET")]

Reason = Annotated[str | None, typer.Option(help="Why; kept in the journal, and erasable.", metavar="TEXT")]


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
        reason: Reason = None,
        dependants: Annotated[list[str] | None, typer.Option("--with", help="What goes with it, too.", metavar="TARGET")] = None,
        timeout: Timeout = TIMEOUT_SECONDS,
        as_json: Json = False,
    ) -> None:
        from pipelines import reviewing

        asked = engines.Engines(engines.read_settings())
        org = engines.org_of(asked.settings, org)
        targets = [target, *(dependants or [])]
        subjects = [_find(asked, org, agent, branch, one) for one in targets]
        told = [(one, reviewing.review(org, found, name, reviewer, reason)) for one, found in zip(targets, subjects, strict=True)]
        _send(asked, told, timeout, as_json)

    command.__doc__ = f"{_ABOUT[name]}\n\nExit status 1 where it was refused."
    return command


def ban(name: str) -> Callable[..., None]:
    """The command that bans an agent, or ends it."""

    def command(
        banned: Annotated[str, typer.Argument(help="The agent.", metavar="AGENT")],
        org: Org = None,
        reviewer: Reviewer = OPERATOR,
        reason: Reason = None,
        timeout: Timeout = TIMEOUT_SECONDS,
        as_json: Json = False,
    ) -> None:
        from pipelines import reviewing

        asked = engines.Engines(engines.read_settings())
        org = engines.org_of(asked.settings, org)
        _send(asked, [(banned, reviewing.ban(org, banned, name, reviewer, reason))], timeout, as_json)

    command.__doc__ = f"{_ABOUT[name]}\n\nExit status 1 where it was refused."
    return command


def rollback(
    target: Annotated[str, typer.Argument(help="Entry key of somebody's learning.", metavar="TARGET")],
    version: Annotated[int, typer.Argument(min=1, help="The version that is to be the newest again.", metavar="VERSION")],
    org: Org = None,
    agent: Agent = None,
    branch: Branch = "main",
    reviewer: Reviewer = OPERATOR,
    reason: Reason = None,
    timeout: Timeout = TIMEOUT_SECONDS,
    as_json: Json = False,
) -> None:
    """Make an old version of somebody's learning the newest, as a new version; its wording is scanned anew.

    Exit status 1 where it was refused.
    """
    from pipelines import reviewing
    from sinks.queries import written

    asked = engines.Engines(engines.read_settings())
    org = engines.org_of(asked.settings, org)
    found = _find(asked, org, agent, branch, target)
    old = written(asked.clickhouse, org, found["agent"], branch, target, version)
    if old is None or not old["rule"]:
        output.say(f"{target} has no version {version} that can come back")
        raise typer.Exit(exits.NO)
    again = reviewing.write_again(org, found["agent"], branch, target, version, old)
    _send(asked, [(target, reviewing.review(org, found, "rollback", reviewer, reason, write=again))], timeout, as_json)


def _send(asked: engines.Engines, told: "Sequence[tuple[str, Review]]", timeout: float, as_json: bool) -> None:
    """Send reviews, each with what it was called by, and say how each ended. Ends with status 1 where one was refused."""
    refused = False
    for target, review in told:
        receipt, part = send_one(asked, "reviews", review, timeout)
        done = part["end"] in ("stored", "held")
        refused |= not done
        if as_json:
            output.json_line({"target": target, "act": review.act, "receipt": receipt, "end": part["end"], "reason": part["reason"]})
        elif done:
            print(f"{review.act}: {target}")
        else:
            output.say(f"{target}: {_REFUSED.get(part['reason'], part['reason'])}")
    if refused:
        raise typer.Exit(exits.NO)


def _find(asked: engines.Engines, org: str, agent: str | None, branch: str, target: str) -> dict[str, Any]:
    """What a target names. Ends with status 1 where there is none."""
    from pipelines import reviewing

    whose = engines.agent_of(asked.settings, agent) if "/" in target else None
    found = reviewing.look(asked.clickhouse, asked.settings.need_secret(), org, whose, branch, target)
    if found is None:
        output.say(f"{org} has no {target}: an entry key with --agent, or the ref of a pool's row, is needed")
        raise typer.Exit(exits.NO)
    return found
