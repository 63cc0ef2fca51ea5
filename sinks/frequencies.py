"""How many wordings there are, and how many hold a stem, by audience. What was read stands a while: a rank hardly moves with it."""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clickhouse_connect.driver.client import Client

FRESH_SECONDS = 10.0
MOST = 1_000
"""Audiences that are remembered."""

_WHERE = "org = {org:String} AND audience IN {audiences:Array(String)}"
_SETTINGS = "SETTINGS max_threads = 1, use_query_condition_cache = 0"
_HOLDERS = f"""SELECT toString(audience), h, count() FROM postings
WHERE {_WHERE} AND h IN {{hashes:Array(UInt32)}} GROUP BY audience, h {_SETTINGS}"""
_SIZES = f"SELECT toString(audience), count() FROM wordings WHERE {_WHERE} GROUP BY audience {_SETTINGS}"


@dataclass(slots=True)
class _Audience:
    read_at: float
    wordings: int | None = None
    holders: dict[int, int] = field(default_factory=dict)


class Frequencies:
    """Of one engine. Words that nobody in a question's audiences held are read again each time, so what is new is found at once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[tuple[str, str], _Audience] = {}

    def read(self, org: str, audiences: Sequence[str], hashes: Collection[int]) -> tuple[int, Mapping[int, int]]:
        """Wordings of the audiences together, and hash of a stem to how many of them hold it; left out where none does."""
        now = time.monotonic()
        known = [self._of(org, audience, now) for audience in audiences]
        missing = [h for h in hashes if not all(h in a.holders for a in known)]
        by_name = dict(zip(audiences, known, strict=True))
        if missing:
            for audience in known:
                audience.holders.update(dict.fromkeys(missing, 0))
            for name, h, count in self._rows(_HOLDERS, org, audiences, hashes=missing):
                by_name[name].holders[h] = count
        found = {h: sum(a.holders[h] for a in known) for h in hashes}
        for h in [h for h, n in found.items() if n == 0]:
            for audience in known:
                del audience.holders[h]
        return self.size(org, audiences), {h: n for h, n in found.items() if n}

    def size(self, org: str, audiences: Sequence[str]) -> int:
        """Wordings of the audiences together."""
        now = time.monotonic()
        known = {audience: self._of(org, audience, now) for audience in audiences}
        if unread := [name for name, audience in known.items() if audience.wordings is None]:
            sizes: dict[str, int] = dict(map(tuple, self._rows(_SIZES, org, unread)))
            for name in unread:
                known[name].wordings = sizes.get(name, 0)
        return sum(a.wordings or 0 for a in known.values())

    def holders(self, org: str, audiences: Sequence[str], hashes: Collection[int]) -> int:
        """How many postings of those stems are known of without asking: so many there are at least."""
        now = time.monotonic()
        return sum(self._of(org, audience, now).holders.get(h, 0) for audience in audiences for h in hashes)

    def _rows(self, sql: str, org: str, audiences: Sequence[str], **more: Any) -> Sequence[Sequence[Any]]:
        return self._client.query(sql, parameters={"org": org, "audiences": list(audiences), **more}).result_rows

    def _of(self, org: str, audience: str, now: float) -> _Audience:
        known = self._known.get((org, audience))
        if known is None or now - known.read_at > FRESH_SECONDS:
            if len(self._known) >= MOST:
                self._known.clear()
            known = self._known[org, audience] = _Audience(now)
        return known
