"""Whether two wordings of the same words say them in the same order, as far as order says something."""

from enum import Enum
from itertools import combinations

from agents.promote import lexicon
from agents.promote.clauses import Place, Structure
from agents.promote.stems import LIGHT


class Order(Enum):
    """SAME; REVERSED: what the one does first the other does last; OTHER: words stand in other places in any other way."""

    SAME = "same"
    REVERSED = "reversed"
    OTHER = "other"


def compare(a: Structure, b: Structure, *, turned: bool) -> Order:
    """How the words that two wordings share are placed. `turned`: another word of theirs is the opposite (visible to, hidden from)."""
    common = sorted(a.places.keys() & b.places.keys())
    moved = [w for w in common if _roles(a, w) != _roles(b, w)]
    # "When the token expired, refresh it" is "refresh the token when it expired".
    if moved and not (len(moved) == 1 and (a.pronoun or b.pronoun)):
        return Order.REVERSED if _reversed(a, b, common) else Order.OTHER
    if any(_neighbours(a, w) != _neighbours(b, w) for w in common if w not in LIGHT and max(len(a.places[w]), len(b.places[w])) > 1):
        return Order.OTHER  # which of its places was exchanged for which cannot be told
    placed = {
        w: (*a.places[w], *b.places[w])
        for w in common
        if w not in lexicon.PARTICLES and len(a.places[w]) == len(b.places[w]) == 1 and a.places[w] != b.places[w]
    }
    if not turned and any(_redirected(w, p.preposition, q.preposition) for w, (p, q) in placed.items()):
        return Order.OTHER
    if any(w == v and p != q and {p, q} <= a.places.keys() & b.places.keys() for w, p in a.denied for v, q in b.denied):
        return Order.OTHER  # teams without leads report, teams report without leads
    if any(_renamed(a, b, w, v) for w, v in combinations(common, 2)):
        return Order.OTHER
    if _paired_otherwise(a, b):
        return Order.OTHER
    if any(_disowned(b, *owned) for owned in a.owned) or any(_disowned(a, *owned) for owned in b.owned):
        return Order.OTHER
    if any(not _active(b, *passive) for passive in a.passives) or any(not _active(a, *passive) for passive in b.passives):
        return Order.OTHER
    swapped = any(
        _turned_round(placed[w], placed[v]) or (_exchanged(placed[w], placed[v], {w, v}) and not _free(a, b, w, v))
        for w, v in combinations(placed, 2)
    )
    return Order.OTHER if swapped else Order.SAME


def _redirected(word: str, p: str, q: str) -> bool:
    """Whether one preposition in place of another makes another rule of a word: from and to, or any two before an amount."""
    return p != q and ({p, q} <= lexicon.DIRECTIONS or (word.startswith("#") and bool(p and q)))


def _renamed(a: Structure, b: Structure, w: str, v: str) -> bool:
    """Whether two things that the same word calls what they are (table A, table B) follow each other the other way round."""
    places = [s.places[x] for s in (a, b) for x in (w, v)]
    if any(len(p) > 1 for p in places) or len({(q.left, q.role) for p in places for q in p}) > 1:
        return False
    (shared,) = {q.left for q in places[0]}
    if len(a.places.get(shared, ())) < 2 or {(w, v), (v, w)} & a.joined & b.joined:
        return False
    return (a.sequence.index(w) < a.sequence.index(v)) != (b.sequence.index(w) < b.sequence.index(v))


def _paired_otherwise(a: Structure, b: Structure) -> bool:
    """Whether clauses that say the same of several things (reads go to the replica, writes go to the primary) exchanged some of them."""
    repeated = {w for one, other in combinations(a.clauses, 2) for w in one & other}
    if not repeated or len(a.clauses) != len(b.clauses) or a.places.keys() != b.places.keys():
        return False
    return {clause - repeated for clause in a.clauses} != {clause - repeated for clause in b.clauses}


def _disowned(s: Structure, owner: str, thing: str) -> bool:
    """Whether a wording speaks of the thing's owner where another speaks of the owner's thing."""
    return (thing, owner) in s.owned or any(p.left == thing and not p.preposition for p in s.places.get(owner, ()))


def _active(s: Structure, subject: str, verb: str, doer: str) -> bool:
    """Whether a wording may say what another says as "subject is done by doer"."""
    if (subject, verb, doer) in s.passives or not {subject, verb, doer} <= s.places.keys():
        return True
    order = [s.sequence.index(w) for w in (doer, verb, subject)]
    return order == sorted(order)


def _roles(s: Structure, word: str) -> frozenset[str]:
    return frozenset(p.role for p in s.places[word])


def _neighbours(s: Structure, word: str) -> frozenset[str]:
    return frozenset(p.left for p in s.places[word])


def _reversed(a: Structure, b: Structure, common: list[str]) -> bool:
    """Whether what comes second in time in the one comes first in the other, and the other way round; the rest is the same."""
    timed = [w for w in common if _roles(a, w) | _roles(b, w) <= {"0", "1"}]
    if any(_roles(a, w) != _roles(b, w) for w in common if w not in timed):
        return False
    late_a, late_b = ({w for w in timed if _roles(s, w) == {"1"}} for s in (a, b))
    return bool(late_a and late_b) and not late_a & late_b


def _exchanged(w: tuple[Place, ...], v: tuple[Place, ...], pair: set[str]) -> bool:
    """Whether each of two words stands in the one wording where the other stands in the other. Places: in a, in b."""
    return _alike(w[0], v[1], pair) and _alike(v[0], w[1], pair) and not _alike(w[0], v[0], set())


def _turned_round(w: tuple[Place, ...], v: tuple[Place, ...]) -> bool:
    """Whether what goes to a thing in the one wording is what the thing goes to in the other (UTC to local time, local time to UTC)."""
    ends = (w[0].preposition, w[1].preposition)
    same_clause = len({p.role for p in (*w, *v)}) == 1
    return same_clause and ends[0] != ends[1] and ends == (v[1].preposition, v[0].preposition) and bool({*ends} & lexicon.DIRECTIONS)


def _alike(p: Place, q: Place, pair: set[str]) -> bool:
    """Whether two places are the same; as neighbours the words of `pair` count as one."""
    left = p.left in pair if q.left in pair else p.left == q.left
    return left and (p.role, p.preposition) == (q.role, q.preposition)


def _free(a: Structure, b: Structure, w: str, v: str) -> bool:
    """Whether the order of two words says nothing."""
    pair = {(w, v), (v, w)}
    owning = [any(owner in (w, v) for owner, _ in s.owned) for s in (a, b)]
    if owning[0] != owning[1] and any(p.left in (w, v) for s in (a, b) for p in s.places[w] | s.places[v]):
        return True  # the user's open orders are the open orders of the user
    return bool((pair & a.joined and pair & b.joined) or pair & (a.described | b.described))
