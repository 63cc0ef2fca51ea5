"""Every layer over one text: the list of detectors."""

from functools import cache

from agents.scan import assigned, cards, credentials, identifiers, personal
from agents.scan.engine import Engine
from agents.scan.hit import Hit
from agents.scan.placeholder import outside, spans
from agents.scan.plain import plain

DETECTORS = (credentials, assigned, cards, identifiers, personal)


@cache
def _engine() -> Engine:
    return Engine(anchor for detector in DETECTORS for anchor in detector.ANCHORS)


def detect(text: str) -> list[Hit]:
    """What the pattern layers see in a text: credentials, cards, identifiers, personal data. Positions count characters of `text`."""
    copy = plain(text)
    seen = _engine().look(copy.ascii)
    taken = spans(text)
    hits: list[Hit] = []
    for detector in DETECTORS:
        for hit in detector.look(copy.ascii, seen):
            start, end = copy.span(hit.start, hit.end)
            for left, right in outside(start, end, taken):
                # What is left of a value beside a placeholder of ours is masked too, its punctuation is not.
                if (left, right) == (start, end) or any(c.isalnum() for c in text[left:right]):
                    hits.append(Hit(hit.layer, hit.kind, hit.severity, left, right, hit.hard, hit.mask, hit.floor))
    return sorted(set(hits), key=lambda h: (h.start, -h.end))
