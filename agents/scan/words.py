"""Word lists: names of people, and the English words that some of them are too.

data/given_names.txt and data/family_names.txt: the 1990 census of the United States (public domain) and Faker's lists of some sixty
languages (MIT), folded to ASCII lower case. data/english_words.txt: Webster's second (public domain), less the words that are
foremost names. data/not_persons.txt: places, products and the calendar. data/no_values.txt: words that stand where a password would.
"""

from functools import cache
from importlib.resources import files


def word_set(line: str) -> frozenset[str]:
    """A set of words, written as a line of them."""
    return frozenset(line.split())


def _read(name: str) -> frozenset[str]:
    return word_set((files("agents.scan") / "data" / f"{name}.txt").read_text("ascii"))


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


@cache
def not_persons() -> frozenset[str]:
    """Names of places, products, months and peoples, which are no person's even where somebody is called so."""
    return _read("not_persons")


@cache
def no_values() -> frozenset[str]:
    """Words that stand behind "password:" and are none."""
    return _read("no_values")
