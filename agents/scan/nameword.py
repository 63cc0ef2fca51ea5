"""Words of a text as names are looked for in them: how they are written, and what lists know of them."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from agents.scan.words import english_words, family_names, given_names, not_persons, word_set

TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
PARTICLES = word_set("van von de der den del della di da dos das du la le el al bin ibn ben ter ten op")
_CAPITAL = re.compile(r"[A-Z][A-Za-z]*(?:['-][A-Za-z]+)*")
_PARTICLE = re.compile(r"\.? {1,2}(" + "|".join(sorted(PARTICLES, key=len, reverse=True)) + r")(?![A-Za-z]|['-][A-Za-z])")
_GAP = (" ", ".")
_CODE_BEFORE = frozenset("`/\\@#$_<.=-([{")
_SPACE = ("", " ", "\n", "\t")
_CODE_AFTER = frozenset("`/\\@_>=([{")
_FAMILY_ENDS = re.compile(
    r"\w{3,}(?:ov|ova|ev|eva|yev|yeva|ski|ska|sky|skaya|wicz|vic|vich|enko|chuk|yan|ian|nen|sson|son|"
    r"dottir|sen|berg|borg|strom|gren|quist|stedt|szky|poulos|idis|akis|oglu|dze|shvili|inen|mann|meyer|"
    r"stein|bauer|huber|ez|inho|elli|etti|ucci)$"
)
_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ß": "ss", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "ı": "i", "ð": "d", "þ": "th", "œ": "oe"}
)


class Word(NamedTuple):
    """A word of a text: `folded` is it in ASCII lower case."""

    text: str
    folded: str
    start: int
    end: int

    @property
    def capital(self) -> bool:
        """Whether it is written as names are: one capital in front, or one more after Mc, O' and the like."""
        return _capital(self.text)

    @property
    def known(self) -> bool:
        """Whether lists have it as a name and as nothing else."""
        return _known(self.folded)

    @property
    def given(self) -> bool:
        """Whether it is a given name and nothing else."""
        return self.folded in given_names() and rare(self.folded)

    @property
    def rare(self) -> bool:
        """See `rare`."""
        return rare(self.folded)


@lru_cache(maxsize=16384)
def _capital(word: str) -> bool:
    rest = word[1:]
    return word[:1].isupper() and (
        rest.islower() or word.isupper() or bool(re.match(r"(?:Mc|Mac|O['’]|De|Le|La|Di|Van|D['’])[A-Z]?\w|\w+-\w", word))
    )


@lru_cache(maxsize=16384)
def _known(folded: str) -> bool:
    return rare(folded) and (folded in given_names() or folded in family_names() or bool(_FAMILY_ENDS.match(folded)))


@lru_cache(maxsize=16384)
def rare(folded: str) -> bool:
    """Whether a word is neither an everyday one nor the name of a place or a product; a compound, whether a part of it is."""
    parts = folded.split("-")
    if len(folded) < 2 or any(p in not_persons() for p in parts):
        return False
    return any(p not in english_words() for p in parts)


def words_of(text: str, *, lower: bool) -> Iterator[Word]:
    """The words of prose in a text of any Unicode that may belong to a name: capitals and particles, or all where there are no capitals."""
    for start, shown in _capitals(text) if text.isascii() and not lower else _tokens(text, lower):
        if shown[:2] in ("I'", "I’"):
            continue
        if shown.endswith(("'s", "’s")):
            shown = shown[:-2]
        end = start + len(shown)
        before, after = text[start - 1 : start], text[end : end + 1]
        # What touches the signs of code, a placeholder or a file name is no word of prose; brackets behind a space are prose's.
        if (
            (before in _CODE_BEFORE and not (before == "(" and text[start - 2 : start - 1] in _SPACE))
            or after in _CODE_AFTER
            or after.isdigit()
            or before.isdigit()
        ):
            continue
        if after == "." and text[end + 1 : end + 2].isalnum():
            continue
        yield Word(shown, fold(shown), start, end)


def _tokens(text: str, lower: bool) -> Iterator[tuple[int, str]]:
    for match in TOKEN.finditer(text):
        shown = match[0]
        if lower or shown[0].isupper() or shown in PARTICLES:
            yield match.start(), shown


def _capitals(text: str) -> Iterator[tuple[int, str]]:
    """The same of an ASCII text in which capitals tell names, a capital at a time: a particle belongs to a name only behind one."""
    for match in _CAPITAL.finditer(text):
        start, end = match.span()
        before = text[start - 1 : start]
        if before.isalpha() or (before and before in "'-" and text[start - 2 : start - 1].isalpha()):
            continue  # inside a word
        yield start, match[0]
        while text[end : end + 1] in _GAP and (particle := _PARTICLE.match(text, end)):
            end = particle.end()
            yield particle.start(1), particle[1]


def fold(word: str) -> str:
    """A word in ASCII lower case, without accents, as lists have it."""
    if word.isascii():
        return word.lower()
    folded = "".join(c for c in unicodedata.normalize("NFKD", word.translate(_LETTERS)) if not unicodedata.combining(c))
    return folded.lower()
