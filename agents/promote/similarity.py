"""How near two wordings are (SPEC 6.4): duplicate, contradict or distinct."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

FOLDING = 1
"""Version of the folding: an index made with another is made anew."""
_STOP = frozenset({"a", "an", "the", "of", "to", "in", "on", "at", "for", "and", "or", "is", "are", "be", "it"})
_NEGATIONS = frozenset({"not", "never", "no", "don't", "cannot"})
_WORD = re.compile(r"\d+(?:\.\d+)?|\w+(?:[.']\w+)*")
_STEMMER = Stemmer.Stemmer("english")


@dataclass(frozen=True, slots=True)
class Relation:
    """`relation`: duplicate, contradict or distinct; `similarity`: 0 to 1."""

    relation: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Form:
    """What of a wording is compared."""

    words: frozenset[str]
    negated: bool
    value: str | None
    tools: frozenset[str]


@lru_cache(maxsize=65536)
def form(rule: str, value: str | None, tools: tuple[str, ...]) -> Form:
    """The form of a wording; `value` is the body of a procedure as JSON text."""
    text = unicodedata.normalize("NFKC", rule).casefold().replace("’", "'")
    tokens = _WORD.findall(text)
    words = frozenset(_STEMMER.stemWords([w for w in tokens if w not in _STOP | _NEGATIONS]))
    negated = sum(w in _NEGATIONS for w in tokens) % 2 == 1
    return Form(words or frozenset([text]), negated, value, frozenset(tools))


def relation(a: Form, b: Form, threshold: float) -> Relation:
    """How two wordings stand to each other; the same either way round."""
    similarity = 2 * len(a.words & b.words) / (len(a.words) + len(b.words))
    same_tools = a.tools == b.tools or not a.tools or not b.tools
    substituted = a.words - b.words and b.words - a.words
    if similarity >= threshold and same_tools and not substituted and a.value == b.value:
        return Relation("duplicate" if a.negated == b.negated else "contradict", similarity)
    return Relation("distinct", similarity)
