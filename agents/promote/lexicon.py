"""What the comparison of wordings knows of English: words that say nothing, the same, or the opposite. The words are in english.txt.

Names in capitals are operators and markers, which stand in a wording's tokens for the words that say them.
"""

from collections.abc import Iterator
from pathlib import Path

NOT, WITHOUT, NEED_NOT, ONLY, OR, CAN = "NOT", "WITHOUT", "NEED_NOT", "ONLY", "OR", "CAN"
AT_LEAST, AT_MOST, MORE, LESS = "AT_LEAST", "AT_MOST", "MORE", "LESS"
BEFORE, AFTER, THEN = "BEFORE", "AFTER", "THEN"
WHEN, UNTIL, WHILE, BECAUSE, INSTEAD = "WHEN", "UNTIL", "WHILE", "BECAUSE", "INSTEAD"
IT, THAT = "IT", "THAT"

OPERATORS = frozenset({NOT, WITHOUT, NEED_NOT, ONLY, OR, CAN})
MARKERS = frozenset({BEFORE, AFTER, THEN, WHEN, UNTIL, WHILE, BECAUSE, INSTEAD})
"""Begin a clause and say what it is to the rest."""
PRONOUNS = frozenset({"it", "they", "them", "itself", "themselves"})
RELATIVE = frozenset({"that", "which", "who"})
COMPARING = {"under": LESS, "below": LESS, "over": MORE, "above": MORE, "beyond": MORE, "within": AT_MOST}
"""What a preposition says before a number."""
PREFIXES = ("non", "un", "in", "im", "ir", "il", "dis", "de")
"""Beginnings that turn a word into its opposite."""
_NUMERALS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMERALS = {name: n for n, name in enumerate(_NUMERALS.split())} | {name: 10 * n for n, name in enumerate(_TENS.split(), 2)}
MULTIPLES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
SIGNS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy"}


def _sections(text: str) -> dict[str, list[str]]:
    """The lines of each section; a line that begins with a space goes on with the one before."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("["):
            lines = sections[line.strip("[]")] = []
        elif line.startswith(" "):
            lines[-1] += line
        elif line and not line.startswith("#"):
            lines.append(line)
    return sections


_SECTIONS = _sections((Path(__file__).parent / "english.txt").read_text())


def _table(section: str) -> Iterator[tuple[str, str]]:
    """Each word of a section's "what: word | word" lines, with its what."""
    for line in _SECTIONS[section]:
        what, _, words = line.partition(": ")
        for word in words.split("|"):
            yield " ".join(word.split()), what.strip()


def _list(section: str) -> frozenset[str]:
    return frozenset(word for line in _SECTIONS[section] for word in line.split())


def _alternatives(section: str) -> tuple[str, ...]:
    return tuple(" ".join(words.split()) for line in _SECTIONS[section] for words in line.split("|"))


PHRASES = dict(_table("phrases")) | {two + s: two.replace(" ", "") + s for two in _alternatives("compounds") for s in ("", "s")}
"""Several words that stand for a few."""
WORDS = dict(_table("words"))
"""Words that stand for operators, markers and others."""
PHRASAL = _alternatives("phrasal")
"""Verbs that other words may part from their particle."""
SWITCHES = {"turn on": "enable", "switch on": "enable", "turn off": "disable", "switch off": "disable"}
SILENT, LIGHT, PARTICLES, PREPOSITIONS, DIRECTIONS, UNINFLECTED, NOT_PREFIXED = map(
    _list, ("silent", "light", "particles", "prepositions", "directions", "uninflected", "not_prefixed")
)
SLOTS, SAME, OPPOSITE = (tuple(_SECTIONS[s]) for s in ("slots", "same", "opposite"))
IRREGULAR = dict(_table("irregular"))
UNITS = {name: (base, int(size)) for name, what in _table("units") for base, size in (what.split(),)}
"""Units with what they are counted in, and how much of it they are."""
