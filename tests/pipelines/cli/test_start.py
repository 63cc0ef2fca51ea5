"""The command line as a whole: help with examples, a quick start, errors of one line."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from pipelines.cli.main import app

HEAVY = (
    "agents",
    "chdb",
    "clickhouse_connect",
    "confluent_kafka",
    "fastavro",
    "faust",
    "presidio_analyzer",
    "rich.table",
    "sinks",
    "spacy",
)
COMMANDS = (
    "agent",
    "agents",
    "api",
    "brief",
    "compare",
    "config",
    "demo",
    "dlq",
    "erase",
    "explain",
    "history",
    "import",
    "journal",
    "key",
    "org",
    "person",
    "produce",
    "recall",
    "receipt",
    "review",
    "rollback",
    "scan",
    "sink",
    "sql",
    "status",
    "topics",
)
NOWHERE = {"TIDEGATE_BROKERS": "", "TIDEGATE_CLICKHOUSE": "", "TIDEGATE_ORG": "", "TIDEGATE_AGENT": ""}


def each(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of each command."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from each(inner, (*path, name))
    if not hasattr(command, "commands"):
        yield path


ALL = tuple(each(get_command(app)))


def test_the_commands_of_issue_a_are_there() -> None:
    """INTERFACES, commands."""
    assert {"up", "worker", "why", *COMMANDS} == {path[0] for path in ALL}
    assert {("agents", "load"), ("agents", "list"), ("dlq", "list"), ("dlq", "show"), ("dlq", "replay")} <= set(ALL)


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_has_help_with_an_example(path: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [*path, "--help"])
    assert done.exit_code == 0
    assert f"Example: tidegate {' '.join(path)}" in done.stdout


@pytest.mark.parametrize(
    "path", [path for path in ALL if path[-1] in ("list", "load", "show", "history", "why", "recall", "receipt", "status")]
)
def test_what_lists_has_json(path: tuple[str, ...]) -> None:
    assert "--json" in CliRunner().invoke(app, [*path, "--help"]).stdout


def test_version() -> None:
    done = CliRunner().invoke(app, ["--version"])
    assert (done.exit_code, done.stdout) == (0, "tidegate 0.1.0\n")


def test_starting_imports_nothing_heavy() -> None:
    program = f"import pipelines.cli.main, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize(
    ("args", "environ", "status", "said"),
    [
        ("prodce", {}, 2, "tidegate: No such command 'prodce'. Did you mean 'produce'"),
        ("produce", {}, 2, "tidegate produce: Missing argument"),
        ("produce skills f", {}, 2, "'skills' is not one of 'runs', 'outcomes'"),
        ("produce runs /no/such", {}, 2, "tidegate: /no/such can't be read: No such file or directory"),
        ("recall x --limit many", {}, 2, "tidegate recall: Invalid value for '--limit'"),
        ("recall x", {}, 2, "tidegate: no organisation is named: give --org, or set TIDEGATE_ORG"),
        ("recall x --org acme", {}, 2, "tidegate: no agent is named: give --agent, or set TIDEGATE_AGENT"),
        ("recall x --org acme --agent a --scope walk", {}, 2, "tidegate: scope walk needs an area"),
        ("recall ' ' --org acme --agent a", {}, 2, "tidegate: TEXT is empty"),
        ("sink", {"TIDEGATE_SECRET": "0123456789abcdef0"}, 2, "tidegate: TIDEGATE_CLICKHOUSE is not set: this command is for a ClickHouse"),
        ("history a/b", {"TIDEGATE_ORG": "acme"}, 2, "tidegate: no agent is named"),
        ("scan", {}, 2, "tidegate: nothing to scan"),
        ("compare", {}, 2, "tidegate: compare reads JSON lines: give --jsonl"),
        ("dlq replay", {}, 2, "tidegate: which? name dead letters, or give --all"),
        ("dlq replay runs:0:1 --all", {}, 2, "tidegate: which?"),
        ("worker --agents scan,sacn", {"TIDEGATE_BROKERS": "127.0.0.1:1"}, 2, "tidegate: there is no agent 'sacn'"),
        ("status", {"TIDEGATE_PARTITIONS": "many"}, 2, "tidegate: TIDEGATE_PARTITIONS (environment) is 'many'"),
        ("status", {}, 3, "tidegate: there is no broker to ask: `tidegate up` does not run on"),
        ("sql 'SELECT 1'", {}, 3, "tidegate: there is no ClickHouse to ask"),
        ("sql x", {"TIDEGATE_CLICKHOUSE": "http://127.0.0.1:1"}, 3, "tidegate: ClickHouse did not answer"),
    ],
)
def test_errors_are_one_line_with_the_status_that_goes_with_them(
    tmp_path: Any, args: str, environ: dict[str, str], status: int, said: str
) -> None:
    """INTERFACES, commands: 2 wrong usage or settings; 3 an engine can't be reached."""
    done = CliRunner().invoke(app, shlex.split(args), env=NOWHERE | {"TIDEGATE_DATA": str(tmp_path)} | environ)
    assert (done.exit_code, done.stdout) == (status, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_odd_variable_is_told_beside_what_was_asked_for(tmp_path: Any) -> None:
    done = CliRunner().invoke(app, ["config", "--json"], env=NOWHERE | {"TIDEGATE_DATA": str(tmp_path), "TIDEGATE_PARTITION": "4"})
    assert done.exit_code == 0
    assert "TIDEGATE_PARTITION is set, but is no setting; did you mean TIDEGATE_PARTITIONS?" in done.stderr


def test_a_fault_of_ours_says_where_it_is_and_never_what_it_was_about(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """SPEC 3.1: an exception's text may hold what a record holds."""
    monkeypatch.setattr("pipelines.settings.entries", lambda settings: [object()])
    done = CliRunner().invoke(app, ["config"], env=NOWHERE | {"TIDEGATE_DATA": str(tmp_path)})
    assert done.exit_code == 70
    assert "unexpected TypeError in pipelines/cli/" in done.stderr
    assert "dataclass" not in done.stderr


def test_an_engine_that_does_not_answer_in_time_is_out_of_reach(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """INTERFACES, commands: 3 an engine can't be reached."""

    def late(_: Any) -> None:
        raise TimeoutError

    monkeypatch.setattr("pipelines.settings.entries", late)
    done = CliRunner().invoke(app, ["config"], env=NOWHERE | {"TIDEGATE_DATA": str(tmp_path)})
    assert done.exit_code == 3
    assert "did not answer in time" in done.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m pipelines.cli.main config --json | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")
