"""`tidegate demo`."""

from typing import Annotated

import typer

from pipelines.cli import engines, exits


def demo(
    here: Annotated[
        bool, typer.Option("--here", help="On the engines that run already, in an organisation of its own; its data stays there.")
    ] = False,
) -> None:
    """Run a made-up office through the pipeline and show what crosses, what does not, and that the counts are right.

    It starts engines of its own in a temporary directory and leaves nothing behind, unless --here says otherwise. Exit status 1 where
    a planted value came through or a count is wrong.
    """
    from rich.console import Console

    from pipelines.demo.run import run

    if not run(engines.read_settings() if here else None, Console()):
        raise typer.Exit(exits.NO)
