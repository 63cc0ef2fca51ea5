"""The credits by ref that a shared learning keeps: its latest 4,096 can be amended, and its evidence is counted again (SPEC 5.10).

They are numbered and never changed: an amendment is one more credit, which says something else of the same outcome. They stand in
segments of 64 under keys of their own, in a ring, so that a learning that many use is not written whole for each of them. A copy
keeps its evidence as it is now and at one or two points before; since the oldest point, between 4,096 and 8,192 credits are kept.
"""

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from agents.binding.batch import Read
from agents.posterior import SEVERITY, Evidence, confidence, update
from schemas.codec import encode, load
from schemas.records import EvidencePoint, Figures, PoolCredited, PoolCredits

WINDOW = 4096
RETRACTED = "retracted"
OWN_WORD = "agent"
"""What `attested_by` says where the reporter's key gives it no role (SPEC 5.7)."""
_SEGMENT = 64
_RING = 2 * WINDOW // _SEGMENT + 2
_LAYOUT = struct.Struct(">8s8sBBd")  # outcome, voter, result, verdict and marks, share
_RESULTS = (*SEVERITY, RETRACTED)
_VERDICTS = ("unknown", "yes", "no")
_VERIFIED, _INDEPENDENT, _AMENDS = 4, 8, 16
_NONE = _LAYOUT.pack(b"", b"", _RESULTS.index(RETRACTED), _AMENDS, 0.0)

Points = tuple[EvidencePoint, ...]
NOTHING: Points = (
    EvidencePoint(
        after=-1,
        figures=Figures(
            mass_success=0.0,
            mass_failure=0.0,
            applied=0,
            helpful=0,
            success_count=0,
            failure_count=0,
            verified=0,
            independent=0,
            discredited=False,
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Credit:
    """What is kept of a credit. `result` retracted: it moves nothing (any more); `share`: of its outcome's weight, 0 to 1."""

    outcome: str
    voter: str
    result: str
    helpful: str
    share: float
    verified: bool
    independent: bool
    amends: bool

    @classmethod
    def of(cls, credited: PoolCredited, *, counts: bool) -> "Credit":
        """What is kept of a record. `counts` False: it was not applied, or is about another wording."""
        return cls(
            outcome=credited.outcome,
            voter=credited.voter,
            result=credited.result if counts else RETRACTED,
            helpful=credited.helpful,
            share=credited.causal_confidence / credited.entries,
            verified=credited.verified,
            independent=credited.attested_by != OWN_WORD,
            amends=credited.amends,
        )

    def pack(self) -> bytes:
        """Its 26 bytes."""
        marks = _VERIFIED * self.verified + _INDEPENDENT * self.independent + _AMENDS * self.amends
        verdict = _VERDICTS.index(self.helpful)
        return _LAYOUT.pack(
            bytes.fromhex(self.outcome), bytes.fromhex(self.voter), _RESULTS.index(self.result), verdict + marks, self.share
        )

    @classmethod
    def unpack(cls, packed: bytes) -> "Credit":
        """The credit in 26 bytes."""
        outcome, voter, result, marks, share = _LAYOUT.unpack(packed)
        return cls(
            outcome=outcome.hex(),
            voter=voter.hex(),
            result=_RESULTS[result],
            helpful=_VERDICTS[marks & 3],
            share=share,
            verified=bool(marks & _VERIFIED),
            independent=bool(marks & _INDEPENDENT),
            amends=bool(marks & _AMENDS),
        )


def evidence(prior: float, points: Points) -> Evidence:
    """The evidence now, as the posterior knows it."""
    return _evidence(prior, points[-1].figures)


def _evidence(prior: float, figures: Figures) -> Evidence:
    return Evidence(
        prior=prior,
        confidence=confidence(prior, figures.mass_success, figures.mass_failure),
        mass_success=figures.mass_success,
        mass_failure=figures.mass_failure,
        successes=figures.success_count,
        failures=figures.failure_count,
        discredited=figures.discredited,
    )


def _count(prior: float, figures: Figures, credit: Credit) -> Figures:
    after = update(_evidence(prior, figures), credit.result, credit.share)
    return Figures(
        mass_success=after.mass_success,
        mass_failure=after.mass_failure,
        applied=figures.applied + 1,
        helpful=figures.helpful + (credit.helpful == "yes"),
        success_count=after.successes,
        failure_count=after.failures,
        verified=figures.verified + credit.verified,
        independent=figures.independent + credit.independent,
        discredited=after.discredited,
    )


def count(points: Points, prior: float, number: int, credit: Credit) -> Points:
    """The points after one more credit; its number is the highest."""
    now = EvidencePoint(after=number, figures=_count(prior, points[-1].figures, credit))
    if len(points) > 1 and points[-2].after > number - WINDOW:
        return (*points[:-1], now)
    return (*points[-2:], now)


def recount(points: Points, prior: float, credits: Iterable[tuple[int, Credit]]) -> Points:
    """The points as they would be had each outcome said from the start what it says now; `credits`: all since the oldest point."""
    oldest, *between, newest = points
    figures, out = oldest.figures, [oldest]
    for number, credit in settled(credits):
        while between and number > between[0].after:
            out.append(EvidencePoint(after=between.pop(0).after, figures=figures))
        figures = _count(prior, figures, credit)
    out += [EvidencePoint(after=p.after, figures=figures) for p in between]
    return (*out, EvidencePoint(after=newest.after, figures=figures))


def settled(credits: Iterable[tuple[int, Credit]]) -> list[tuple[int, Credit]]:
    """Credits in order, each outcome's latest in the place of its first; without those that are retracted.

    An amendment whose first is not among them was counted there, before the oldest point.
    """
    places: dict[str, int] = {}
    latest: dict[int, Credit] = {}
    for number, credit in credits:
        if not credit.amends:
            places[credit.outcome] = number
        if credit.outcome in places:
            latest[places[credit.outcome]] = credit
    return [(n, c) for n, c in sorted(latest.items()) if c.result != RETRACTED]


class Kept:
    """The kept credits of one copy while a batch is taken. `key(n)` names the table's value of segment n of the ring."""

    def __init__(self, read: Read, key: Callable[[int], bytes]) -> None:
        self._read, self._key = read, key
        self._segments: dict[int, list[bytes]] = {}
        self._changed: set[int] = set()

    def put(self, number: int, credit: Credit) -> None:
        """Keep a credit under its number; the same again changes nothing."""
        at, slot = divmod(number, _SEGMENT)
        entries = self._segment(at)
        entries += [_NONE] * (slot + 1 - len(entries))
        entries[slot] = credit.pack()
        self._changed.add(at)

    def since(self, after: int, end: int) -> Iterator[tuple[int, Credit]]:
        """The credits with numbers above `after` and below `end`."""
        for number in range(after + 1, end):
            at, slot = divmod(number, _SEGMENT)
            yield number, Credit.unpack(self._segment(at)[slot])

    def states(self) -> Iterator[tuple[bytes, bytes]]:
        """Keys and values of the segments that changed."""
        for at in sorted(self._changed):
            yield self._key(at % _RING), encode(PoolCredits(first=at * _SEGMENT, entries=b"".join(self._segments[at])))

    def _segment(self, at: int) -> list[bytes]:
        if at not in self._segments:
            value = self._read(self._key(at % _RING))
            kept = load(PoolCredits, value) if value is not None else None
            packed = kept.entries if kept is not None and kept.first == at * _SEGMENT else b""
            self._segments[at] = [packed[i : i + _LAYOUT.size] for i in range(0, len(packed), _LAYOUT.size)]
        return self._segments[at]
