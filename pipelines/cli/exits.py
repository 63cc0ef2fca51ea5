"""How a command ends: its exit status and, where it failed, one line on stderr (INTERFACES, "Commands")."""

import os
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from pipelines.errors import Failure

NO = 1
"""The answer is no: a check failed, a wait ran out, findings at or above `--fail-on`."""
USAGE = 2
UNREACHABLE = 3
PARTLY_REFUSED = 4
"""Part of the input was refused; the rest was taken."""
FAULT = 70
"""A fault of ours (sysexits' EX_SOFTWARE). PYTHONDEVMODE=1 shows where."""

_LINE_CHARS = 600
"""Engines repeat the whole query in what they say of it."""
_DB_EXCEPTION = re.compile(r"DB::Exception: (.*?)( \(for url [^)]*\))?$")
_ROOT = Path(__file__).resolve().parents[2]


class Commands(TyperGroup):
    """A group of commands whose errors are one line each, without a traceback."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and exit with its status."""
        try:
            status = super().main(args, prog_name or "tidegate", complete_var, False, windows_expand_args, **extra)
        except TyperException as error:
            sys.exit(_usage(error))
        except Exception as error:  # the edge: whatever comes is said in one line
            sys.exit(_failed(error))
        sys.exit(status if isinstance(status, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run the command. A reader that went away (`| head`) has what it wanted."""
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
            return answer
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None


def _usage(error: TyperException) -> int:
    if type(error).__name__ == "NoArgsIsHelpError":
        return error.exit_code  # the help was printed as the error was made
    text = " ".join(error.format_message().replace("Value error, ", "").split())
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "tidegate"
    print(f"{command}: {text.rstrip('.')} (`{command} --help` says more)", file=sys.stderr)
    return error.exit_code


def _failed(error: Exception) -> int:
    status, text = _explain(error)
    if status == FAULT and sys.flags.dev_mode:
        traceback.print_exception(error)
    line = " ".join(text.split())
    print(f"tidegate: {line if len(line) <= _LINE_CHARS else line[: _LINE_CHARS - 1] + '…'}", file=sys.stderr)
    return status


def _explain(error: Exception) -> tuple[int, str]:
    if isinstance(error, Failure):
        return error.status, str(error)
    # Late: these take longer to import than most commands to run.
    from clickhouse_connect.driver.exceptions import ClickHouseError
    from confluent_kafka import KafkaError, KafkaException

    if isinstance(error, KafkaException):
        fault = error.args[0]
        return UNREACHABLE, f"the broker did not do what was asked: {fault.str() if isinstance(fault, KafkaError) else fault}"
    if isinstance(error, ClickHouseError):
        return UNREACHABLE, f"ClickHouse did not answer: {clickhouse_says(error)}"
    if isinstance(error, TimeoutError):
        return UNREACHABLE, "an engine did not answer in time; `tidegate status` tells which, its log says why"
    if isinstance(error, OSError) and error.filename is not None:
        return USAGE, f"{error.filename}: {error.strerror or type(error).__name__}"
    # No text of the exception: it may hold what the user's records hold.
    return FAULT, f"unexpected {type(error).__name__} {_where(error)}; PYTHONDEVMODE=1 shows the whole of it"


def clickhouse_says(error: Exception) -> str:
    """What ClickHouse says is wrong, without what its client wraps around it."""
    first = next((line for line in str(error).splitlines() if line.strip()), "no reason given")
    said = _DB_EXCEPTION.search(first)
    return said[1] if said else first


def _where(error: Exception) -> str:
    ours = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).resolve().is_relative_to(_ROOT)]
    return f"in {Path(ours[-1].filename).resolve().relative_to(_ROOT)}:{ours[-1].lineno}" if ours else "outside of our own files"
