"""Words as recall counts them: lower case, stemmed (Snowball English), hashed; and what a posting weighs (DESIGN.md, "Recall")."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import Stemmer

from schemas.partition import murmur2

K1 = 1.2
B = 0.75
AVERAGE_LENGTH = 20.0
"""Pinned, so that no weight is ever rewritten as the collection grows."""
_WORD = re.compile(r"[^\W_]+")
_STEMMER = Stemmer.Stemmer("english")
_STOP_WORDS = """
a an and are as at be but by can could do does for from has have how i if in into is it its me my no not of on or our should so such
that the their then there these they this to was we were what when where which who why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def stems(text: str) -> list[str]:
    """Stems of a text's words, in order, stop words left out."""
    return [_stem(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


def weights(text: str) -> dict[int, int]:
    """Hash of each stem in a text to the weight of its posting, 1 to 220: BM25's term frequency part, times 100."""
    found = stems(text)
    base = K1 * (1 - B + B * len(found) / AVERAGE_LENGTH)
    return {h: max(1, round(100 * n * (K1 + 1) / (n + base))) for h, n in Counter(map(stem_hash, found)).items()}


def rarity(holders: int, collection: int) -> int:
    """BM25's inverse document frequency of a stem that `holders` of `collection` texts hold, times 100, at least 1: a match is a match."""
    return max(1, round(100 * math.log(1 + (collection - holders + 0.5) / (holders + 0.5))))


@lru_cache(maxsize=65536)
def stem_hash(stem: str) -> int:
    """32 bits of a stem."""
    return murmur2(stem.encode("utf-8", "surrogatepass"))


def json_text(value: str | None) -> str:
    """The strings in a JSON text, joined."""
    return " ".join(_strings(json.loads(value))) if value else ""


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))
