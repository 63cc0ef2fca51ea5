"""`tidegate rollback`."""

from typing import Annotated

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.history import Entry, nothing
from pipelines.cli.options import TIMEOUT_SECONDS, Agent, Branch, Json, Org, Timeout
from pipelines.cli.sending import send_one

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
    from pipelines.reviewing import write_again
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
    receipt, part = send_one(asked, "writes", write_again(org, agent, branch, entry, version, old), timeout)
    now = newest(client, org, agent, branch, entry)
    came_back = part["end"] in ("stored", "held")
    if as_json:
        output.json_line({"receipt": receipt, "end": part["end"], "reason": part["reason"], "version": now})
    elif came_back:
        print(f"version {now} says what version {version} said" + (" and is held" if part["end"] == "held" else ""))
    if not came_back:
        output.say(f"version {version} did not come back: {_REFUSED.get(part['reason'], part['reason'])}")
        raise typer.Exit(exits.NO)
