"""Words as recall counts them: lower case, stemmed (Snowball English), hashed; and what a posting weighs (DESIGN.md, "Recall").

An identifier in camel case counts whole and by its parts; names of products (JavaScript, GitHub), which begin with a capital, whole only.
What people shorten counts as the long form: `dir` finds `directory`.
"""

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
_CONTRACTED = re.compile(r"(?<=\w)['’](?:d|ll|m|re|s|t|ve)\b", re.IGNORECASE)
_CAMEL = re.compile(r"[a-z]+[0-9]*[A-Z]\w*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SHORTEST_PART = 3
_STEMMER = Stemmer.Stemmer("english")
_STOP_WORDS = """
a an and are as at be but by can could do does for from has have how i if in into is it its me my no not of on or our should so such
that the their then there these they this to was we were what when where which who why will with would you your
aren couldn didn doesn don hadn hasn haven isn shouldn wasn weren won wouldn
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
_SHORT = """
admin administrator, app application, arg argument, async asynchronous, attr attribute, auth authentication, bool boolean, char character,
cmd command, config configuration, db database, decl declaration, dest destination, dir directory, doc documentation, env environment,
expr expression, func function, img image, info information, init initialize, lang language, lib library, max maximum, min minimum,
msg message, num number, param parameter, perm permission, pkg package, prev previous, repo repository, spec specification, src source,
stmt statement, sync synchronize, temp temporary, tmp temporary, util utility, var variable
"""


def stems(text: str) -> list[str]:
    """Stems of a text's words, in order, stop words left out."""
    return [_stem(word) for word in _words(text) if word not in STOP_WORDS]


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


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(_CONTRACTED.sub("", text)):
        yield word.lower()
        if _CAMEL.fullmatch(word):
            yield from (part.lower() for part in _PART.findall(word) if len(part) >= _SHORTEST_PART)


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    stem = str(_STEMMER.stemWord(word))
    return _LONG.get(stem, stem)


_LONG: dict[str, str] = {_STEMMER.stemWord(short): _STEMMER.stemWord(long) for short, long in map(str.split, _SHORT.split(","))}
