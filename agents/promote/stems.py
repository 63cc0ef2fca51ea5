"""Words in the form in which wordings are compared: their stems, those that mean the same as one, and which oppose each other."""

import re
from functools import lru_cache

from agents.promote import lexicon

_SPELLING = [
    (re.compile(p), to)
    for p, to in (
        (r"is(e|ed|es|ing|er|ation|ations)$", r"iz\1"),
        (r"ys(e|ed|es|ing)$", r"yz\1"),
        (r"our(s|ed|ing|ite|al|able)?$", r"or\1"),
        (r"ogue(s|d)?$", r"og\1"),
        (r"([bt])re(s|d)?$", r"\1er\2"),
        (r"ll(ed|ing|er|ers)$", r"l\1"),
        (r"ence(s)?$", r"ense\1"),
        (r"^artefact", "artifact"),
        (r"^programme(s)?$", r"program\1"),
        (r"^grey", "gray"),
        (r"^judgement", "judgment"),
        (r"^licen[cs]e", "license"),
        (r"wards$", "ward"),
    )
]
_VOWEL = re.compile(r"[aeiouy]")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word in American spelling without the ending that its use in a sentence gives it; one of the words that mean the same."""
    plain = _plain(word)
    return _SAME.get(plain, plain)


def _plain(word: str) -> str:
    base = lexicon.IRREGULAR.get(word, word)
    if base in lexicon.UNINFLECTED or not base.isalpha() or len(base) < 3:
        return base
    for pattern, to in _SPELLING:
        base = pattern.sub(to, base)
    return _uninflected(base)


def _uninflected(word: str) -> str:
    if len(word) > 4 and word.endswith(("ies", "ied")):
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "zes", "ches", "shes")):
        word = word[:-2]
    elif word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is", "os", "ias")):
        word = word[:-1]
    elif word.endswith("ing") and len(word) > 5 and _VOWEL.search(word[:-3]):
        word = word[:-3]
    elif word.endswith("ed") and not word.endswith("eed") and len(word) > 4 and _VOWEL.search(word[:-2]):
        word = word[:-2]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


_SAME = {_plain(w): _plain(line.split()[0]) for line in lexicon.SAME for w in line.split()}
LIGHT = frozenset(stem(w) for w in lexicon.LIGHT)
SLOTS = tuple(frozenset(stem(w) for w in line.split()) for line in lexicon.SLOTS)
OPPOSITES = frozenset(
    (a, b) if word.isupper() else (stem(a), stem(b))
    for line in lexicon.OPPOSITE
    for word, *rest in (line.split(),)
    for other in rest
    for a, b in ((word, other), (other, word))
)
"""Pairs of words that oppose each other, either way round."""


def opposite(a: str, b: str) -> bool:
    """Whether a stem says the opposite of another: by the lexicon or by its beginning (consistent, inconsistent)."""
    if (a, b) in OPPOSITES:
        return True
    short, long = sorted((a, b), key=len)
    return len(short) > 2 and long not in _NOT_PREFIXED and any(long == prefix + short for prefix in lexicon.PREFIXES)


_NOT_PREFIXED = frozenset(stem(w) for w in lexicon.NOT_PREFIXED)


def folded(word: str) -> str:
    """A stem that is the same for words that oppose each other, and so the same for a rule and its opposite."""
    root = _root(word)
    return _CLASSES.get(root, root)


def _root(word: str) -> str:
    """A stem without all beginnings that may turn it into its opposite."""
    while word not in _NOT_PREFIXED:
        rest = next((word.removeprefix(p) for p in lexicon.PREFIXES if word.startswith(p)), "")
        if len(rest) <= 2:
            break
        word = rest
    return word


def _classes() -> dict[str, str]:
    """The first root, in order, of all that oppositions join a root to."""
    pairs = [(_root(a), _root(b)) for a, b in OPPOSITES]
    first = {root: root for pair in pairs for root in pair}
    for _ in first:
        changed = False
        for a, b in pairs:
            least = min(first[a], first[b])
            changed |= (first[a], first[b]) != (least, least)
            first[a] = first[b] = least
        if not changed:
            break
    return first


_CLASSES = _classes()
