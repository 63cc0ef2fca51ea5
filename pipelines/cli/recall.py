"""`tidegate recall`."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import engines, output
from pipelines.cli.options import Agent, Json, Org
from pipelines.errors import SettingsError, Unreachable

if TYPE_CHECKING:
    from confluent_kafka import KafkaError, Message

    from schemas.records import Exposure

_COLUMNS = ("score", "section", "rule", "where", "why", "ref")


class Scope(StrEnum):
    """Whose learnings are asked for (SPEC 7.2)."""

    EVERY = "every"
    OWN = "own"
    ORG = "org"
    WALK = "walk"
    AREA = "area"
    SPACE = "space"


def recall(
    text: Annotated[str, typer.Argument(help="What the learnings should be about.", metavar="TEXT")],
    org: Org = None,
    agent: Agent = None,
    scope: Annotated[
        Scope,
        typer.Option(
            help="own: the agent's; org: the pools that it can view; every: both; walk: its area, then each above, to the first "
            "that answers; area, space: the one named, alone."
        ),
    ] = Scope.EVERY,
    area: Annotated[str | None, typer.Option(help="Work area of the agent.", metavar="AREA")] = None,
    space: Annotated[str | None, typer.Option(help="Space, for --scope space.", metavar="SPACE")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most rows that are wanted.")] = 10,
    depth: Annotated[int, typer.Option(min=1, max=3, help="Of the agent's own: 1 hot, 2 and warm, 3 all.")] = 3,
    as_json: Json = False,
) -> None:
    """Ask what is known, best first. What was shown is told to the stream (an exposure), as of any agent that reads."""
    import sys

    from pipelines import secret
    from sinks import meaning
    from sinks.ask import Ask
    from sinks.recall import Recall

    if not text.strip():
        raise SettingsError("TEXT is empty: say what the learnings should be about")
    settings = engines.read_settings()
    asked = engines.Engines(settings)
    try:
        ask = Ask(
            org=engines.org_of(settings, org),
            agent=engines.agent_of(settings, agent),
            text=text,
            scope=scope.value,
            area=area,
            space=space,
            limit=limit,
            depth=depth,
        )
    except ValueError as error:
        raise SettingsError(str(error)) from error
    secret.agree(asked.kafka, settings, "recall")
    answer = Recall(
        asked.clickhouse, settings.need_secret(), settings.half_life_days, meaning.load(settings.meaning), engines.vault_of(settings)
    ).answer(ask)
    where = ({} if as_json else {"where": row["entry_key"] or f"pool of {row['space']}"} for row in answer.rows)
    output.rows((row | more for row, more in zip(answer.rows, where, strict=True)), _COLUMNS, as_json=as_json)
    sys.stdout.flush()
    if answer.exposure is None:
        output.say(f"{ask.agent} of {ask.org} is not known: load it (`tidegate agents load`), or send a run of it first")
        return
    if not answer.rows:
        output.say(f"nothing that {ask.agent} of {ask.org} may read matches")
        return
    tell(asked, answer.exposure)


def tell(asked: engines.Engines, exposure: "Exposure") -> None:
    """Leave an exposure on the stream. Raises Unreachable where the broker does not take it."""
    from pipelines.produce import Headers, message_key
    from schemas import codec

    producer = asked.producer()
    failed: list[str] = []

    def delivered(error: "KafkaError | None", _: "Message") -> None:
        if error is not None:
            failed.append(error.str())

    value = codec.encode(exposure)
    headers: Headers = [asked.signer.header("recalls", exposure.org, value)] if asked.signer else []
    producer.produce(asked.settings.prefix + "recalls", value, message_key(exposure), headers=headers, on_delivery=delivered)
    producer.flush()
    if failed:
        raise Unreachable(f"the exposure was not taken by the broker: {failed[0]}")
