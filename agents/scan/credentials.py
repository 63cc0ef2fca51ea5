"""Credentials of known format: every rule of the table, confirmed where its anchor was seen (SPEC 3.2)."""

import re
from collections.abc import Iterator
from functools import cache

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit
from agents.scan.placeholder import stands_for_one
from agents.scan.rules import RULES
from agents.scan.value import wordy

ANCHORS = tuple(Anchor(f"rule {i}", rule.start) for i, rule in enumerate(RULES))
_NUMBERS = {anchor.name: i for i, anchor in enumerate(ANCHORS)}


@cache
def _compiled(number: int) -> tuple[re.Pattern[str], int]:
    rule = RULES[number]
    return rule.pattern, width(rule.start)


def width(start: str) -> int:
    """Characters that a rule's start takes: it must be the same for all that it matches."""
    least, most = re._parser.parse(start).getwidth()  # type: ignore[attr-defined]
    if least != most:
        raise ValueError(f"the start of a rule must have one width: {start}")
    return int(least)


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Credentials in an ASCII text."""
    for number in sorted(_NUMBERS[name] for name in seen.keys() & _NUMBERS.keys()):
        rule, after = RULES[number], 0
        for end in seen[f"rule {number}"]:
            pattern, width = _compiled(number)
            start = end - width
            if start < after:
                continue
            match = pattern.match(text, start) if not rule.behind else _from_behind(pattern, text, start, rule.behind)
            if match is None:
                continue
            group = "v" if "v" in pattern.groupindex else 0
            value = match[group]
            after = match.end()
            if (
                stands_for_one(value)
                or (value.isascii() and not any(c.isdigit() for c in value) and wordy(value))
                or (rule.also and not rule.also(value))
            ):
                continue
            yield Hit("credential", rule.kind, "high", match.start(group), match.end(group), hard=True)


def _from_behind(pattern: re.Pattern[str], text: str, start: int, behind: int) -> re.Match[str] | None:
    for begin in range(max(0, start - behind), start + 1):
        match = pattern.match(text, begin)
        if match:
            return match
    return None
