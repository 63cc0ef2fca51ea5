"""`tidegate receipt`."""

from typing import Annotated

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import Json


def receipt(
    receipt_id: Annotated[
        str, typer.Argument(help="What `produce --json` told (topic:partition:offset), or what HTTP answered.", metavar="ID")
    ],
    as_json: Json = False,
) -> None:
    """How each part of a message ended. Exit status 1 where no part of it has come to an end yet."""
    from pipelines.receipts import place_of
    from sinks.queries import receipt

    asked = engines.Engines(settings := engines.read_settings())
    place = receipt_id if settings.secret is None else place_of(settings.secret, receipt_id)
    parts = receipt(asked.clickhouse, place)
    if as_json:
        output.json_line({"id": receipt_id, "parts": parts})
    else:
        output.rows(parts, ("part", "end", "reason"), as_json=False)
    if not parts:
        output.say(f"no part of {receipt_id} has come to an end yet, or there is no such message")
        raise typer.Exit(exits.NO)
