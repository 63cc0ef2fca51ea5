"""Comments of HTML and Markdown, which a reader of the page does not see: those that give orders (SPEC 3.7)."""

import re
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit

ANCHORS = (Anchor("comment", r"(?:<!--|\[//\]: # \()"),)

_LONGEST = 4000
_ORDER = re.compile(
    r"\b(?:(?:ai|agents?|assistants?|llm|model|you)\s+(?:must|should|shall|need|have to|are)\b|system\s?:|(?<!-)ignore\b(?!-)"
    r"|instruct\w*|execute\b"
    r"|compromised\b|run (?:the|this|python|curl|bash)\b|do not (?:tell|mention|reveal)\b)",
    re.IGNORECASE,
)


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Comments with orders in them in an ASCII text."""
    after = 0
    for end in seen.get("comment", ()):
        if end <= after:
            continue
        html = text.startswith("<!--", end - 4)
        close = text.find("-->" if html else ")", end, end + _LONGEST)
        after = close + (3 if html else 1) if close >= 0 else min(len(text), end + _LONGEST)
        if _ORDER.search(text, end, after):
            yield Hit("injection", "html_comment", "medium", end - (4 if html else 9), after)
