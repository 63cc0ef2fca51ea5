"""`tidegate worker`."""

from typing import Annotated

import typer

from pipelines.cli import engines


def worker(
    agents: Annotated[
        str, typer.Option(help="Which agents it runs, separated by commas: scan, aggregate, promote, journal.", metavar="NAMES")
    ] = "scan,aggregate,promote",
) -> None:
    """Run agents until TERM or Ctrl-C; as many workers as there are partitions share the work. Prints `ready` once it can take some.

    `tidegate up` runs one with all agents. In production run one worker more for the journal alone, which signs.
    """
    from pipelines.app import work
    from pipelines.child import READY_LINE

    settings = engines.read_settings()
    asked = engines.Engines(settings)
    work(settings, asked.endpoints.brokers, [name.strip() for name in agents.split(",")], lambda: print(READY_LINE.decode(), flush=True))
