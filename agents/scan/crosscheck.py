"""The run's entities in the generalised wording: case, spacing, separators and parts of them varied (SPEC 3.5)."""

import re
from collections.abc import Iterable, Iterator, Mapping

from agents.scan.hit import Hit
from agents.scan.words import english_words

_PART = re.compile(r"[^\W_]+")
_MANY = 64
"""Alternatives in one expression: entities are looked for in a short wording only, never in a whole run."""


class Entities:
    """What a run met, ready to be looked for in its learnings. `secrets`: credentials found in it, with their kinds."""

    def __init__(self, values: Iterable[str], secrets: Mapping[str, str] | None = None) -> None:
        self._secrets = dict(secrets or {})
        forms = sorted({form for value in values for form in _forms(value)}, key=lambda f: (-len(f), f))
        self._patterns = [
            re.compile(r"(?<![^\W_])(?:" + "|".join(forms[i : i + _MANY]) + r")(?![^\W_])", re.IGNORECASE)
            for i in range(0, len(forms), _MANY)
        ]

    def look(self, text: str) -> Iterator[Hit]:
        """Entities in a text of any Unicode."""
        for secret, kind in self._secrets.items():
            at = text.find(secret)
            while at >= 0:
                yield Hit("credential", kind, "high", at, at + len(secret), hard=True)
                at = text.find(secret, at + len(secret))
        for pattern in self._patterns:
            for match in pattern.finditer(text):
                yield Hit("crosscheck", "entity_leak", "low", match.start(), match.end())


def _forms(value: str) -> Iterator[str]:
    """Expressions for a value and for the parts of it that identify on their own."""
    parts = _PART.findall(value)
    if not parts:
        return
    if len(parts) > 1:
        yield r"[\W_]{0,3}".join(map(re.escape, parts))
    elif not _everyday(parts[0]):
        # "/tmp" is looked for as it stands, not as any "tmp".
        yield re.escape(value.strip())
    if 2 <= len(parts) <= 4 and all(p.isalpha() and p[:1].isupper() for p in parts):
        for part in parts:
            if len(part) >= 4 and not _everyday(part):
                yield re.escape(part)


def _everyday(part: str) -> bool:
    """Whether a part alone says nothing: a common word, a few letters, a small number."""
    return part.lower() in english_words() or len(part) < 3 or (part.isdigit() and len(part) < 5)
