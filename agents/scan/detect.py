"""Every layer over one text: the list of detectors."""

from functools import cache
from types import ModuleType

from agents.scan import address, assigned, cards, credentials, identifiers, injection, national, personal
from agents.scan.engine import Engine
from agents.scan.hit import Hit
from agents.scan.placeholder import outside, spans
from agents.scan.plain import plain

PRIVATE = (credentials, assigned, cards, identifiers, personal, national, address)
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
    return _settled(hits)


_LOOSE = {"bearer_token": 1, "basic_auth": 1, "generic_secret": 2, "generic_password": 2}
"""Kinds that only what stands beside a value gives it, loosest last."""


def _settled(hits: list[Hit]) -> list[Hit]:
    """Hits in order of place, each once. A loose kind is left out where a value has a better one."""
    secrets = [h for h in hits if h.layer == "credential"]

    def better(hit: Hit) -> bool:
        loose = _LOOSE.get(hit.kind, 0)
        return any(k.start <= hit.start and hit.end <= k.end and _LOOSE.get(k.kind, 0) < loose for k in secrets)

    kept = [h for h in hits if h.kind not in _LOOSE or not better(h)]
    return sorted(dict.fromkeys(kept), key=lambda h: (h.start, -h.end))
