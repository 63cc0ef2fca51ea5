"""`tidegate up`."""

from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import engines, output
from pipelines.cli.options import Json

if TYPE_CHECKING:
    from pipelines.runtime import Running

Port = Annotated[int | None, typer.Option(min=1, max=65535, metavar="PORT", help="Left out: that of the last time, else a free one.")]


Open = Annotated[bool, typer.Option("--open", help="Take messages without a signature for whoever they name (TIDEGATE_OPEN).")]


def up(kafka_port: Port = None, clickhouse_port: Port = None, http_port: Port = None, admit: Open = False, as_json: Json = False) -> None:
    """Run everything under one data directory, on loopback: broker, ClickHouse with its sink, HTTP, and a worker with all agents.

    Prints one line `ready` once it can take work; Ctrl-C or TERM stops it. What it keeps is there again the next time.
    """
    import os
    import sys

    from pipelines.supervisor import up

    if admit:
        os.environ["TIDEGATE_OPEN"] = "yes"  # for the parts too
    settings = engines.read_settings()

    def ready(running: "Running") -> None:
        found = {"brokers": settings.brokers or running.brokers, "clickhouse": running.clickhouse, "http": running.http}
        addresses = {name: address for name, address in found.items() if address}
        if as_json:
            output.json_line({"ready": True, **addresses})
        else:
            print("ready " + " ".join(f"{name}={address}" for name, address in addresses.items()))
        sys.stdout.flush()

    up(
        settings,
        ready,
        lambda line: output.say(f"tidegate: {line}"),
        kafka_port=kafka_port,
        clickhouse_port=clickhouse_port,
        http_port=http_port,
    )
