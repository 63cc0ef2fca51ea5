"""Tidegate's own commands, as the demo gives them: what anybody could type, with JSON in and out."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pipelines import tether
from pipelines.errors import Failure

Json = dict[str, Any]

_TIDEGATE = (sys.executable, "-m", "pipelines.cli.main")
_PARTLY = 4
"""Exit status where part of the input was refused, which the demo wants to see."""


class Commands:
    """Runs commands in an environment."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = dict(environ)

    def run(self, *arguments: str, lines: Iterable[Json] = ()) -> list[Json]:
        """What a command prints, with `lines` on its standard input. Raises Failure, with the command's own words, where it fails."""
        given = "".join(json.dumps(line) + "\n" for line in lines)
        done = subprocess.run([*_TIDEGATE, *arguments, "--json"], input=given, capture_output=True, text=True, env=self.environ)
        if done.returncode not in (0, _PARTLY):
            raise Failure(f"`tidegate {arguments[0]}` failed: {_last_line(done.stderr)}")
        return [json.loads(line) for line in done.stdout.splitlines()]


@contextmanager
def up(environ: Mapping[str, str]) -> Iterator[Json]:
    """`tidegate up` while the block runs; gives what it says when it is ready. Raises Failure where it never is."""
    # Tied to this process: whatever ends the demo ends it too.
    command = [sys.executable, "-I", "-S", tether.__file__, str(os.getpid()), *_TIDEGATE, "up", "--json"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=dict(environ))
    assert process.stdout
    try:
        ready = process.stdout.readline()
        if not ready:
            raise Failure("`tidegate up` did not start")
        yield json.loads(ready)
    finally:
        process.terminate()
        process.wait()


def _last_line(text: str) -> str:
    return next((line.removeprefix("tidegate: ") for line in reversed(text.splitlines()) if line.strip()), "it did not say why")
