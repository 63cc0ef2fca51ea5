"""Texts for the benchmark of recall, the same every time: made-up rules, and questions of which each is about one of them.

Words are made up of syllables and drawn by Zipf and Mandelbrot's law (weight 1 / (rank + 10)), so that some are in one text of ten and most
in a few. A question takes some of its rule's words, inflects one in three, and adds one that the rule may not have.
"""

import itertools
import random
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_SYLLABLES = ("ba", "den", "fi", "gor", "hul", "ka", "lem", "mi", "nor", "pu", "rat", "si", "tov", "wen", "ya", "zo")
_VOCABULARY = 40_000
_FLAT = 10
_ENDINGS = ("s", "ed", "ing")
_SEED = 7


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and the number of the rule that it is about."""

    text: str
    rule: int


def rule(number: int) -> str:
    """Text of a rule: 8 to 24 words."""
    rng = random.Random(f"{_SEED} {number}")
    return " ".join(_drawn(rng, rng.randint(8, 24))).capitalize() + "."


def queries(number: int, rules: int) -> Iterator[Query]:
    """Questions about rules 0 to `rules`: 3 to 6 words."""
    rng = random.Random(_SEED)
    for _ in range(number):
        about = rng.randrange(rules)
        words = rule(about).lower().rstrip(".").split()
        asked = [word + rng.choice(_ENDINGS) if rng.random() < 1 / 3 else word for word in rng.sample(words, rng.randint(2, 5))]
        yield Query(" ".join(asked + _drawn(rng, 1)), about)


def _drawn(rng: random.Random, number: int) -> list[str]:
    words, weights = _vocabulary()
    return [words[bisect(weights, rng.random() * weights[-1])] for _ in range(number)]


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    """Words, and their weights summed up."""
    made = ("".join(parts) for size in (2, 3, 4) for parts in itertools.product(_SYLLABLES, repeat=size))
    words = list(itertools.islice(made, _VOCABULARY))
    random.Random(_SEED).shuffle(words)
    return words, list(itertools.accumulate(1 / (rank + _FLAT) for rank in range(_VOCABULARY)))
