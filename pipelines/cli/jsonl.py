"""Commands that answer JSON lines with JSON lines: cases in, answers out, in order."""

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

from pipelines.cli import output
from pipelines.lines import numbered, open_input
from schemas.problem import Problem


def answer(files: Iterable[str], reply: Callable[[dict[str, Any]], dict[str, Any] | Problem]) -> bool:
    """Write the reply to each line, as it is read; what is no case goes to stderr with its line. Whether all were answered."""
    complete = True
    for file in files:
        with open_input(file) as source:
            for number, text in numbered(source):
                replied = text if isinstance(text, Problem) else _replied(text, reply)
                if isinstance(replied, Problem):
                    complete = False
                    output.of_line(file, number, replied.field, replied.detail)
                else:
                    output.json_line(replied)
                    sys.stdout.flush()
    return complete


def _replied(text: bytes, reply: Callable[[dict[str, Any]], dict[str, Any] | Problem]) -> dict[str, Any] | Problem:
    try:
        case = json.loads(text)  # takes lone surrogates, unlike `produce`: whatever a text holds, it is looked at
    except (ValueError, RecursionError) as error:
        return Problem("not_json", None, f"not JSON: {getattr(error, 'msg', type(error).__name__)}")
    return reply(case) if isinstance(case, dict) else Problem("bad_value", None, "not an object")


def strings(case: dict[str, Any], name: str, path: str = "") -> list[str] | Problem:
    """A field of a case that lists strings; left out or null: none."""
    found = case.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(x, str) for x in found):
        return Problem("bad_value", path + name, "not a list of strings")
    return found
