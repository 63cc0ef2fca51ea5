"""Names and ids that may be kept: a segment in which something was found becomes a keyed hash, the same wherever it stands (SPEC 3.13)."""

import re
from functools import lru_cache
from itertools import pairwise

from agents.scan.detect import detect
from agents.scan.words import english_words, family_names, given_names, not_persons
from schemas.ids import Ids

_PREFIX = re.compile(r"(?:pattern|risk|decision|task-summary|procedure|prod|dev|test)-")
_PARTS = re.compile(r"[^A-Za-z]+")
_PERSONAL = ("credential", "card", "pii")


def clean_name(ids: Ids, name: str) -> str:
    """A name or id, segment by segment, without what identifies or opens; it depends on the name and the organisation alone."""
    return "/".join(_segment(ids, s) if found_in(s) else s for s in name.split("/"))


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
