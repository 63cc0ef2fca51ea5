"""Names and ids that may be kept: a segment in which something was found becomes a keyed hash, the same wherever it stands (SPEC 3.13)."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from agents.scan.crosscheck import Entities
from agents.scan.detect import WORDING, detect
from agents.scan.hit import Hit
from agents.scan.words import english_words, family_names, given_names, not_persons
from schemas.ids import Ids

_PREFIX = re.compile(r"(?:pattern|risk|decision|task-summary|procedure|prod|dev|test)-")
_PARTS = re.compile(r"[^A-Za-z]+")
_JOINTS = re.compile(r"[-_./:]")
_PERSONAL = ("credential", "card", "pii")


def clean_name(ids: Ids, name: str, people: Entities | None = None) -> str:
    """A name or id, segment by segment, without what identifies or opens; it depends on the name and the organisation alone.

    But for `people`: what besides a name that crosses may not hold, be it nobody's name by its looks.
    """
    across = _across(name) if "/" in name else frozenset[int]()
    if people is not None:
        across |= _touched(name, people.look(name))
    return "/".join(_segment(ids, s) if i in across or found_in(s) else s for i, s in enumerate(name.split("/")))


@lru_cache(maxsize=16384)
def _across(name: str) -> frozenset[int]:
    """Which segments hold a part of something with a slash in it: a key in base64, a password in an address."""
    return _touched(name, (h for h in detect(name) if h.layer in _PERSONAL and "/" in name[h.start : h.end]))


def _touched(name: str, hits: Iterable[Hit]) -> frozenset[int]:
    return frozenset(i for h in hits for i in range(name.count("/", 0, h.start), name.count("/", 0, h.end) + 1))


@lru_cache(maxsize=16384)
def orders(name: str) -> tuple[Hit, ...]:
    """Injections in a name that may be recalled or cross (SPEC 3.7), as words or with other signs between them."""
    spoken = _JOINTS.sub(" ", name)
    return tuple(h for text in dict.fromkeys((name, spoken)) for h in detect(text, WORDING) if h.layer == "injection")


@lru_cache(maxsize=16384)
def found_in(segment: str) -> bool:
    """Whether a credential, a card number or a personal finding stands in a segment. A UUID or a number alone is none."""
    return _somebody(segment) or any(h.layer in _PERSONAL or h.kind == "email" for h in detect(segment))


def _somebody(segment: str) -> bool:
    """Whether a given name and a family name stand side by side in a segment (`mina_okafor-7`)."""
    parts = [p.lower() for p in _PARTS.split(segment) if len(p) > 2]
    return any(
        first in given_names()
        and first not in english_words()
        and first not in not_persons()
        and last in family_names()
        and last not in not_persons()
        for first, last in pairwise(parts)
    )


def _segment(ids: Ids, segment: str) -> str:
    prefix = _PREFIX.match(segment)
    kept = prefix[0] if prefix else ""
    return kept + ids.pseudonym(segment[len(kept) :])
