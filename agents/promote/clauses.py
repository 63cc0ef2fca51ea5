"""What each word of a wording is to the rest: in which clause it stands, after which preposition, next to which word."""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from agents.promote import lexicon
from agents.promote.words import COMMA, PASSIVE, STOP

_ALIKE = {"into": "to", "onto": "to", "toward": "to", "towards": "to", "inside": "in", "above": "over", "below": "under"}
UNKNOWN = "?"
"""A neighbour that cannot be told."""
_COORDINATING = frozenset({"and", lexicon.OR, COMMA})
_BOUNDARIES = lexicon.MARKERS | {STOP, COMMA}
_WORDLESS = frozenset({"and", PASSIVE, lexicon.IT, lexicon.THAT})
_OTHER_CLAUSES = frozenset({lexicon.WHEN, lexicon.UNTIL, lexicon.WHILE, lexicon.INSTEAD})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a word stands. `role`: its clause's, a rank in time ("0" comes first) or a marker; `left`: the word before it in its phrase."""

    role: str
    preposition: str
    left: str


@dataclass(frozen=True, slots=True)
class Structure:
    """A wording taken apart.

    `places`: where each word stands, each time; `operators`: how often each stands in each clause; `joined`: pairs of words with
    "and", "or" or a comma between them, whose order says nothing; `described`: pairs with "that" between them, which another wording
    puts the other way round (keys that expired, expired keys; keys are rotated, rotate keys); `pronoun`: a word stands for one of
    another clause; `sequence`: its words as they follow each other; `passives`: subject, verb and doer of what is done by somebody;
    `owned`: owner and thing of each "thing of the owner"; `denied`: each word behind a "without", with the word before that;
    `clauses`: the words of each clause.
    """

    places: dict[str, frozenset[Place]]
    operators: dict[tuple[str, str], int]
    joined: frozenset[tuple[str, str]]
    described: frozenset[tuple[str, str]]
    pronoun: bool
    sequence: tuple[str, ...]
    passives: tuple[tuple[str, str, str], ...]
    owned: frozenset[tuple[str, str]]
    denied: frozenset[tuple[str, str]]
    clauses: tuple[frozenset[str], ...]


@dataclass(slots=True)
class _Clause:
    marker: str
    rank: int
    places: list[tuple[str, str, str]] = field(default_factory=list)  # word, preposition, left
    operators: Counter[str] = field(default_factory=Counter)
    preposition: str = ""
    left: str = ""
    owned: tuple[str, str, str] | None = None
    owners: list[tuple[str, str]] = field(default_factory=list)
    denied: list[tuple[str, str]] = field(default_factory=list)
    denying: bool = False

    def word(self, word: str) -> None:
        """The next word, in the phrase that began last; the first of a phrase stands next to what the phrase is about."""
        if self.denying:
            self.denied.append((word, self.left))
            self.denying = False
        if self.owned:
            # "version of the parser" is the parser version; where the parser's name ends cannot be told.
            name, preposition, left = self.owned
            self.places[self.places.index(self.owned)] = (name, preposition, UNKNOWN)
            self.places.append((word, preposition, left))
            self.owners.append((word, name))
            self.owned, self.left = None, UNKNOWN
        else:
            self.places.append((word, self.preposition, self.left))
            self.left = word

    def begin(self, preposition: str) -> None:
        self.preposition, self.owned = _ALIKE.get(preposition, preposition), None

    def of(self) -> None:
        if self.left:
            self.owned = self.places[-1]


