"""How two wordings stand to each other (SPEC 6.4): duplicate, contradict or distinct, and how near they read.

Taking two learnings for one is the grave fault: whatever is not known to say the same keeps wordings apart. So they are compared word
by word, in stems, with words of one meaning taken for one:

1. a word of the one that opposes a word of the other (lexicon, prefixes), a negation more, or an order turned round, is a turn;
2. a word, amount or name in the place of another is no duplicate at any similarity; neither is an amount, a name or an operator (only,
   or, may) that one has and the other not;
3. neither are the same words in each other's places ("from the replica to the primary");
4. what is left, words that one has and the other not, lowers the similarity, and the threshold decides; then no turn is a duplicate,
   one turn a contradiction, more turns cannot be told.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agents.promote import lexicon
from agents.promote.clauses import Structure, divided, leading, structure
from agents.promote.order import Order, compare
from agents.promote.stems import LIGHT, SLOTS, folded, opposite
from agents.promote.words import tokens

FOLDING = 4
"""Version of `Form.words`: an index made with another is made anew."""
_WORD_WEIGHT, _LIGHT_WEIGHT = 4.0, 0.25
"""What a word that the other wording has not counts against the similarity."""
_VERBS = frozenset({"use", "make", "get", "perform"})
"""Light words that take the place of another word where that is a verb."""
_FOLDED_LIGHT = frozenset(map(folded, LIGHT))
"""Light words with what opposes them (new, old), which may stand for them."""


@dataclass(frozen=True, slots=True)
class Relation:
    """`relation`: duplicate, contradict or distinct; `similarity`: 0 to 1."""

    relation: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Form:
    """What of a wording is compared.

    `words`: what it speaks of, such that a rule and its opposite have the same: of two wordings that are not distinct the one has all
    `words` of the other, and at most `spare` more. `body`: the leaves of a procedure's value, each under its path.
    """

    words: frozenset[str]
    tokens: tuple[str, ...]
    structure: Structure
    tools: frozenset[str]
    body: tuple[tuple[str, "Form | str"], ...]


@lru_cache(maxsize=65536)
def form(rule: str, value: str | None, tools: tuple[str, ...]) -> Form:
    """The form of a wording; `value` is the body of a procedure as JSON text."""
    found = tuple(tokens(rule))
    parts = structure(found)
    if not parts.places:  # nothing but marks: the text itself is its only word
        found = (rule,)
        parts = structure(found)
    return Form(
        words=frozenset(map(folded, parts.places)) - _FOLDED_LIGHT,
        tokens=found,
        structure=parts,
        tools=frozenset(t.casefold() for t in tools),
        body=() if value is None else tuple(_leaves("", json.loads(value))),
    )


def spare(a: Form, threshold: float) -> int:
    """How many `words` more than another, or than it, a wording may have that is not distinct from it.

    Only one of the two may have words that the other lacks (else one replaced another). Each weighs `_WORD_WEIGHT` against what both
    have, which is at most all of `a`, and their similarity must reach the threshold.
    """
    return int(2 * len(a.structure.places) * (1 / max(threshold, 1e-9) - 1) / _WORD_WEIGHT + 1e-9)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Form | str]]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(f"{path}.{key}", value[key])
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _leaves(f"{path}[{i}]", item)
    elif isinstance(value, str):
        yield path, form(value, None, ())
    else:
        yield path, json.dumps(value)


def relation(a: Form, b: Form, threshold: float) -> Relation:
    """How two wordings stand to each other; the same either way round. `threshold`: the least similarity of near-duplicates."""
    words_a, words_b = a.structure.places.keys(), b.structure.places.keys()
    only_a, only_b, turned = _turned(words_a - words_b, words_b - words_a)
    common = words_a & words_b
    similarity = _similarity(common, len(turned), only_a | only_b)
    turns = len(turned) + _negations(a, b)
    apart = (
        similarity < threshold
        or not (a.tools == b.tools or not a.tools or not b.tools)
        or _replaced(only_a | _more(a, b), only_b)
        or _replaced(only_a, only_b | _more(b, a))
        or any(_is_exact(w) for w in (only_a | only_b) - LIGHT - lexicon.PARTICLES)
        or _restricted(a, b)
    )
    order = Order.OTHER if apart else Order.SAME if a.tokens == b.tokens else compare(_divided(a, b), _divided(b, a), turned=bool(turned))
    body = "distinct" if order is Order.OTHER else _bodies(a, b, threshold)
    turns += (order is Order.REVERSED) + (body == "contradict")
    if body == "distinct" or turns > 1:
        return Relation("distinct", similarity)
    return Relation("contradict" if turns else "duplicate", similarity)


def _divided(a: Form, b: Form) -> Structure:
    """The structure of the first; where it leaves out the comma behind its first clause, with one where the second shows it to be."""
    found = divided(a.tokens, leading(b.structure, a.tokens[0]))
    return a.structure if found is a.tokens else structure(found)


def _turned(only_a: set[str], only_b: set[str]) -> tuple[set[str], set[str], list[tuple[str, str]]]:
    """Words that oppose a word of the other wording, taken out of those that only one of them has."""
    pairs = []
    rest_b = set(only_b)
    for word in sorted(only_a):
        other = next((o for o in sorted(rest_b) if opposite(word, o)), None)
        if other is not None:
            pairs.append((word, other))
            rest_b.discard(other)
    return only_a - {a for a, _ in pairs}, rest_b, pairs


def _similarity(common: set[str], turned: int, unmatched: set[str]) -> float:
    """Dice coefficient of two wordings' words, in which what only one has weighs by how much it says."""
    heavy = sum(w not in LIGHT for w in common) + turned
    both = heavy + _LIGHT_WEIGHT * (len(common) + turned - heavy)
    alone = sum(_LIGHT_WEIGHT if w in LIGHT else _WORD_WEIGHT for w in unmatched)
    return 2 * both / (2 * both + alone) if both + alone else 1.0


