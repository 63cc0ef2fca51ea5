"""Credentials of known format: every rule of the table, confirmed where its anchor was seen (SPEC 3.2)."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit
from agents.scan.placeholder import stands_for_one
from agents.scan.rules import RULES
from agents.scan.value import wordy

ANCHORS = tuple(Anchor(f"rule {i}", rule.sight or rule.start) for i, rule in enumerate(RULES))
_NUMBERS = {anchor.name: i for i, anchor in enumerate(ANCHORS)}


@cache
def _compiled(number: int) -> tuple[re.Pattern[str], int, str]:
    """The pattern of a rule, the width of its start, and the name of the group that is the value."""
    rule = RULES[number]
    pattern = rule.pattern
    return pattern, width(rule.start), "v" if "v" in pattern.groupindex else ""


@cache
def _start(number: int) -> re.Pattern[str]:
    return re.compile(RULES[number].start)


def width(start: str) -> int:
    """Characters that a rule's start takes: it must be the same for all that it matches."""
    typeless: Any = re  # types know of its parser, or do not, by what else is imported
    least, most = typeless._parser.parse(start).getwidth()
    if least != most:
        raise ValueError(f"the start of a rule must have one width: {start}")
    return int(least)


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Credentials in an ASCII text."""
    for number in sorted(_NUMBERS[name] for name in seen.keys() & _NUMBERS.keys()):
        rule, after = RULES[number], 0
        pattern, width, group = _compiled(number)
        for end in seen[f"rule {number}"]:
            start = end - width
            if start < after:
                continue
            match = pattern.match(text, start) if not rule.behind else _from_behind(number, pattern, text, after, start)
            if match is None:
                continue
            value = match[group or 0]
            after = match.end()
            if (
                stands_for_one(value)
                or (value.isascii() and not any(map(str.isdigit, value)) and wordy(value))
                or (rule.also and not rule.also(value))
            ):
                continue
            yield Hit("credential", rule.kind, rule.severity, match.start(group or 0), match.end(group or 0), hard=True)


def _from_behind(number: int, pattern: re.Pattern[str], text: str, after: int, start: int) -> re.Match[str] | None:
    rule = RULES[number]
    begin = max(0, start - rule.behind)
    begins: Iterable[int] = range(begin, start + 1)
    if rule.sight:
        begins = (m.start() for m in _start(number).finditer(text, max(after, begin), start))
    return next((match for at in begins if (match := pattern.match(text, at))), None)
