"""What is printed: JSON lines for programs, tables for people."""

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from pipelines.cli import output


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (True, "yes"),
        (0.7, "0.7"),
        (0.81818, "0.8182"),
        (1.0, "1"),
        (["a", 1], '["a",1]'),
        ("plain text", "plain text"),
        (datetime(2026, 3, 1, 9, 0, 0, 250_000, UTC), "2026-03-01 09:00:00.250Z"),
        ("\x1b[2J\x07", "\\x1b[2J\\x07"),
        ("left\u202eright", "left\\u202eright"),
        ("two\nlines", "two\\nlines"),
    ],
)
def test_values_for_people_obey_no_control_characters(value: Any, shown: str) -> None:
    """Texts come from anybody: a terminal must not do what they say."""
    assert output.plain(value) == shown


def test_rows_for_programs_are_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert output.rows([{"a": 1, "b": None}, {"a": "ü\n", "b": [2**80]}], ("a",), as_json=True) == 2
    assert [orjson.loads(line) for line in capsys.readouterr().out.splitlines()] == [{"a": 1, "b": None}, {"a": "ü\n", "b": [float(2**80)]}]


@pytest.mark.parametrize("as_json", [True, False])
def test_no_rows_are_nothing(capsys: pytest.CaptureFixture[str], as_json: bool) -> None:
    """A lone header would read as an answer."""
    assert output.rows([], ("a",), as_json=as_json) == 0
    assert capsys.readouterr() == ("", "")


def test_rows_for_people_are_a_table_of_the_columns_that_is_never_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    assert output.rows([{"a": "x" * 500, "b": "[bold]not markup[/bold]", "c": "left out"}], ("a", "b"), as_json=False) == 1
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["a", "b"]
    assert row.split() == ["x" * 500, "[bold]not", "markup[/bold]"]


def test_no_progress_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with output.progress() as shown:
        shown.show("sending", 1, 2)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("file", "field", "said"),
    [("-", None, "line 3: wrong\n"), ("runs.jsonl", "learnings[1].rule", "runs.jsonl:3: learnings[1].rule: wrong\n")],
)
def test_refusals_name_line_and_field(capsys: pytest.CaptureFixture[str], file: str, field: str | None, said: str) -> None:
    output.of_line(file, 3, field, "wrong")
    assert capsys.readouterr() == ("", said)
