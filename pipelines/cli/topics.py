"""`tidegate topics`."""

from dataclasses import asdict
from typing import Annotated

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import Json


def topics(
    create: Annotated[bool, typer.Option("--create", help="Make the topics that are missing.")] = False,
    as_json: Json = False,
) -> None:
    """Check the topics on the broker against what is declared; exit status 1 where one is not as it should be."""
    from pipelines import admin, secret

    asked = engines.Engines(engines.read_settings())
    states = (admin.create if create else admin.check)(asked.kafka, asked.layout)
    if create and asked.settings.secret is not None:
        secret.agree(asked.kafka, asked.settings, "scan", found=True)
    output.rows((asdict(state) for state in states), ("topic", "partitions", "policy", "ok", "problem"), as_json=as_json)
    if not all(state.ok for state in states):
        raise typer.Exit(exits.NO)
