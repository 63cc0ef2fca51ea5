"""Placeholders: what stands where a value stood, and how values that only stand for one are told from real ones (SPEC 3.9)."""

import re
from bisect import bisect_right

from agents.scan.engine import Anchor

ANCHORS = (Anchor("placeholder", r"\[[a-z][a-z0-9_]{1,39}:[0-9]{1,6}\]", once=True),)
PLACEHOLDER = re.compile(r"\[([a-z][a-z0-9_]{1,39}):(\d{1,6})\]")

_MASKS = re.compile(r"(?i:x{5,})|\*{3,}|\.{3,}|#{4,}|_{6,}|-{6,}|0{8,}|EXAMPLE(?![A-Za-z])")
_WORDS = re.compile(
    r"(?i)(?<![a-z])(?:your|my[_-]?(?:secret|token|key|pass)|example|sample|placeholder|dummy|redacted|"
    r"masked|change[_-]?me|replace|insert|todo"
    r"|fixme|foobar|lorem|fake)(?![a-z])"
)
_VARIABLE = re.compile(
    r"\$\{[\w.:?/ -]*\}|\{\{[\w .|'\"-]*\}\}|\$\([\w .-]*\)|<%?[\w .:/-]*%?>|(?<![0-9A-Za-z])%\w+|"
    r"%[({]\w+[)}]s?|%[sd]\b|%\w+%|\{\w*\}|\[[\w -]+\]|&lt;.{0,60}&gt;"
)
_HINTS = (
    *("your", "my", "example", "sample", "placeholder", "dummy", "redacted", "masked", "change"),
    *("replace", "insert", "todo", "fixme", "foobar", "lorem", "fake"),
)
_OPENS = re.compile(r"[$<%{\[&]")
_RUN = re.compile(r"(.)\1{4,}")


def spans(text: str) -> list[tuple[int, int]]:
    """Where placeholders of ours already stand in a text."""
    if ":" not in text or "[" not in text:
        return []
    return [m.span() for m in PLACEHOLDER.finditer(text)]


def within(at: int, taken: list[tuple[int, int]]) -> bool:
    """Whether an offset lies inside a placeholder, behind its first character."""
    i = bisect_right(taken, (at, 0)) - 1
    return i >= 0 and taken[i][0] < at < taken[i][1]


def outside(start: int, end: int, taken: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pieces of a span that no placeholder covers, left to right."""
    pieces = []
    first = max(0, bisect_right(taken, (start, 0)) - 1)
    for left, right in taken[first:]:
        if left >= end:
            break
        if right <= start:
            continue
        if left > start:
            pieces.append((start, left))
        start = right
    if start < end:
        pieces.append((start, end))
    return pieces


def stands_for_one(value: str) -> bool:
    """Whether a value is no secret but a word, a mask or a variable where one would stand (`xxxx`, `your_key`, `${TOKEN}`)."""
    low = value.lower()
    tail = low[-16:]
    if len(set(tail)) < min(5, len(tail) // 2 + 1) or _MASKS.search(value):
        return True
    if any(hint in low for hint in _HINTS) and _WORDS.search(value):
        return True
    if len(value) < 100 and len({m[1] for m in _RUN.finditer(value)}) > 1:
        return True
    if not _OPENS.search(value):
        return False
    rest = _VARIABLE.sub("", value)
    return rest != value and sum(map(str.isalnum, rest)) < 6
