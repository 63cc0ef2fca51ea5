"""The README's commands, typed in their order beside a `tidegate up`, do what it says they do."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines() if line.startswith("tidegate ")]
EXAMPLE = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "recall.md").read_text(), re.MULTILINE | re.DOTALL)
PROGRAM = [sys.executable, "-m", "pipelines.cli.main"]

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """An environment in which the commands find an `up` that is ready."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TIDEGATE_")}
    environ = clean | {"TIDEGATE_DATA": str(tmp_path_factory.mktemp("data"))}
    with subprocess.Popen([*PROGRAM, "up"], cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True) as up:
        assert up.stdout is not None
        assert up.stdout.readline().startswith("ready ")
        yield environ
        up.terminate()
    assert up.returncode == 0


def test_each_command_does_what_is_said(environ: dict[str, str]) -> None:
    said: dict[str, str] = {}
    for command in COMMANDS:
        arguments = shlex.split(command, comments=True)[1:]
        done = subprocess.run([*PROGRAM, *arguments], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        said[arguments[0]] = said.get(arguments[0], "") + done.stdout
    assert {
        "agents",
        "produce",
        "recall",
        "why",
        "history",
        "explain",
        "sql",
        "status",
        "topics",
        "config",
        "dlq",
        "journal",
    } == said.keys()
    assert "Ask [email:1] when in doubt." in said["recall"]
    assert "pool of department/support" in said["recall"]
    assert re.search(r"privacy +no +sensitive +shareable", said["why"])
    assert "candidate" in said["history"]
    assert re.search(r"outcome +o-\S+ +success +yes", said["explain"])
    assert "department/support" in said["sql"]
    assert "jane.roe" not in str(said)
    assert "correct-horse" not in str(said)


def test_the_loop_in_python_counts_for_the_pool(environ: dict[str, str], tmp_path: Path) -> None:
    """docs/recall.md: recall, task, outcome by `ref`, after the README's commands."""
    (script,) = EXAMPLE
    program = tmp_path / "tidegate"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(PROGRAM)} "$@"\n')
    program.chmod(0o755)
    around = environ | {"PATH": f"{tmp_path}:{environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], env=around, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert re.match(r"outcomes:\d+:\d+ \{'stored': 1, ", done.stdout)
    asked = [*PROGRAM, "sql", "SELECT applied, helpful FROM v_pool", "--json"]
    pool = subprocess.run(asked, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(pool.stdout) == {"applied": 1, "helpful": 1}