def structure(tokens: Sequence[str]) -> Structure:
    """The structure of a wording's tokens."""
    clauses = _clauses(tokens)
    ranks = {rank: str(i) for i, rank in enumerate(sorted({c.rank for c in clauses if c.marker not in _OTHER_CLAUSES and c.places}))}
    places: dict[str, set[Place]] = {}
    operators: Counter[tuple[str, str]] = Counter()
    for clause in clauses:
        role = clause.marker if clause.marker in _OTHER_CLAUSES else ranks.get(clause.rank, "0")
        for operator, n in clause.operators.items():
            operators[role, operator] += n
        for word, preposition, left in clause.places:
            places.setdefault(word, set()).add(Place(role, preposition, left))
    return Structure(
        places={w: frozenset(p) for w, p in places.items()},
        operators=dict(operators),
        joined=_pairs(tokens, _COORDINATING, apart={lexicon.NOT}),
        described=_pairs(tokens, frozenset({lexicon.THAT, PASSIVE})),
        pronoun=lexicon.IT in tokens,
        sequence=tuple(t for t in tokens if t in places),
        passives=tuple(_passives(tokens, places)),
        owned=frozenset(pair for clause in clauses for pair in clause.owners),
        denied=frozenset(pair for clause in clauses for pair in clause.denied),
        clauses=tuple(frozenset(word for word, _, _ in clause.places) for clause in clauses if clause.places),
    )


def leading(s: Structure, marker: str) -> frozenset[str]:
    """Words of the clause that this marker begins, if the wording has another beside it."""
    ranks = {p.role for places in s.places.values() for p in places if p.role.isdigit()}
    role = {lexicon.BEFORE: "1", lexicon.AFTER: "0"}.get(marker, marker)
    return (
        frozenset(w for w, places in s.places.items() if any(p.role == role for p in places))
        if len(ranks) > 1 or role == marker
        else frozenset()
    )


def divided(tokens: Sequence[str], first: frozenset[str]) -> Sequence[str]:
    """Tokens that begin with a marker and have no comma, with one put behind the words of `first` with which they begin."""
    if tokens[0] not in lexicon.MARKERS or any(t in _BOUNDARIES for t in tokens[1:-1]):
        return tokens
    words = [i for i, t in enumerate(tokens) if i and t not in _WORDLESS and t not in lexicon.OPERATORS and t not in lexicon.PREPOSITIONS]
    end = next((i for i in words if tokens[i] not in first), 0)
    return [*tokens[:end], COMMA, *tokens[end:]] if words and end > words[0] else tokens


def _passives(tokens: Sequence[str], places: Container[str]) -> Iterator[tuple[str, str, str]]:
    for at, token in enumerate(tokens):
        if token == PASSIVE:
            before = [t for t in tokens[:at] if t in places]
            after = list(takewhile(lambda t: t not in _BOUNDARIES, tokens[at + 1 :]))
            verb = next((t for t in after if t in places), None)
            doer = next((t for t in after[after.index("by") :] if t in places), None) if "by" in after else None
            if before and verb and doer:
                yield before[-1], verb, doer


def _pairs(tokens: Sequence[str], between: frozenset[str], apart: Container[str] = ()) -> frozenset[tuple[str, str]]:
    """Words with nothing but one of `between` and operators between them; none of `apart`."""
    pairs, last, seen = set(), "", False
    for token in tokens:
        if token in between:
            seen = True
        elif token in apart:
            seen = False
        elif token not in lexicon.OPERATORS:
            if seen and last:
                pairs.add((last, token))
            last, seen = token, False
    return frozenset(pairs)


def _clauses(tokens: Sequence[str]) -> list[_Clause]:
    """Clauses with their rank in time: what is done before another has the lower."""
    clauses = [_Clause("", 0)]
    now = 0
    for token in tokens:
        clause = clauses[-1]
        if token in lexicon.MARKERS:
            if token == lexicon.THEN:
                now += 1
            rank = now + {lexicon.BEFORE: 1, lexicon.AFTER: -1}.get(token, 0)
            clauses.append(_Clause(token, rank))
        elif token in (STOP, COMMA):
            clauses.append(_Clause("", now))
        elif token == "of":
            clause.of()
        elif token in lexicon.PREPOSITIONS:
            clause.begin(token)
        elif token in lexicon.OPERATORS:
            clause.operators[token] += 1
            clause.denying |= token == lexicon.WITHOUT
        elif token not in _WORDLESS:
            clause.word(token)
    return clauses
