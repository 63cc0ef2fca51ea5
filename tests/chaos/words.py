"""Wordings that nothing takes for each other, and in which a scan finds nothing."""

from collections.abc import Iterator
from itertools import combinations

VERBS = ("sort", "cache", "trim", "merge", "label", "queue", "rotate", "index", "compress", "archive", "group", "render")
NOUNS = (
    "ledger", "mirror", "folder", "carpet", "engine", "window", "garden", "basket", "signal", "bridge", "pencil", "kettle", "marble",
    "tunnel", "saddle", "candle", "button", "magnet",
)  # fmt: skip
_STEP = 101
"""Prime to the number of combinations: neighbours share little."""


def wordings() -> Iterator[str]:
    """One after the other, each with three nouns of its own."""
    threes = list(combinations(NOUNS, 3))
    for number in range(len(threes)):
        a, b, c = threes[number * _STEP % len(threes)]
        yield f"{VERBS[number % len(VERBS)].capitalize()} the {a} {b} by its {c}."
