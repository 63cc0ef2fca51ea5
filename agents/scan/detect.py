"""Every layer over one text: the list of detectors."""

from collections.abc import Iterator
from functools import cache
from types import ModuleType

from agents.scan import (
    address,
    assigned,
    cards,
    credentials,
    encoded,
    hosts,
    identifiers,
    injection,
    kubernetes,
    national,
    opaque,
    personal,
    placeholder,
    siblings,
)
from agents.scan.cover import Cover
from agents.scan.engine import Engine, Sightings
from agents.scan.hit import RANK, Hit
from agents.scan.placeholder import outside, spans, within
from agents.scan.plain import Plain, plain

PRIVATE = (credentials, assigned, siblings, kubernetes, cards, identifiers, hosts, personal, national, address, opaque)
"""What is looked for in every text of a run."""
WORDING = (*PRIVATE, injection)
"""What is looked for beside, in texts that may be recalled or cross: steps are full of what would be an order there (SPEC 3.7)."""


_OPENED = ("credential", "injection", "card", "pii")
"""What is looked for in an encoded text: ids and hosts are in most of them."""
_DEPTH = 3
"""How often an encoded text may hold another that is opened."""


@cache
def _engine(detectors: tuple[ModuleType, ...]) -> Engine:
    return Engine(anchor for detector in (*detectors, encoded, placeholder) for anchor in detector.ANCHORS)


def detect(text: str, detectors: tuple[ModuleType, ...] = PRIVATE) -> list[Hit]:
    """What detectors see in a text, in order of place. Positions count characters of `text`."""
    return _detect(text, detectors, 0)


def _detect(text: str, detectors: tuple[ModuleType, ...], depth: int) -> list[Hit]:
    copy = plain(text)
    seen = _engine(detectors).look(copy.ascii)
    found = list(_seen(copy.ascii, seen, detectors, depth)) if seen else []
    if found:
        found = list(_placed(found, copy, seen))
    if injection in detectors:
        found += injection.hidden.look(text)
    return _settled(found)


def _placed(found: list[Hit], copy: Plain, seen: Sightings) -> Iterator[Hit]:
    """Hits of the copy at their places in the original, outside the placeholders that stand there already."""
    text = copy.original
    taken = spans(text) if copy.moved or "placeholder" in seen else []
    if not copy.moved and not taken:
        yield from found
        return
    for hit in found:
        start, end = copy.span(hit.start, hit.end)
        if within(start, taken):
            continue  # it is named by a placeholder's own kind and number
        for left, right in outside(start, end, taken):
            # What is left of a value beside a placeholder of ours is masked too, its punctuation is not.
            if (left, right) == (start, end) or any(c.isalnum() for c in text[left:right]):
                yield hit._replace(start=left, end=right)


def _seen(text: str, seen: Sightings, detectors: tuple[ModuleType, ...], depth: int) -> Iterator[Hit]:
    for detector in detectors:
        if detector is credentials:
            found = list(credentials.look(text, seen))
            seen = _unknown(seen, found)
            yield from found
        else:
            yield from detector.look(text, seen)
    if depth >= _DEPTH:
        return
    for start, end, inner in encoded.decoded(text, seen):
        opened = [h for h in _detect(inner, detectors, depth + 1) if h.layer in _OPENED and h.mask]
        if opened:
            worst = max(opened, key=lambda h: RANK[h.severity])
            yield worst._replace(start=start, end=end)


def _unknown(seen: Sightings, found: list[Hit]) -> Sightings:
    """Sightings without those inside a credential whose format told it."""
    inside = [name for name in assigned.INSIDE if name in seen]
    if not found or not inside:
        return seen
    known = Cover((h.start, h.end) for h in found)
    return seen | {name: [end for end in seen[name] if not known.holds(end - 1)] for name in inside}


_LOOSE = {"bearer_token": 1, "basic_auth": 1, "generic_secret": 2, "generic_password": 2}
"""Kinds that only what stands beside a value gives it, loosest last."""


def _settled(hits: list[Hit]) -> list[Hit]:
    """Hits in order of place, each once. A loose kind is left out where a value has a better one."""
    if len(hits) < 2:
        return hits
    kinds = {h.kind for h in hits}
    if not kinds.isdisjoint(_LOOSE):
        tiers = [Cover((h.start, h.end) for h in hits if h.layer == "credential" and _LOOSE.get(h.kind, 0) < loose) for loose in (1, 2)]
        hits = [h for h in hits if h.kind not in _LOOSE or not tiers[_LOOSE[h.kind] - 1].holds(h.start)]
    if "opaque_id" in kinds:
        known = Cover((h.start, h.end) for h in hits if h.kind != "opaque_id" and h.mask)
        hits = [h for h in hits if h.kind != "opaque_id" or not known.meets(h.start, h.end)]
    return sorted(dict.fromkeys(hits), key=lambda h: (h.start, -h.end))
