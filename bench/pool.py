"""What a candidate costs in pools of 1,000, 10,000 and 100,000 copies (SPEC 6.4): run `python bench/pool.py [COPIES ...]`.

Rules have 8 to 25 words. Half of their places hold words that say little (the, of, when); the others are drawn from 5,000 words by Zipf's
law (https://en.wikipedia.org/wiki/Zipf%27s_law), so that a few are in every tenth rule and most are rare. A tenth of what comes repeats
an earlier rule in other words; a tenth is an earlier rule with another amount or turned into its opposite. `--common` draws the words from
80, all alike: no word is rare there.

Measured at each size, in time of the processor: how long the index takes to be rebuilt from the table, as after a restart; what one
candidate takes, each in a batch of its own; of that, the search of the index.
"""

import argparse
import random
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import accumulate
from statistics import quantiles

from agents.binding.batch import Incoming
from agents.promote.core import Promote
from agents.promote.index import Index, word_hashes
from agents.promote.pool import epoch_tag
from agents.promote.similarity import form, spare
from agents.promote.table import segment_key
from schemas.codec import encode
from schemas.ids import ids_of
from schemas.records import CandidateCleared, Source

SECRET, ORG, SPACE = b"s" * 32, "acme", "commons"
AT = datetime(2026, 3, 1, tzinfo=UTC)
IDS = ids_of(SECRET, ORG)
SIZES = (1_000, 10_000, 100_000)
ASKED = 300
SIMILARITY = 0.85
BATCH = 1_000
_SMALL = "the a of in to for from with before after when until and at by under per each all its"
_SYLLABLES = [consonant + vowel for consonant in "bcdfgklmnprstvz" for vowel in "aeiou"]


def vocabulary(size: int) -> list[str]:
    """Words that no lexicon knows, of two or three syllables."""
    rng = random.Random(size)
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(rng.choices(_SYLLABLES, k=rng.choice((2, 3)))) + rng.choice("klmnprt")] = None
    return list(words)


class Rules:
    """Rules without end, the same for the same arguments."""

    def __init__(self, seed: int, *, common: bool) -> None:
        self._rng = random.Random(seed)
        self._small = _SMALL.split()
        self._words = vocabulary(80 if common else 5_000)
        self._weights = list(accumulate(1 if common else 1 / rank for rank in range(1, len(self._words) + 1)))

    def new(self) -> str:
        """A rule that nobody said before."""
        rng = self._rng
        length = rng.randint(8, 25)
        words = rng.choices(self._words, cum_weights=self._weights, k=length)
        for at in rng.sample(range(1, length), length // 2):
            words[at] = rng.choice(self._small)
        return f"{' '.join(words).capitalize()} {rng.randint(2, 60)} minutes."

    def again(self, rule: str) -> str:
        """A rule in other words that say the same."""
        return self._rng.choice(("Always {}", "Make sure to {}", "Please note: {}")).format(rule[0].lower() + rule[1:])

    def close(self, rule: str) -> str:
        """Another rule that reads much alike."""
        if self._rng.random() < 0.5:
            return f"Do not {rule[0].lower()}{rule[1:]}"
        head, _, _ = rule.rpartition(" minutes")
        return f"{head.rpartition(' ')[0]} {self._rng.randint(61, 90)} minutes."

    def stream(self) -> Iterator[str]:
        """What comes to a pool."""
        said: list[str] = []
        while True:
            kind = self._rng.random() if said else 1.0
            if kind < 0.1:
                yield self.again(self._rng.choice(said))
            else:
                said.append(self.close(self._rng.choice(said)) if kind < 0.2 else self.new())
                yield said[-1]


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


class Pool:
    """The table of a pool, and what comes to it."""

    def __init__(self, *, common: bool) -> None:
        self._table: dict[bytes, bytes] = {}
        self._stream = Rules(7, common=common).stream()
        self._promote = Promote(SECRET, SIMILARITY)
        self._offset = self.copies = 0

    def fill(self, copies: int) -> None:
        """Take what comes until the pool has so many copies."""
        while self.copies < copies:
            self._take(self._promote, min(BATCH, copies - self.copies))

    def measure(self) -> str:
        """A line of figures."""
        size, index, began = self.copies, Index(), time.process_time()
        index.refresh(self._table.get, partial(segment_key, ORG, SPACE), lambda _: None)
        rebuilt = time.process_time() - began
        searches = [self._search(index, next(self._stream)) for _ in range(ASKED)]
        again = Promote(SECRET, SIMILARITY)
        self._take(again, 1)
        candidates = [self._take(again, 1) for _ in range(ASKED)]
        return f"{size:>9,} {rebuilt:>10.2f} {_figures(candidates)} {_figures(searches)}"

    def _search(self, index: Index, text: str) -> float:
        wording = form(text, None, ())
        words, extra = word_hashes(wording.words), spare(wording, SIMILARITY)
        began = time.process_time()
        index.near(words, extra, epoch_tag("c"), self._offset)
        return (time.process_time() - began) * 1000

    def _take(self, promote: Promote, number: int) -> float:
        """Take some candidates; returns for how many milliseconds."""
        batch = [cleared(at, next(self._stream)) for at in range(self._offset, self._offset + number)]
        began = time.process_time()
        result = promote.step(0, batch, self._table.get)
        took = (time.process_time() - began) * 1000
        states = {key: value for key, value in result.states.items() if value is not None}
        self.copies += sum(key.startswith(b"copy") and key not in self._table for key in states)
        self._table.update(states)
        self._offset += number
        return took


def _figures(took: list[float]) -> str:
    p = quantiles(took, n=100)
    return f"{p[49]:>8.2f} {p[94]:>8.2f} {max(took):>8.2f}"


def main() -> None:
    """Fill the pool to each size and measure."""
    parser = argparse.ArgumentParser(description="What a candidate costs in a pool.")
    parser.add_argument("copies", type=int, nargs="*", default=SIZES, help="sizes of the pool, ascending")
    parser.add_argument("--common", action="store_true", help="no word is rare")
    asked = parser.parse_args()
    pool = Pool(common=asked.common)
    print("   copies  rebuilt s  candidate ms: p50, p95, most  index ms: p50, p95, most")
    for copies in asked.copies:
        pool.fill(copies)
        print(pool.measure(), flush=True)


if __name__ == "__main__":
    main()