def _replaced(only_a: set[str], only_b: set[str]) -> bool:
    """Whether a word of the one stands for a word of the other."""
    if any(slot & only_a and slot & only_b for slot in SLOTS):
        return True
    heavy_a, heavy_b = only_a - LIGHT, only_b - LIGHT
    return bool((heavy_a and (heavy_b or only_b & _VERBS)) or (heavy_b and only_a & _VERBS))


def _more(a: Form, b: Form) -> set[str]:
    """Words that both have, but the first in more places."""
    return {w for w, places in a.structure.places.items() if len(places) > len(b.structure.places.get(w, places))}


def _is_exact(word: str) -> bool:
    """Whether a word is an amount, a comparison or the name of a thing: a rule with it is never the same as one without."""
    return (word != "#1" and not word.isalpha()) or word.isupper()


def _negations(a: Form, b: Form) -> int:
    """In how many clauses one wording says no and the other does not."""
    keys = {k for k in a.structure.operators.keys() | b.structure.operators.keys() if k[1] in (lexicon.NOT, lexicon.NEED_NOT)}
    return sum((a.structure.operators.get(k, 0) - b.structure.operators.get(k, 0)) % 2 for k in keys)


def _restricted(a: Form, b: Form) -> bool:
    """Whether one says only, or, or may, and the other does not; where either denies, may and must not are one."""
    in_a, in_b = ({operator for _, operator in f.structure.operators} for f in (a, b))
    kept = {lexicon.ONLY, lexicon.OR} if lexicon.NOT in in_a | in_b else {lexicon.ONLY, lexicon.OR, lexicon.CAN}
    return in_a & kept != in_b & kept


def _bodies(a: Form, b: Form, threshold: float) -> str:
    """How the steps of two procedures stand to each other: the same in the same order, one the opposite, or distinct."""
    if [path for path, _ in a.body] != [path for path, _ in b.body]:
        return "distinct"
    turns = 0
    for (_, x), (_, y) in zip(a.body, b.body, strict=True):
        if not isinstance(x, Form) or not isinstance(y, Form):
            found = "duplicate" if x == y else "distinct"
        else:
            found = relation(x, y, threshold).relation
        if found == "distinct":
            return "distinct"
        turns += found == "contradict"
    return "distinct" if turns > 1 else "contradict" if turns else "duplicate"
