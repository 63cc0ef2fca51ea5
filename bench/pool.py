"""What a candidate costs in a pool of 100,000 (SPEC 6.4): run `python bench/pool.py [COPIES]`.

Wordings are made of a few hundred words, as rules of one department are. Measured: what it takes until the index is rebuilt from the table,
as after a restart, and how long promote then needs for one candidate, one that the pool has in other words and one that is new.
"""

import random
import sys
import time
from datetime import UTC, datetime
from statistics import quantiles

from agents.binding.batch import Incoming
from agents.promote.core import Promote
from schemas.codec import encode
from schemas.ids import ids_of
from schemas.records import CandidateCleared, Source

SECRET, ORG, SPACE = b"s" * 32, "acme", "commons"
AT = datetime(2026, 3, 1, tzinfo=UTC)
IDS = ids_of(SECRET, ORG)
_WORDS = {
    "begin": "check verify send store load read update delete import export merge split cache index lock close open copy move sort",
    "how": "pending stale large partial daily nightly shared archived signed encrypted compressed remote local primary secondary temporary",
    "what": "order refund invoice ticket account customer payment address label parcel price token session report table column row file "
    "folder image schema migration queue topic message batch job worker cluster node disk backup snapshot log metric alert rule policy",
    "when": "before after when until while",
}
_BEGIN, _HOW, _WHAT, _WHEN = (words.split() for words in _WORDS.values())


def rule(rng: random.Random) -> str:
    """A rule of eight to twelve words."""
    what = [f"{rng.choice(_HOW)} {rng.choice(_WHAT)}" for _ in range(3)]
    return f"{rng.choice(_BEGIN)} the {what[0]} {rng.choice(_WHEN)} you {rng.choice(_BEGIN)} the {what[1]} of the {what[2]}.".capitalize()


def cleared(number: int, text: str) -> Incoming:
    """The learning of an agent of its own clears the gate; the record stands at this offset of candidates."""
    learning_id, wording = IDS.learning(f"agent/{number}", "main", "a/b"), IDS.wording(text, None)
    record = CandidateCleared(
        source=Source(topic="outcomes", epoch="e", partition=0, offset=number, index=0),
        sender=0,
        org=ORG,
        space=SPACE,
        shared_id=IDS.shared(SPACE, learning_id, wording),
        learning_id=learning_id,
        donor=IDS.agent(f"agent/{number}"),
        version=4,
        rule=text,
        memory_type="fact",
        kind="memory",
        confidence=0.9,
        evidence_status="validated",
        trust="agent_verified",
        independent=0,
        wording=wording,
        gate=(),
        at=AT,
    )
    return Incoming("candidates", "c", 0, number, AT, b"k", encode(record))


def main() -> None:
    """Fill the pool, begin anew on its table, and measure."""
    copies = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rng = random.Random(7)
    rules = list(dict.fromkeys(rule(rng) for _ in range(copies)))
    table: dict[bytes, bytes] = {}

    def take(promote: Promote, batch: list[Incoming]) -> int:
        result = promote.step(0, batch, table.get)
        table.update({key: value for key, value in result.states.items() if value is not None})
        return len(result.out)

    filling, started = Promote(SECRET, 0.85), time.perf_counter()
    for at in range(0, len(rules), 1000):
        take(filling, [cleared(n, text) for n, text in enumerate(rules[at : at + 1000], at)])
    print(f"{len(rules):,} candidates taken in {time.perf_counter() - started:.1f} s")
    started, again = time.perf_counter(), Promote(SECRET, 0.85)
    take(again, [cleared(len(rules), rule(rng))])
    print(f"index rebuilt from the table, and a first candidate, in {time.perf_counter() - started:.2f} s")
    for name, texts in (("the same again", rng.sample(rules, 300)), ("new wordings", [rule(rng) for _ in range(300)])):
        took = []
        for number, text in enumerate(texts, len(rules) + (1 if name == "the same again" else 1000)):
            started = time.perf_counter()
            take(again, [cleared(number, text)])
            took.append((time.perf_counter() - started) * 1000)
        p = quantiles(took, n=100)
        print(f"{name}: p50 {p[49]:.1f} ms, p95 {p[94]:.1f} ms, p99 {p[98]:.1f} ms a candidate, a batch each")


if __name__ == "__main__":
    main()
