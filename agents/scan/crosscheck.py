"""The run's entities in the generalised wording: case, spacing, separators, spelling and parts of them varied (SPEC 3.5)."""

import re
from collections.abc import Iterable, Iterator, Mapping

from agents.scan.encoded import unescaped
from agents.scan.hit import Hit
from agents.scan.plain import plain
from agents.scan.words import english_words

_PART = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""Scripts that put no space between words: what stands beside a name in them is no part of it."""
_MANY = 64
"""Alternatives in one expression: entities are looked for in a short wording only, never in a whole run."""


class Entities:
    """What a run met, ready to be looked for in its learnings.

    `secrets`: credentials found in it, with their kinds; `parts`: whether a part of a value that identifies alone is looked for too.
    """

    def __init__(self, values: Iterable[str], secrets: Mapping[str, str] | None = None, *, parts: bool = True) -> None:
        self._secrets = dict(secrets or {})
        known = list(values)
        self._patterns = _patterns({form for value in known for form in _forms(value, parts=parts)})
        spelled = (copy.ascii for value in known if (copy := plain(value)).moved and not _UNSPACED.search(value) and _latin(value))
        self._spelled = self._patterns + _patterns({form for value in spelled for form in _forms(value, parts=parts)})

    def look(self, text: str) -> Iterator[Hit]:
        """Entities in a text of any Unicode, as they are written, in other letters that look the same, and behind escapes."""
        for secret, kind in self._secrets.items():
            at = text.find(secret)
            while at >= 0:
                yield Hit("credential", kind, "high", at, at + len(secret), hard=True)
                at = text.find(secret, at + len(secret))
        if not self._patterns:
            return
        copy = plain(text)
        yield from (_leak(*span) for span in _spans(self._patterns, text))
        if copy.moved:
            yield from (_leak(*copy.span(*span)) for span in _spans(self._spelled, copy.ascii))
        for start, end, inner in unescaped(text):
            if next(_spans(self._patterns, inner), None):
                yield _leak(start, end)


def _leak(start: int, end: int) -> Hit:
    return Hit("crosscheck", "entity_leak", "low", start, end)


def _spans(patterns: Iterable[re.Pattern[str]], text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for pattern in patterns for match in pattern.finditer(text))


def _patterns(forms: Iterable[str]) -> list[re.Pattern[str]]:
    found = sorted(forms, key=lambda f: (-len(f), f))
    spaced = [f for f in found if not _UNSPACED.search(f)]
    unspaced = [f for f in found if _UNSPACED.search(f)]
    return [
        *(re.compile(rf"(?<![^\W_])(?:{'|'.join(spaced[i : i + _MANY])})(?![^\W_])", re.IGNORECASE) for i in range(0, len(spaced), _MANY)),
        *(re.compile("|".join(unspaced[i : i + _MANY]), re.IGNORECASE) for i in range(0, len(unspaced), _MANY)),
    ]


def _latin(value: str) -> bool:
    """Whether a value's ASCII copy still says what the value does: it has no letters but Latin ones and their look-alikes."""
    return all(plain(char).ascii.lower() != "w" or char.lower() in "wｗ" for char in value if char.isalpha() and not char.isascii())


def _forms(value: str, *, parts: bool) -> Iterator[str]:
    """Expressions for a value and for the parts of it that identify on their own."""
    found = _PART.findall(value)
    if not found:
        return
    if len(found) > 1:
        yield r"[\W_]{0,3}".join(map(re.escape, found))
    elif not _everyday(found[0]):
        # "/tmp" is looked for as it stands, not as any "tmp".
        yield re.escape(value.strip())
    if parts and 2 <= len(found) <= 4 and all(p.isalpha() and p[:1].isupper() for p in found):
        for part in found:
            if len(part) >= 4 and not _everyday(part):
                yield re.escape(part)


def _everyday(part: str) -> bool:
    """Whether a part alone says nothing: a common word, a few letters, a small number."""
    if _UNSPACED.search(part):
        return len(part) < 2
    return part.lower() in english_words() or len(part) < 3 or (part.isdigit() and len(part) < 5)
