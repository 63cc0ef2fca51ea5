"""Tiers: which of an agent's learnings are hot, warm or archive (SPEC 5.8), kept up as things change.

The best are kept in a list of their own, as many as are hot and warm and some behind them; only when those run out is the agent looked
through. What changes is put in its place among the others as they stand. Order moves with age, too, so a list that has the end of a tier
in it is put in order once a day.
"""

from bisect import insort
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from math import exp, log

from agents.aggregate import keys
from agents.aggregate.importance import judged
from agents.aggregate.proposals import listed
from agents.aggregate.timers import wake
from agents.aggregate.turn import Turn, Work, read_confidence
from schemas.records import EvidenceState, LearningState, Ranked, TopRanks

HOT, WARM = 50, 200
"""How many of an agent's learnings are hot, and how many after those are warm."""
RESERVE = 50
ARCHIVE = 3
_PLACES = ((1, 0, HOT), (2, HOT, HOT + WARM), (ARCHIVE, HOT + WARM, HOT + WARM + RESERVE))
"""Each tier, and the positions among the best that have it."""
AGING = 0.1
"""Per day."""
_DAILY = timedelta(days=1)


def priority(worth: float, age_days: float, recalls: int) -> float:
    """S of SPEC 5.8; `worth`: importance, or confidence where there is none, 0 to 1."""
    f = max(1.0, log(1 + recalls))
    return (worth + exp(-AGING * age_days)) * f * exp(-AGING * age_days / f)


def rank(turn: Turn, work: Work) -> None:
    """Put a learning that the record touched where it belongs among its agent's, and let others take the tiers that they get by it."""
    mine = _ranked(turn, work.learning_id, work.learning, work.evidence)
    key = keys.ranks(work.learning.org, work.learning.agent)
    top = turn.view.get(TopRanks, key) or TopRanks(org=work.learning.org, agent=work.learning.agent, whole=True)
    at = next((i for i, r in enumerate(top.ranked) if r.learning_id == work.learning_id), None)
    if (top.ranked[at] if at is not None else None) == mine:
        return
    best = list(top.ranked)
    if at is not None:
        del best[at]
    if mine is None:
        _set_tier(work, ARCHIVE)
    else:
        insort(best, mine, key=_order(turn.clock))
    _put(turn, key, top, best)


def rank_again(turn: Turn, key: bytes) -> None:
    """A day has passed: put an agent's best in order."""
    top = turn.view.get(TopRanks, key)
    if top is not None and top.again_at is not None and top.again_at <= turn.clock:
        _put(turn, key, replace(top, again_at=None), sorted(top.ranked, key=_order(turn.clock)))


def _ranked(turn: Turn, learning_id: str, learning: LearningState, evidence: EvidenceState) -> Ranked | None:
    """A learning as it ranks; None where it may not: only what is in force and shown does."""
    if (evidence.state, evidence.visibility) != ("active", "shown"):
        return None
    worth, _ = judged(turn.evaluate, learning, evidence)
    if worth is None:
        worth = read_confidence(learning, evidence)
    return Ranked(
        learning_id=learning_id,
        worth=worth,
        since=learning.received_at,
        recalls=evidence.recall_count,
        artifact=learning.is_artifact,
        tier=evidence.tier,
    )


def _put(turn: Turn, key: bytes, top: TopRanks, best: list[Ranked]) -> None:
    whole, again_at = top.whole, top.again_at
    if not whole and len(best) < HOT + WARM:
        best, whole = sorted(_all(turn, top, best), key=_order(turn.clock)), True
    if len(best) > HOT + WARM + RESERVE:
        best, whole = best[: HOT + WARM + RESERVE], False
    if again_at is None and len(best) > HOT:
        again_at = turn.clock + _DAILY
        wake(turn.view, again_at, key)
    for tier, first, end in _PLACES:
        for position in range(first, min(end, len(best))):
            if best[position].tier != tier:
                best[position] = _moved(turn, best[position], tier)
    turn.view.put(key, replace(top, whole=whole, again_at=again_at, ranked=tuple(best)))


def _order(clock: datetime) -> Callable[[Ranked], tuple[bool, float, str]]:
    def order(r: Ranked) -> tuple[bool, float, str]:
        age = (clock - r.since).total_seconds() / 86_400
        return r.artifact, -priority(r.worth, max(0.0, age), r.recalls), r.learning_id

    return order


def _moved(turn: Turn, ranked: Ranked, tier: int) -> Ranked:
    work = turn.learning(ranked.learning_id)
    if work is not None:
        _set_tier(work, tier)
    return replace(ranked, tier=tier)


def _set_tier(work: Work, tier: int) -> None:
    if work.evidence.tier != tier:
        work.evidence = replace(work.evidence, tier=tier)
        work.shown = True


def _all(turn: Turn, top: TopRanks, best: list[Ranked]) -> list[Ranked]:
    """Every learning of the agent that may rank."""
    out = {r.learning_id: r for r in best}
    for learning_id in listed(turn, top.org, top.agent):
        if learning_id in out:
            continue
        work = turn.touched.get(learning_id)
        evidence = work.evidence if work else turn.view.get(EvidenceState, keys.evidence(learning_id))
        learning = work.learning if work else turn.view.get(LearningState, keys.wording(learning_id))
        if evidence is not None and learning is not None and (ranked := _ranked(turn, learning_id, learning, evidence)) is not None:
            out[learning_id] = ranked
    return list(out.values())
