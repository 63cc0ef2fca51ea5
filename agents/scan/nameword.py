"""Words of a text as names are looked for in them: how they are written, and what lists know of them."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from agents.scan.words import english_words, family_names, given_names, not_persons

TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CODE_BEFORE = frozenset("`/\\@#$_<.=-([{")
_CODE_AFTER = frozenset("`/\\@_>=([{")
_FAMILY_ENDS = re.compile(
    r"\w{3,}(?:ov|ova|ev|eva|yev|yeva|ski|ska|sky|skaya|wicz|vic|vich|enko|chuk|yan|ian|nen|sson|son|"
    r"dottir|sen|berg|borg|strom|gren|quist|stedt|szky|poulos|idis|akis|oglu|dze|shvili|inen|mann|meyer|"
    r"stein|bauer|huber|ez|inho|elli|etti|ucci)$"
)
_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ß": "ss", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "ı": "i", "ð": "d", "þ": "th", "œ": "oe"}
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: `folded` is it in ASCII lower case."""

    text: str
    folded: str
    start: int
    end: int

    @property
    def capital(self) -> bool:
        """Whether it is written as names are: one capital in front, or one more after Mc, O' and the like."""
        rest = self.text[1:]
        return self.text[:1].isupper() and (
            rest.islower() or self.text.isupper() or bool(re.match(r"(?:Mc|Mac|O['’]|De|Le|La|Di|Van|D['’])[A-Z]?\w|\w+-\w", self.text))
        )

    @property
    def known(self) -> bool:
        """Whether lists have it as a name and as nothing else."""
        return self.given or (self.rare and (self.folded in family_names() or bool(_FAMILY_ENDS.match(self.folded))))

    @property
    def given(self) -> bool:
        """Whether it is a given name and nothing else."""
        return self.folded in given_names() and self.rare

    @property
    def rare(self) -> bool:
        """Whether it is neither an everyday word nor the name of a place or a product."""
        return self.folded not in not_persons() and self.folded not in english_words() and len(self.folded) > 1


def words_of(text: str) -> Iterator[Word]:
    """The words of prose in a text of any Unicode."""
    for match in TOKEN.finditer(text):
        shown = match[0]
        if shown[:2] in ("I'", "I’"):
            continue
        for tail in ("'s", "’s"):
            if shown.endswith(tail):
                shown = shown[:-2]
        before, after = text[match.start() - 1 : match.start()], text[match.start() + len(shown) : match.start() + len(shown) + 1]
        # What touches the signs of code, a placeholder or a file name is no word of prose.
        if (before in _CODE_BEFORE and before) or (after in _CODE_AFTER and after) or after.isdigit() or before.isdigit():
            continue
        if after == "." and text[match.end() + 1 : match.end() + 2].isalnum():
            continue
        if before == ":" and text[match.end() : match.end() + 1] == ":":
            continue
        yield Word(shown, fold(shown), match.start(), match.start() + len(shown))


def fold(word: str) -> str:
    """A word in ASCII lower case, without accents, as lists have it."""
    folded = "".join(c for c in unicodedata.normalize("NFKD", word.translate(_LETTERS)) if not unicodedata.combining(c))
    return folded.lower()
