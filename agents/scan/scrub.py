"""A wording made clean: detect, mask, and scan what is left until nothing is found (SPEC 3.1, 3.10)."""

from collections.abc import Iterator
from dataclasses import dataclass

from agents.scan import names
from agents.scan.crosscheck import Entities
from agents.scan.detect import WORDING, detect
from agents.scan.hit import Hit
from agents.scan.mask import Numbers, mask

_ROUNDS = 4
"""Taking a value out can bring two harmless pieces together; a text that is not clean after so many rounds is not stored."""

_SHORTEST = 4
"""Characters from which on a credential is looked for elsewhere: a shorter one could be any word."""


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """`hits`: what was seen in the text as sent; `text`: it without that; `clean`: whether a scan of `text` finds nothing more."""

    hits: tuple[Hit, ...]
    text: str
    clean: bool


def scrub(text: str, entities: Entities, tools: frozenset[str], numbers: Numbers) -> Scrubbed:
    """A wording, cue or value without what may not be stored."""
    first: tuple[Hit, ...] | None = None
    for _ in range(_ROUNDS):
        found = tuple(_look(text, entities, tools))
        first = found if first is None else first
        if not any(h.mask for h in found):
            return Scrubbed(first, text, True)
        text = mask(text, found, numbers)
    return Scrubbed(first or (), text, not any(h.mask for h in _look(text, entities, tools)))


def _look(text: str, entities: Entities, tools: frozenset[str]) -> list[Hit]:
    hits = [*detect(text, WORDING), *entities.look(text)]
    hits += _again(text, hits)
    hits += names.look(text, tools, hits)
    return list(dict.fromkeys(hits))


def _again(text: str, hits: list[Hit]) -> Iterator[Hit]:
    """A credential that was found, wherever else it stands in the text (SPEC 3.9)."""
    for secret, hit in {text[h.start : h.end]: h for h in hits if h.hard and h.end - h.start >= _SHORTEST}.items():
        at = text.find(secret)
        while at >= 0:
            yield hit._replace(start=at, end=at + len(secret))
            at = text.find(secret, at + 1)
