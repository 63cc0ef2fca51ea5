"""A real `tidegate up`, and its commands."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pipelines.cli.main import app


@dataclass(frozen=True)
class Answer:
    """What a command said."""

    status: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Its JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def row(self) -> dict[str, Any]:
        """Its only JSON line."""
        (row,) = self.rows
        return row


@dataclass(frozen=True)
class Tidegate:
    """Runs commands in an environment."""

    environ: dict[str, str]

    def __call__(self, *args: str, stdin: str | bytes | None = None) -> Answer:
        """Run a command."""
        done = CliRunner().invoke(app, args, input=stdin, env=self.environ)
        return Answer(done.exit_code, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def tidegate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tidegate]:
    """The commands of a session's `tidegate up`."""
    data = tmp_path_factory.mktemp("up")
    environ = {name: "" for name in os.environ if name.startswith("TIDEGATE_")} | {"TIDEGATE_DATA": str(data), "TIDEGATE_PARTITIONS": "2"}
    command = [sys.executable, "-m", "pipelines.cli.main", "up", "--json"]
    with (data / "up.err").open("w+") as err:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, text=True, env=os.environ | environ, start_new_session=True)
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, f"up is not ready: {Path(err.name).read_text()}"
            assert json.loads(line)["ready"] is True
            yield Tidegate(environ)
        finally:
            process.terminate()
            assert process.wait(60) == 0
