"""Which wordings match a question, and how well: BM25 over the postings (DESIGN.md, "Recall").

The collection is what the caller may be shown: frequencies come from the audiences it belongs to, so nobody else's texts move a rank.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from sinks import words
from sinks.frequencies import Frequencies

ONE_PASS = 60_000
"""Up to so many postings are all read and summed up."""
SELECTIVE = 20_000
"""Beyond that, so many postings of the rarest stems choose the candidates that all stems then rank."""
CANDIDATES = 300
SCALE = 10_000
"""Postings' weights and rarities are both in hundredths."""

_SETTINGS = (
    "SETTINGS max_threads = 1, use_query_condition_cache = 0, group_by_two_level_threshold = 0, group_by_two_level_threshold_bytes = 0"
)
_SCORE = "sum(w * transform(h, {hashes:Array(UInt32)}, {rarities:Array(UInt32)}, 0))"
_WHERE = "org = {org:String} AND audience IN {audiences:Array(String)}"
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
        self._where = {"org": org, "audiences": list(audiences)}
        hashes = {words.stem_hash(stem) for stem in words.stems(text)}
        size, holders = (frequencies or Frequencies(client)).read(org, audiences, hashes)
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
        given = {**self._where, "hashes": [s.hash for s in self._stems], "rarities": [s.rarity for s in self._stems], "most": most}
        among = ""
        if self.large and not whole:
            among = _AMONG
            given |= {"rare": [s.hash for s in self._rarest()], "candidates": max(CANDIDATES, most)}
        rows = self._client.query(_RANK % among, parameters=given).result_rows
        self.met = frozenset(audience for _, _, audience in rows)
        return {key: score / SCALE for key, score, _ in rows}

    def _rarest(self) -> list[Stem]:
        chosen = [self._stems[0]]
        for stem in self._stems[1:]:
            if sum(s.holders for s in chosen) + stem.holders > SELECTIVE:
                break
            chosen.append(stem)
        return chosen
