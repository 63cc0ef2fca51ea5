"""`tidegate rollback`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.history import Entry, nothing
from pipelines.cli.options import TIMEOUT_SECONDS, Agent, Branch, Json, Org, Timeout
from pipelines.cli.sending import send_one

if TYPE_CHECKING:
    from schemas.records import Write

_LISTS = ("tools", "goal_phrases", "pattern_refs", "value_bindings")
_WHERE = ("session", "work_area", "space", "producer")
_REFUSED = {
    "rejected": "its wording was rejected, and stays so",
    "unknown_version": "there is no such version",
    "another_wording": "today's scan changes its wording, so that it would not be the same",
}


def rollback(
    entry: Entry,
    version: Annotated[int, typer.Argument(min=1, help="The version that is to be the newest again.", metavar="VERSION")],
    org: Org = None,
    agent: Agent = None,
    branch: Branch = "main",
    timeout: Timeout = TIMEOUT_SECONDS,
    as_json: Json = False,
) -> None:
    """Make an old version of a learning the newest, as a new version; returns when it can be read.

    A wording that was replaced is scanned anew and starts untested; the one in force keeps its evidence. Exit status 1 where the version is
    not there or can't come back.
    """
    from sinks.queries import newest, written

    settings = engines.read_settings()
    org, agent = engines.org_of(settings, org), engines.agent_of(settings, agent)
    asked = engines.Engines(settings)
    client = asked.clickhouse
    there = newest(client, org, agent, branch, entry)
    if not there:
        nothing(entry, org, agent)
    old = written(client, org, agent, branch, entry, version)
    if old is None or not old["rule"]:
        why = "it is held without its wording" if old else f"the newest is {there}"
        output.say(f"{entry} has no version {version} that can come back: {why}")
        raise typer.Exit(exits.NO)
    receipt, part = send_one(asked, "writes", _write(org, agent, branch, entry, version, old), timeout)
    now = newest(client, org, agent, branch, entry)
    came_back = part["end"] in ("stored", "held")
    if as_json:
        output.json_line({"receipt": receipt, "end": part["end"], "reason": part["reason"], "version": now})
    elif came_back:
        print(f"version {now} says what version {version} said" + (" and is held" if part["end"] == "held" else ""))
    if not came_back:
        output.say(f"version {version} did not come back: {_REFUSED.get(part['reason'], part['reason'])}")
        raise typer.Exit(exits.NO)


def _write(org: str, agent: str, branch: str, entry: str, version: int, old: Mapping[str, Any]) -> "Write":
    from schemas.records import LearningDraft, Write

    said: dict[str, Any] = {name: tuple(value) if name in _LISTS else value for name, value in old.items() if name not in _WHERE}
    learning = LearningDraft(entry_key=entry, branch=branch, **said)
    return Write(org=org, agent=agent, learning=learning, rollback_to=version, **{name: old[name] for name in _WHERE})
