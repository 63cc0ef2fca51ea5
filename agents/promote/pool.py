"""A shared learning at work: its evidence, its members and where they put it (SPEC 5.7, 6.4–6.7)."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agents.posterior import Evidence
from agents.promote.credits import NOTHING, Credit, count, evidence, recount, settled
from agents.promote.signatures import PERSON, are_enough
from schemas.codec import encode, load
from schemas.records import CandidateCleared, Figures, PoolCredited, PoolMark, PoolPart, PoolState, Source

RUNGS = ("agent_verified", "source_verified", "corroborated")
"""Rungs of trust in a pool: one validator, two, three and more (SPEC 5.7)."""
VERDICTS_A_RUNG = 2
"""Unhelpful verdicts that pull a shared learning back one rung (SPEC 6.5)."""
TRANSITIONS: Mapping[tuple[str, str], str | None] = {
    ("none", "promoted"): "promoted",
    ("none", "awaiting_signatures"): None,
    ("promoted", "withdrawn"): "withdrawn",
    ("withdrawn", "promoted"): "returned",
    ("awaiting_signatures", "withdrawn"): None,
    ("withdrawn", "awaiting_signatures"): None,
    ("awaiting_signatures", "promoted"): "promoted",
    ("promoted", "awaiting_signatures"): "withdrawn",
    ("promoted", "objected"): "objected",
    ("objected", "promoted"): "returned",
    ("awaiting_signatures", "objected"): "objected",
    ("objected", "awaiting_signatures"): "retracted",
    ("objected", "withdrawn"): "withdrawn",
    ("withdrawn", "objected"): None,
}
"""From where to where a copy may cross (SPEC 2.12), and what the journal calls it; None: nothing that it tells of."""
CREDITS = ""
"""What marks of credits are kept under; those of an original under the id that it cleared under."""
_HASH_BYTES = 8


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a shared learning stands. `pulls`: rungs that unhelpful verdicts pull it back."""

    state: str
    visibility: str
    crossing: str
    trust: str
    validators: int
    pulls: int


