"""`tidegate recall`."""

from enum import StrEnum
from typing import Annotated

import typer

from pipelines.cli.options import Agent, Json, Org


class Scope(StrEnum):
    """Whose learnings are asked for (SPEC 7.2)."""

    EVERY = "every"
    OWN = "own"
    ORG = "org"


def recall(
    text: Annotated[str, typer.Argument(help="What the learnings should be about.", metavar="TEXT")],
    org: Org = None,
    agent: Agent = None,
    scope: Annotated[Scope, typer.Option(help="own: the agent's learnings; org: the pools it can view; every: both.")] = Scope.EVERY,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Most rows that are wanted.")] = 10,
    depth: Annotated[int, typer.Option(min=1, max=3, help="Own learnings: 1 hot, 2 and warm, 3 all.")] = 3,
    as_json: Json = False,
) -> None:
    """Ask what is known, best first. What is shown is told to the stream (an exposure), as for any agent that reads."""
    raise NotImplementedError
