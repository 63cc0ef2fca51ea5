"""Every layer over one text: the list of detectors."""

from functools import cache
from types import ModuleType

from agents.scan import assigned, cards, credentials, identifiers, injection, personal
from agents.scan.engine import Engine
from agents.scan.hit import Hit
from agents.scan.placeholder import outside, spans
from agents.scan.plain import plain

PRIVATE = (credentials, assigned, cards, identifiers, personal)
"""What is looked for in every text of a run."""
WORDING = (*PRIVATE, injection)
"""What is looked for beside, in texts that may be recalled or cross: steps are full of what would be an order there (SPEC 3.7)."""


@cache
def _engine(detectors: tuple[ModuleType, ...]) -> Engine:
    return Engine(anchor for detector in detectors for anchor in detector.ANCHORS)


def detect(text: str, detectors: tuple[ModuleType, ...] = PRIVATE) -> list[Hit]:
    """What detectors see in a text, in order of place. Positions count characters of `text`."""
    copy = plain(text)
    seen = _engine(detectors).look(copy.ascii)
    taken = spans(text)
    hits: list[Hit] = []
    for detector in detectors:
        for hit in detector.look(copy.ascii, seen):
            start, end = copy.span(hit.start, hit.end)
            for left, right in outside(start, end, taken):
                # What is left of a value beside a placeholder of ours is masked too, its punctuation is not.
                if (left, right) == (start, end) or any(c.isalnum() for c in text[left:right]):
                    hits.append(Hit(hit.layer, hit.kind, hit.severity, left, right, hit.hard, hit.mask, hit.floor))
    return sorted(set(hits), key=lambda h: (h.start, -h.end))