class Copy:
    """A shared learning, as it is while a batch is taken. `version` 0: it was not said yet.

    An event may be offered again after a crash or a rewind: `take` tells whether it is new to this copy.
    """

    def __init__(self, state: PoolState) -> None:
        self.fixed = state
        self.version, self.revision = state.version, state.revision
        self.points, self.credits = state.points, state.credits
        self.contradicts = state.contradicts
        self.state, self.visibility = state.state, state.visibility
        self.objections, self.approvals = state.objections, state.approvals
        self.parts = {p.origin: p for p in state.parts}
        self.yes, self.no = _unpack(state.yes), _unpack(state.no)
        self._epoch, self._tail = _unpack_tail(state.tail)
        self._marks = {(m.of, m.sender, m.topic, m.epoch, m.partition): (m.offset, m.index) for m in state.marks}

    @classmethod
    def load(cls, value: bytes) -> "Copy":
        """The copy in a table's value."""
        return cls(load(PoolState, value))

    @classmethod
    def make(cls, cleared: CandidateCleared, epoch: str, offset: int) -> "Copy":
        """The copy of the first original of its wording: its promotable fields and nothing of its evidence but the prior.

        `epoch` and `offset` say where in candidates the clearing stands.
        """
        state = PoolState(
            org=cleared.org,
            space=cleared.space,
            shared_id=cleared.shared_id,
            made_epoch=epoch,
            made=offset,
            version=0,
            revision=0,
            rule=cleared.rule,
            value=cleared.value,
            tools=cleared.tools,
            memory_type=cleared.memory_type,
            kind=cleared.kind,
            environment=cleared.environment,
            applies_to=cleared.applies_to,
            wording=cleared.wording,
            prior=min(1.0, max(0.0, cleared.confidence)),
            points=NOTHING,
            credits=0,
            tail=b"",
            donor=cleared.donor,
            parts=(),
            yes=b"",
            no=b"",
        )
        copy = cls(state)
        copy.begin(epoch, offset)
        return copy

    def save(self) -> bytes:
        """The table's value of the copy as it is now."""
        state = replace(
            self.fixed,
            version=self.version,
            revision=self.revision,
            points=self.points,
            credits=self.credits,
            tail=_pack_tail(self._epoch, self._tail),
            contradicts=self.contradicts,
            parts=tuple(self.parts.values()),
            yes=_pack(self.yes),
            no=_pack(self.no),
            state=self.state,
            visibility=self.visibility,
            objections=self.objections,
            approvals=self.approvals,
            marks=tuple(
                PoolMark(of=of, sender=sender, topic=topic, epoch=epoch, partition=partition, offset=offset, index=index)
                for (of, sender, topic, epoch, partition), (offset, index) in self._marks.items()
            ),
        )
        return encode(state)

    def made_by(self, epoch: str, offset: int) -> bool:
        """Whether the record at this place of candidates made it."""
        return (self.fixed.made_epoch, self.fixed.made) == (epoch, offset)

    def take(self, of: str, sender: int, source: Source) -> bool:
        """Whether an event is new to this copy; if so it counts as taken. `of`: CREDITS, or the id that an original cleared under."""
        key = (of, sender, source.topic, source.epoch, source.partition)
        at = (source.offset, source.index)
        if at <= self._marks.get(key, (-1, 0)):
            return False
        self._marks[key] = at
        self.revision += 1
        return True

    def set_part(self, origin: str, member: str, present: bool) -> bool:
        """An original is there or gone. Returns whether that is a change."""
        before = self.parts.get(origin)
        self.parts[origin] = PoolPart(origin=origin, member=member, present=present)
        return present != (before is not None and before.present)

    @property
    def evidence(self) -> Evidence:
        """The pool's evidence now."""
        return evidence(self.fixed.prior, self.points)

    @property
    def figures(self) -> Figures:
        """The pool's counts now."""
        return self.points[-1].figures

    def is_about(self, credited: PoolCredited) -> bool:
        """Whether a credit is about this wording (SPEC 5.1); one by an id that landed here is."""
        return credited.shared_id != self.fixed.shared_id or credited.wording == self.fixed.wording

    def begin(self, epoch: str, offset: int) -> None:
        """A batch begins at this place of candidates: what came before will not come again."""
        tag = epoch_tag(epoch)
        self._tail = [o for o in self._tail if o >= offset] if tag == self._epoch else []
        self._epoch = tag

    def number(self, offset: int) -> int:
        """The number of the next credit, which stands at this offset of candidates."""
        self._tail.append(offset)
        self.credits += 1
        return self.credits - 1

    def number_again(self, offset: int) -> int | None:
        """The number that a credit was given before a crash; None where it was given none or cannot come again."""
        return self.credits - len(self._tail) + self._tail.index(offset) if offset in self._tail else None

    def count(self, credit: Credit) -> None:
        """Count the application by ref that was numbered last (SPEC 5.3, 5.4) and its verdict; unknown changes no verdict (SPEC 6.5)."""
        self.points = count(self.points, self.fixed.prior, self.credits - 1, credit)
        self._vote(credit.voter, credit.helpful)

    def recount(self, voter: str, credits: Sequence[tuple[int, Credit]]) -> None:
        """Count all credits since the oldest point again, of which one of this voter's changed (SPEC 5.10)."""
        self.points = recount(self.points, self.fixed.prior, credits)
        self.yes.discard(voter)
        self.no.discard(voter)
        for _, credit in settled(credits):
            if credit.voter == voter:
                self._vote(voter, credit.helpful)

    def _vote(self, voter: str, helpful: str) -> None:
        if helpful == "yes":
            self.yes.add(voter)
            self.no.discard(voter)
        elif helpful == "no":
            self.no.add(voter)
            self.yes.discard(voter)

    def verdict(self, member: str) -> str | None:
        """Latest verdict of a member: yes, no or None."""
        return "yes" if member in self.yes else "no" if member in self.no else None

    def role(self, member: str) -> str:
        """What a member is in it: donor, corroborator or voter."""
        if member == self.fixed.donor:
            return "donor"
        return "corroborator" if any(p.member == member for p in self.parts.values()) else "voter"

    def present(self, member: str) -> bool:
        """False where all that this member brought is gone."""
        brought = [p.present for p in self.parts.values() if p.member == member]
        return not brought or any(brought)

    def standing(self) -> Standing:
        """Where its members put it: a rung by validators, pulled back by unhelpful verdicts, out of the pool below the lowest.

        A validator brought the wording and still has it, or has helpful for its latest verdict. Of the donor only the wording
        counts, so that nobody keeps its own learning in a pool by a verdict. An open objection keeps it from everybody (SPEC 4.8), and a
        rejected one is out for good.
        """
        donor = self.fixed.donor
        validators = len({p.member for p in self.parts.values() if p.present} | (self.yes - {donor}))
        pulls = len(self.no - {donor}) // VERDICTS_A_RUNG
        rung = min(validators, len(RUNGS)) - pulls
        crossing = "withdrawn" if rung < 1 or self.state == "rejected" else self._inside()
        return Standing(self.state, self.visibility, crossing, RUNGS[max(rung, 1) - 1], validators, pulls)

    def _inside(self) -> str:
        if self.objections:
            return "objected"
        # A signature of one who has brought the wording since is none (SPEC 4.6).
        signatures = (PERSON,) if set(self.approvals) - {part.member for part in self.parts.values()} else ()
        return "promoted" if are_enough(self.fixed.kind, signatures) else "awaiting_signatures"


def decision(before: Standing | None, after: Standing, *, brought: bool) -> str | None:
    """What a change of standing is called in the journal, or None where it decides nothing.

    `before` None: the copy is new; `brought`: an original brought the wording, in place of a verdict or a withdrawal.
    """
    if before is None or before.crossing != after.crossing:
        return TRANSITIONS[before.crossing if before else "none", after.crossing]
    if after.crossing != "promoted":
        return None
    rise = RUNGS.index(after.trust) - RUNGS.index(before.trust)
    if rise < 0:
        return "demoted"
    if rise > 0 and after.pulls < before.pulls:
        return "returned"
    return "corroborated" if brought or rise > 0 else None


def epoch_tag(epoch: str) -> int:
    """How values name an epoch: CRC-32."""
    return zlib.crc32(epoch.encode())


def _pack_tail(epoch: int, offsets: Sequence[int]) -> bytes:
    return struct.pack(f">I{len(offsets)}q", epoch, *offsets) if offsets else b""


def _unpack_tail(packed: bytes) -> tuple[int, list[int]]:
    if not packed:
        return 0, []
    epoch, *offsets = struct.unpack(f">I{len(packed) // 8}q", packed)
    return epoch, offsets


def _pack(hashes: set[str]) -> bytes:
    return b"".join(bytes.fromhex(h) for h in sorted(hashes))


def _unpack(packed: bytes) -> set[str]:
    return {packed[i : i + _HASH_BYTES].hex() for i in range(0, len(packed), _HASH_BYTES)}
