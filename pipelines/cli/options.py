"""Options that several commands share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="JSON lines on stdout, one object a line.")]
Org = Annotated[str | None, typer.Option(help="Organisation; left out: TIDEGATE_ORG.", metavar="ORG")]
Agent = Annotated[str | None, typer.Option(help="Agent; left out: TIDEGATE_AGENT.", metavar="AGENT")]
Branch = Annotated[str, typer.Option(help="Branch of the entry.")]
Reviewer = Annotated[str, typer.Option("--by", help="Who decides.", metavar="NAME")]
Timeout = Annotated[float, typer.Option(min=1, help="Give up after so many seconds in which nothing moved.", metavar="SECONDS")]

TIMEOUT_SECONDS = 300.0
"""A worker that scans commits once a batch: some hundred long runs may be one."""
