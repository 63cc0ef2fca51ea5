"""Characters that a reader does not see: tags, runs of invisible ones inside words, reversed text (SPEC 3.7)."""

import re
from collections.abc import Iterator

from agents.scan.hit import Hit

_TAGS = re.compile("(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]{2,}")
"""Letters of the tag block spell a text; behind a black flag they spell the flag of a region."""
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
_WITHIN = re.compile("(?<=[A-Za-z])[\u00ad\u200b-\u200d\u2060-\u2064\ufeff\u180e]+(?=[A-Za-z])")
_MANY = 3
"""Invisible characters inside Latin words from which on they are no accident of a word processor."""


def look(text: str) -> Iterator[Hit]:
    """Hidden characters in a text of any Unicode."""
    if text.isascii():
        return
    for match in _TAGS.finditer(text):
        yield Hit("injection", "hidden_unicode", "medium", match.start(), match.end())
    for match in _BIDI.finditer(text):
        yield Hit("injection", "bidi_override", "medium", match.start(), match.end())
    within = list(_WITHIN.finditer(text))
    for match in within:
        many = len(within) >= _MANY
        yield Hit("injection", "hidden_unicode", "medium" if many else "low", match.start(), match.end(), mask=many)
