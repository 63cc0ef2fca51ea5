"""Lines of a file or of standard input, one at a time, unzipped where they are gzipped."""

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, cast

from pipelines.errors import SettingsError
from schemas.problem import Problem
from schemas.validate import RUN_BYTES

LINE_BYTES = 3 * RUN_BYTES
"""Longest line that is read into memory: JSON in ASCII takes up to three bytes for one of most texts."""
_GZIP = b"\x1f\x8b"
_CHUNK_BYTES = 1024 * 1024


@contextmanager
def open_input(path: str) -> Iterator[IO[bytes] | gzip.GzipFile]:
    """The bytes of a file, or of standard input (`-`); gzip is known by its first bytes. Raises SettingsError where it can't be opened."""
    try:
        raw = io.BufferedReader(cast(io.RawIOBase, sys.stdin.buffer)) if path == "-" else open(path, "rb")  # noqa: SIM115
    except OSError as error:
        raise SettingsError(f"{path} can't be read: {error.strerror}") from error
    try:
        if raw.peek(2)[:2] == _GZIP:
            with gzip.open(raw) as unzipped:
                yield unzipped
        else:
            yield raw
    finally:
        if path != "-":
            raw.close()


def numbered(source: IO[bytes] | gzip.GzipFile) -> Iterator[tuple[int, bytes | Problem]]:
    """Each line that is not blank, with its number from 1 and without its end; a Problem where it is longer than LINE_BYTES.

    Damaged gzip data ends it, with a Problem: what stands behind can't be read.
    """
    number = 0
    while True:
        number += 1
        try:
            line = source.readline(LINE_BYTES + 1)
            size = len(line)
            while size > LINE_BYTES and not line.endswith(b"\n") and (more := source.readline(_CHUNK_BYTES)):
                line, size = more, size + len(more)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            yield number, Problem("damaged", None, "the gzip data is damaged here: nothing behind it could be read")
            return
        if not line:
            return
        if size > LINE_BYTES + 1:
            yield number, Problem("too_large", None, f"a line of {size} bytes, the limit is {LINE_BYTES}")
        elif line := (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).strip():
            yield number, line
