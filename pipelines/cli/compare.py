"""`tidegate compare`: how near two wordings are, without any engine."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.cli import engines, exits
from pipelines.errors import SettingsError

if TYPE_CHECKING:
    from agents.promote.similarity import Form
    from schemas.problem import Problem


def compare(
    files: Annotated[list[str] | None, typer.Argument(help="JSON lines; - is standard input, the default.", metavar="[FILE]...")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read and write JSON lines: the only form so far.")] = False,
) -> None:
    """Tell duplicates, contradictions and distinct wordings apart, as a pool does before it takes one more.

    Each line is {"id", "a": {"rule", "tools"}, "b": {"rule", "tools"}} and is answered, in order, by {"id", "relation", "similarity"}.
    Exit status 4 where a line can't be read.
    """
    from agents.promote.similarity import relation
    from pipelines.cli.jsonl import answer
    from schemas.problem import Problem

    if not jsonl:
        raise SettingsError("compare reads JSON lines: give --jsonl")
    threshold = engines.read_settings().similarity

    def reply(case: dict[str, Any]) -> "dict[str, Any] | Problem":
        a, b = _form(case, "a"), _form(case, "b")
        if isinstance(a, Problem):
            return a
        if isinstance(b, Problem):
            return b
        found = relation(a, b, threshold)
        return {"id": case.get("id"), "relation": found.relation, "similarity": found.similarity}

    if not answer(files or ["-"], reply):
        raise typer.Exit(exits.PARTLY_REFUSED)


def _form(case: dict[str, Any], name: str) -> "Form | Problem":
    from agents.promote.similarity import form
    from pipelines.cli.jsonl import strings
    from schemas.problem import Problem

    wording = case.get(name)
    if not isinstance(wording, dict):
        return Problem("bad_value", name, "an object is needed")
    if not isinstance(wording.get("rule"), str):
        return Problem("bad_value", f"{name}.rule", "a string is needed")
    tools = strings(wording, "tools", f"{name}.")
    return tools if isinstance(tools, Problem) else form(wording["rule"], None, tuple(tools))
