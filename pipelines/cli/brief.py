"""`tidegate brief`: what an agent should know before it begins (SPEC 7.9)."""

from typing import Annotated

import typer

from pipelines.cli import engines, output
from pipelines.cli.options import Agent, Json, Org
from pipelines.cli.recall import tell
from pipelines.errors import SettingsError

BUDGET = 2_000
_COLUMNS = ("section", "rule", "where", "why", "ref")


def brief(
    org: Org = None,
    agent: Agent = None,
    area: Annotated[str | None, typer.Option(help="Work area of the agent.", metavar="AREA")] = None,
    environment: Annotated[
        list[str] | None, typer.Option("--env", help="Of the agent, such as runtime=node; once for each.", metavar="KEY=VALUE")
    ] = None,
    budget: Annotated[int, typer.Option(min=1, help="Most tokens that the wordings may take, four characters each.")] = BUDGET,
    as_json: Json = False,
) -> None:
    """What an agent should know before it begins: instructions in force, procedures, what is hot, and what to be wary of.

    What was shown is told to the stream (an exposure), as of any agent that reads.
    """
    import sys

    from pipelines import secret
    from sinks.ask import Ask
    from sinks.recall import Recall

    pairs = [pair.partition("=") for pair in environment or ()]
    if wrong := next((name for name, sign, _ in pairs if not sign or not name), None):
        raise SettingsError(f"--env {wrong!r}: KEY=VALUE is needed")
    settings = engines.read_settings()
    asked = engines.Engines(settings)
    ask = Ask(org=engines.org_of(settings, org), agent=engines.agent_of(settings, agent), text="", area=area)
    secret.agree(asked.kafka, settings, "recall")
    recall = Recall(asked.clickhouse, settings.need_secret(), settings.half_life_days, vault=engines.vault_of(settings))
    found = recall.brief(ask, {name: value for name, _, value in pairs}, budget)
    rows = found.answer.rows
    where = ({} if as_json else {"where": row["entry_key"] or f"pool of {row['space']}"} for row in rows)
    output.rows((row | more for row, more in zip(rows, where, strict=True)), _COLUMNS, as_json=as_json)
    sys.stdout.flush()
    if found.answer.exposure is None:
        output.say(f"{ask.agent} of {ask.org} is not known: load it (`tidegate agents load`), or send a run of it first")
        return
    output.say(f"{found.tokens} tokens; {found.left_out} rows found no room within {budget}")
    if rows:
        tell(asked, found.answer.exposure)
