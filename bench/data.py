"""The outcomes of the benchmark, the same every time, and the right answer."""

import itertools
import random
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench import job

LEARNINGS = 20_000
_EPOCH_MS = 1_790_000_000_000
_REPEATS, _REPEAT_REACH = 0.02, 50


def outcomes(number: int, learnings: int = LEARNINGS, seed: int = 7) -> Iterator[dict[str, Any]]:
    """Outcomes of 1 to 4 credits. Few learnings are popular, many are not (Zipf-Mandelbrot, 1 / (rank + 50)); 2 % come again."""
    random_ = random.Random(seed)
    popularity = list(itertools.accumulate(1 / (rank + 50) for rank in range(1, learnings + 1)))
    ids = [uuid.UUID(int=random_.getrandbits(128)).hex for _ in range(learnings)]
    good = [random_.random() < 0.4 for _ in range(learnings)]
    latest: list[dict[str, Any]] = []
    for number_ in range(number):
        if latest and random_.random() < _REPEATS:
            yield random_.choice(latest)
            continue
        credited = dict.fromkeys(random_.choices(range(learnings), cum_weights=popularity, k=random_.randint(1, 4)))
        outcome = {
            "outcome_id": f"{random_.getrandbits(128):032x}",
            "org": f"org-{number_ % 7}",
            "agent": f"agent/support-{random_.randrange(400)}",
            "run_id": f"run-{random_.getrandbits(48):012x}",
            "at": _EPOCH_MS + number_,
            "result": "success" if random_.random() < 0.7 else "failure",
            "verified_by": "ci/checks" if number_ % 3 else None,
            "causal_confidence": round(random_.random(), 3),
            "credits": [
                {"learning": ids[i], "applied": random_.random() < 0.9, "helpful": random_.random() < (0.92 if good[i] else 0.2)}
                for i in credited
            ],
        }
        latest.append(outcome)
        del latest[:-_REPEAT_REACH]
        yield outcome


@dataclass(slots=True)
class Answer:
    """What must come out. `credits`: how many there are, repeats too; `counts`: applied and helpful of each learning."""

    credits: int
    counts: dict[str, list[int]]


def answer(given: Sequence[dict[str, Any]]) -> Answer:
    """The right answer: each outcome counts once for each learning that it credits."""
    seen: set[str] = set()
    counts: dict[str, list[int]] = {}
    for outcome in given:
        if outcome["outcome_id"] in seen:
            continue
        seen.add(outcome["outcome_id"])
        for credit in outcome["credits"]:
            of = counts.setdefault(credit["learning"], [0, 0])
            of[0] += credit["applied"]
            of[1] += credit["applied"] and credit["helpful"]
    return Answer(sum(len(o["credits"]) for o in given), counts)


def key(outcome: dict[str, Any]) -> bytes:
    """Record key of an outcome."""
    return f"{outcome['org']}/{outcome['agent']}".encode()


def messages(given: Sequence[dict[str, Any]]) -> list[tuple[bytes, bytes]]:
    """Key and value of each outcome."""
    return [(key(o), job.encode(o)) for o in given]
