"""`tidegate sql`."""

import sys
from typing import Annotated

import typer

from pipelines.cli import engines, exits, output
from pipelines.cli.options import Json

_CHUNK_BYTES = 1024 * 1024


def sql(
    query: Annotated[str, typer.Argument(help="A SELECT; - reads it from standard input.", metavar="QUERY")],
    as_json: Json = False,
) -> None:
    """Ask ClickHouse, read-only, with the operator's rights. docs/views.md describes the views."""
    from clickhouse_connect.driver.exceptions import Error

    text = (sys.stdin.read() if query == "-" else query).strip().rstrip(";")
    client = engines.Engines(engines.read_settings()).clickhouse
    # The embedded one is read-only by itself, and lets nobody say so again.
    settings = {"readonly": 1} if client.server_settings["readonly"].value == "0" else None
    try:
        if as_json:
            # In ClickHouse's own words, so that types read as they do everywhere else, and as a stream.
            with client.raw_stream(text, fmt="JSONEachRow", settings=settings) as answer:
                while chunk := answer.read(_CHUNK_BYTES):
                    sys.stdout.buffer.write(chunk)
            return
        found = client.query(text, settings=settings)
    except Error as error:
        if error.code is None:
            raise
        output.say(f"tidegate sql: ClickHouse does not take this query: {exits.clickhouse_says(error)}")
        raise typer.Exit(exits.USAGE) from None
    names = found.column_names
    if not output.rows((dict(zip(names, row, strict=True)) for row in found.result_rows), names, as_json=False):
        output.say("no rows")
