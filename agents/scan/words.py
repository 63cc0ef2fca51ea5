"""Word lists: names of people, and the English words that some of them are too.

data/given_names.txt and data/family_names.txt: the 1990 census of the United States (public domain) and Faker's lists of some sixty
languages (MIT), folded to ASCII lower case. data/english_words.txt: Webster's second (public domain), less the words that are
foremost names.
"""

from functools import cache
from importlib.resources import files


def _read(name: str) -> frozenset[str]:
    return frozenset((files("agents.scan") / "data" / f"{name}.txt").read_text("ascii").split())


@cache
def given_names() -> frozenset[str]:
    """Given names, lower case."""
    return _read("given_names")


@cache
def family_names() -> frozenset[str]:
    """Family names, lower case."""
    return _read("family_names")


@cache
def english_words() -> frozenset[str]:
    """Everyday words: a person's name that is one of them is not redacted for that alone (SPEC 3.5)."""
    return _read("english_words")
