"""Phrases in a text, weighed: what stands in quotation or tells of attacks is none (SPEC 3.7)."""

import re
from collections.abc import Iterator
from functools import cache

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit, Severity
from agents.scan.injection import comments
from agents.scan.injection.actions import ACTIONS
from agents.scan.injection.phrase import Phrase
from agents.scan.injection.readers import READERS
from agents.scan.injection.wording import WORDING

PHRASES: tuple[Phrase, ...] = (*WORDING, *READERS, *ACTIONS)
_NUMBERS = {f"phrase {i}": i for i in range(len(PHRASES))}
ANCHORS = (*(Anchor(f"phrase {i}", phrase.start, caseless=True) for i, phrase in enumerate(PHRASES)), *comments.ANCHORS)

_WORD = 40
"""Longest word that a sighting may be of."""
_PRESSURE_REACH = 500
_COMMANDS = ("exfil_command", "code_execution", "persistence")
_TOLD_OF = re.compile(
    r"(?:tell(?:s|ing)?|ask(?:s|ing)?|instruct(?:s|ing)?|try(?:ing)?|tries|attempts?|attempting|such as|"
    r"like|e\.g\.,?|for example,?|say(?:s|ing)?|phrases?|patterns?|detects?|containing|contains)"
    r"(?: (?:you|it|them|the (?:model|agent|assistant|user)|us|an? \w+))?(?: to)?[\s:(]*[\"'`“(]?\s*$",
    re.IGNORECASE,
)


@cache
def _compiled(number: int) -> re.Pattern[str]:
    return PHRASES[number].compiled


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Injections in an ASCII text."""
    yield from comments.look(text, seen)
    numbers = sorted(_NUMBERS[name] for name in seen.keys() & _NUMBERS.keys())
    found = [
        (PHRASES[n], start, end) for n in numbers if PHRASES[n].weight != "pressure" for start, end in _places(n, PHRASES[n], text, seen)
    ]
    pressed: list[int] = []
    if any(phrase.weight == "weak" for phrase, _, _ in found):
        pressed = [start for n in numbers if PHRASES[n].weight == "pressure" for start, _ in _places(n, PHRASES[n], text, seen)]
    for phrase, start, end in found:
        if _told_of(text, start) or (phrase.kind not in _COMMANDS and _as_code(text, start, end)):
            continue
        severity: Severity = "high" if phrase.weight == "high" else "medium"
        if phrase.weight == "weak" and not any(abs(start - p) <= _PRESSURE_REACH for p in pressed):
            severity = "low"
        # What is only weak stays in the wording: most of the time it is honest.
        yield Hit("injection", phrase.kind, severity, start, end, mask=severity != "low")


def _places(number: int, phrase: Phrase, text: str, seen: Sightings) -> Iterator[tuple[int, int]]:
    """Where a phrase stands. Sightings that crowd are looked at once: what was searched with room enough is not searched again."""
    after = tried = 0
    for end in seen.get(f"phrase {number}", ()):
        if end <= after or end <= tried - phrase.ahead // 2:
            continue
        begin, tried = max(after, end - phrase.before - _WORD, tried - phrase.ahead // 2), end + phrase.ahead
        match = _compiled(number).search(text, begin, min(len(text), tried))
        if match and match.end() > match.start():
            after = match.end()
            yield match.start(), match.end()


def _told_of(text: str, start: int) -> bool:
    """Whether a phrase is only told of: named as something that an attack says."""
    return bool(_TOLD_OF.search(text, max(0, start - 60), start))


def _as_code(text: str, start: int, end: int) -> bool:
    """Whether a phrase is set as code or in quotation marks within a sentence, as documentation does."""
    return text[start - 1 : start] in tuple("`\"'") and text[end : end + 1] == text[start - 1 : start]
