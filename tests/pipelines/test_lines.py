"""Reading lines: unzipped, numbered, bounded in memory."""

import gzip
import io
import sys
from pathlib import Path

import pytest

from pipelines import lines
from pipelines.errors import SettingsError
from pipelines.lines import numbered, open_input
from schemas.problem import Problem


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"a", [(1, b"a")]),
        (b"a\r\n\n  \nb\n", [(1, b"a"), (4, b"b")]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", [(1, b"a"), (2, b"\xef\xbb\xbfb")]),
    ],
    ids=["empty", "no end", "blank lines keep their number", "a byte order mark, at the start only"],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_lines_are_numbered(tmp_path: Path, data: bytes, expected: list[tuple[int, bytes]], zipped: bool) -> None:
    """A file is read by what it holds, whatever its name is."""
    file = tmp_path / "lines.jsonl"
    file.write_bytes(gzip.compress(data) if zipped else data)
    with open_input(str(file)) as source:
        assert list(numbered(source)) == expected


@pytest.mark.parametrize("zipped", [False, True])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, zipped: bool) -> None:
    data = gzip.compress(b"a\nb\n") if zipped else b"a\nb\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with open_input("-") as source:
        assert list(numbered(source)) == [(1, b"a"), (2, b"b")]


def test_a_line_too_long_is_refused_with_its_size_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LINE_BYTES", 10)
    monkeypatch.setattr(lines, "_CHUNK_BYTES", 4)
    refused, kept = numbered(io.BytesIO(b"x" * 40 + b"\n" + b"y" * 10 + b"\n"))
    assert refused == (1, Problem("too_large", None, "a line of 41 bytes, the limit is 10"))
    assert kept == (2, b"y" * 10)


@pytest.mark.parametrize("cut", [30, -4], ids=["in the data", "in the checksum"])
def test_damaged_gzip_ends_with_a_problem(cut: int) -> None:
    whole = gzip.compress(b"".join(b"line %d\n" % i for i in range(1000)))
    with gzip.open(io.BytesIO(whole[:cut])) as damaged:
        *_, (_, last) = numbered(damaged)
    assert isinstance(last, Problem) and last.code == "damaged"


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(SettingsError, match=r"/no/such can't be read: No such file"), open_input("/no/such"):
        pass
