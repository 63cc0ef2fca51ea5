"""What an importer takes and gives: files in, runs and the parts that could not be taken out."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from schemas.jsonform import canonical, loads
from schemas.problem import Problem
from schemas.records import Run

_NAMESPACE = uuid.UUID("7d1d9e2a-3f0b-5c55-9a0e-6f2b3c1d4e5f")
"""Of ids that are made from content. Never changed: the same file imported again must get the same ids."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = datetime(9999, 12, 31, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Source:
    """A file. `name` is said where something in it is wrong."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Author:
    """Whose runs they become. `session` where the file names none; `area`: the work area."""

    org: str
    agent: str
    session: str | None = None
    area: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part that could not be taken: the line it stands in, the path of the field, why. It holds no value of the file."""

    file: str
    line: int
    field: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """A run, and where it begins."""

    file: str
    line: int
    run: Run


@dataclass(slots=True)
class Imported:
    """What came of some files."""

    runs: list[Found] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def made_id(*parts: object) -> str:
    """An id made from content: a UUID, the same for the same content."""
    return str(uuid.uuid5(_NAMESPACE, canonical(parts)))


def json_of(text: str | bytes) -> object | Problem:
    """A JSON value. A lone surrogate, as a text that was cut leaves one, becomes a question mark; else as strict as any other input."""
    value = loads(text)
    if isinstance(value, Problem) and value.code == "bad_value":
        try:
            mended = json.dumps(json.loads(text), ensure_ascii=False).encode(errors="replace")
        except (ValueError, RecursionError):
            return value
        return loads(mended) if b"?" in mended else value
    return value


def documents(source: Source) -> Iterator[tuple[int, object | Problem]]:
    """The JSON values of a file, each with its line: one for the whole file, or one a line."""
    data = source.data.removeprefix(b"\xef\xbb\xbf")
    lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    if not lines:
        yield 1, Problem("not_json", None, "the file is empty")
        return
    first = json_of(lines[0][1])
    if len(lines) > 1 and isinstance(first, Problem):
        whole = json_of(data)
        if not isinstance(whole, Problem) or lines[0][1].strip() in (b"{", b"["):
            yield lines[0][0], whole
            return
    yield lines[0][0], first
    for number, line in lines[1:]:
        yield number, json_of(line)


def time_of(value: object) -> datetime | None:
    """An ISO 8601 time with its offset from UTC (one without is taken as UTC); None where it is none."""
    if not isinstance(value, str):
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return _kept(at if at.tzinfo else at.replace(tzinfo=UTC))


def since_epoch(nanoseconds: object) -> datetime | None:
    """A time in nanoseconds since 1970, as a number or as its digits; None where it is none."""
    if isinstance(nanoseconds, str) and nanoseconds.isascii() and nanoseconds.isdigit() and len(nanoseconds) < 20:
        nanoseconds = int(nanoseconds)
    if not isinstance(nanoseconds, int) or isinstance(nanoseconds, bool) or nanoseconds <= 0:
        return None
    try:
        return _kept(_EPOCH + timedelta(microseconds=nanoseconds // 1000))
    except OverflowError:
        return None


def _kept(at: datetime) -> datetime | None:
    try:
        at = at.astimezone(UTC)
    except OverflowError:
        return None
    return at.replace(microsecond=at.microsecond // 1000 * 1000) if _EPOCH <= at < _LATEST else None
