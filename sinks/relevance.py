"""Which wordings match a question, and how well: BM25 over the postings (DESIGN.md, "Recall").

The collection is what the caller may be shown: frequencies come from the audiences it belongs to, so nobody else's texts move a rank. Few
postings are fetched and ranked here, in one query, since each query costs milliseconds before it reads anything; many are ranked where
they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from clickhouse_connect.driver.client import Client

from sinks import words
from sinks.frequencies import Frequencies

FETCHED = 20_000
"""Up to so many postings are fetched."""
ONE_PASS = 60_000
"""Up to so many postings are all read and summed up by the engine."""
SELECTIVE = 20_000
"""Beyond that, so many postings of the rarest stems choose the candidates that all stems then rank."""
CANDIDATES = 300
SCALE = 10_000
"""Postings' weights and rarities are both in hundredths."""

_NONE = np.empty(0, dtype=[("h", "u4"), ("id", "u8"), ("w", "u1"), ("whose", "u1")])
_SETTINGS = (
    "SETTINGS max_threads = 1, use_query_condition_cache = 0, group_by_two_level_threshold = 0, group_by_two_level_threshold_bytes = 0"
)
_SCORE = "sum(w * transform(h, {hashes:Array(UInt32)}, {rarities:Array(UInt32)}, 0))"
_WHERE = "org = {org:String} AND audience IN {audiences:Array(String)}"
_POSTINGS = f"""SELECT h, id, w, toUInt8(indexOf({{audiences:Array(String)}}, audience)) AS whose FROM postings
WHERE {_WHERE} AND h IN {{hashes:Array(UInt32)}} LIMIT {{fetched:UInt32}} {_SETTINGS}"""
_RANK = f"""SELECT id, {_SCORE} AS score, toString(any(audience)) FROM postings
WHERE {_WHERE} AND h IN {{hashes:Array(UInt32)}}%s
GROUP BY id ORDER BY score DESC, id LIMIT {{most:UInt32}} {_SETTINGS}"""
_AMONG = f""" AND id IN (
    SELECT id FROM postings WHERE {_WHERE} AND h IN {{rare:Array(UInt32)}}
    GROUP BY id ORDER BY {_SCORE} DESC, id LIMIT {{candidates:UInt32}})"""


@dataclass(frozen=True, slots=True)
class Stem:
    """A stem of a question that the collection knows: how many wordings hold it, and how much it says."""

    hash: int
    holders: int
    rarity: int


class Question:
    """The words of a question, weighed against what some audiences of an organisation hold."""

    def __init__(self, client: Client, org: str, audiences: Sequence[str], text: str, frequencies: Frequencies | None = None) -> None:
        self._client = client
        self._org, self._audiences = org, list(audiences)
        self._where = {"org": org, "audiences": self._audiences}
        self._frequencies = frequencies or Frequencies(client)
        hashes = sorted({words.stem_hash(stem) for stem in words.stems(text)})
        self._fetched = self._fetch(hashes) if hashes and self._frequencies.holders(org, audiences, hashes) <= FETCHED else None
        if self._fetched is not None:
            known, counts = np.unique(self._fetched["h"], return_counts=True)
            holders = dict(zip(known.tolist(), counts.tolist(), strict=True))
            size = self._frequencies.size(org, audiences) if holders else 0
        else:
            size, found = self._frequencies.read(org, audiences, hashes)
            holders = dict(found)
        stems = (Stem(h, n, words.rarity(n, max(size, n))) for h, n in holders.items())
        self._stems = sorted(stems, key=lambda stem: (stem.holders, stem.hash))
        self.met: frozenset[str] = frozenset()
        """Audiences of what `best` found last."""

    @property
    def large(self) -> bool:
        """Whether so much holds these words that `best` lets the rarest of them choose, and passes over what holds none of those."""
        return sum(s.holders for s in self._stems) > ONE_PASS

    def best(self, most: int, *, whole: bool = False) -> dict[int, float]:
        """Posting ids of the best matches, best first, with their relevance (BM25); at most `most`. `whole` passes over nothing."""
        if not self._stems:
            return {}
        if self._fetched is not None:
            return self._ranked(self._fetched, most)
        given = {**self._where, "hashes": [s.hash for s in self._stems], "rarities": [s.rarity for s in self._stems], "most": most}
        among = ""
        if self.large and not whole:
            among = _AMONG
            given |= {"rare": [s.hash for s in self._rarest()], "candidates": max(CANDIDATES, most)}
        rows = self._client.query(_RANK % among, parameters=given).result_rows
        self.met = frozenset(audience for _, _, audience in rows)
        return {key: score / SCALE for key, score, _ in rows}

    def _fetch(self, hashes: Sequence[int]) -> Any:
        """The postings of stems, as an array with fields; None where they are too many."""
        given = {**self._where, "hashes": hashes, "fetched": FETCHED + 1}
        found = self._client.query_np(_POSTINGS, parameters=given)
        return None if len(found) > FETCHED else found if len(found) else _NONE

    def _ranked(self, fetched: Any, most: int) -> dict[int, float]:
        rarities = {s.hash: s.rarity for s in self._stems}
        known, stem = np.unique(fetched["h"], return_inverse=True)
        worth = np.array([rarities[h] for h in known.tolist()], dtype=np.int64)[stem] * fetched["w"]
        ids, first, place = np.unique(fetched["id"], return_index=True, return_inverse=True)
        scores = np.bincount(place, weights=worth)
        best = np.lexsort((ids, -scores))[:most]
        self.met = frozenset(self._audiences[a - 1] for a in np.unique(fetched["whose"][first[best]]).tolist())
        return dict(zip(ids[best].tolist(), (scores[best] / SCALE).tolist(), strict=True))

    def _rarest(self) -> list[Stem]:
        chosen = [self._stems[0]]
        for stem in self._stems[1:]:
            if sum(s.holders for s in chosen) + stem.holders > SELECTIVE:
                break
            chosen.append(stem)
        return chosen
