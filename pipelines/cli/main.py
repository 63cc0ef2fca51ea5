"""The `tidegate` command: puts the commands together, each with an example. What a command needs is imported when it runs."""

import typer

from pipelines.cli import agents, config, exits, history, produce, receipt, scan, status, topics

app = typer.Typer(
    name="tidegate",
    cls=exits.Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Carries what an agent learned in a private run to the other agents of its organisation, and lets nothing else through.",
    epilog="Exit status: 0 done; 1 the answer is no; 2 wrong usage or settings; 3 an engine can't be reached; "
    "4 a part of the input was refused, the rest was taken.",
)


def _example(line: str) -> str:
    return f"Example: [bold]{line}[/bold]"


app.command(epilog=_example("tidegate topics --create"))(topics.topics)
app.command(epilog=_example("tidegate produce runs runs.jsonl.gz --wait"))(produce.produce)
app.command(epilog=_example("tidegate receipt runs:3:17"))(receipt.receipt)
app.command(epilog=_example("tidegate history support/refunds/pattern-check-status --org acme --agent agent/support-1"))(history.history)
app.command(epilog=_example("tidegate why support/refunds/pattern-check-status --org acme --agent agent/support-1"))(history.why)
app.command(epilog=_example("tidegate scan --fail-on high notes.md"))(scan.scan)
app.command(epilog=_example("tidegate status"))(status.status)
app.command(epilog=_example("tidegate config"))(config.config)

_agents = typer.Typer(cls=exits.Commands, no_args_is_help=True, help="Who there is: load agents, list them.", rich_markup_mode="rich")
_agents.command("load", epilog=_example("tidegate agents load agents.jsonl"))(agents.load)
_agents.command("list", epilog=_example("tidegate agents list --json"))(agents.show)
app.add_typer(_agents, name="agents")

if __name__ == "__main__":
    app()
