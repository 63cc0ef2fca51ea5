"""promote: the only writer of the pools of a partition (SPEC 6), as a pure function of a batch.

What a table loses in a crash is made again when the same records are taken again, and comes out the same: each copy knows what it
took, and where an original lands depends only on copies made by earlier records of the log, whatever became of them since.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from agents.acts import DONE
from agents.binding.batch import Incoming, Outgoing, Read, Result
from agents.promote import reviews, say
from agents.promote.credits import RETRACTED, WINDOW, Credit
from agents.promote.directory import Directory
from agents.promote.pool import CREDITS, Copy, Standing, decision
from agents.promote.reviews import REVIEWS
from agents.promote.table import Table
from schemas.codec import decode
from schemas.ids import ids_of
from schemas.problem import Problem
from schemas.records import CandidateCleared, CandidateWithdrawn, Cause, PoolCredited, Reviewed, Tick


class Promote:
    """The core of promote. `similarity`: what two wordings must reach to be near-duplicates, 0 to 1 (SPEC 6.4)."""

    def __init__(self, secret: bytes, similarity: float) -> None:
        self._secret = secret
        self._directory = Directory(similarity)

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        """Take a batch of candidates."""
        if not batch:
            return Result()
        self._directory.begin()
        taking = _Taking(self._secret, self._directory, Table(read, batch[0].epoch, batch[0].offset))
        for record in batch:
            taking.take(record)
        return Result(taking.out, {**dict(taking.table.states()), **dict(self._directory.states())})


@dataclass(frozen=True, slots=True)
class _Event:
    """What the versions and decisions of an event say of it. `brought`: an original brought the wording; `review`: a reviewer made it."""

    what: str
    reason: str
    at: datetime
    figures: Mapping[str, str] = field(default_factory=dict)
    brought: bool = False
    review: Reviewed | None = None


class _Taking:
    """A batch while it is taken."""

    def __init__(self, secret: bytes, directory: Directory, table: Table) -> None:
        self._secret, self._directory, self.table = secret, directory, table
        self.out: list[Outgoing] = []

    def take(self, record: Incoming) -> None:
        """Take one record of the log."""
        self._source = record.source()  # it makes at most one decision
        event = decode(record.value)
        match event:
            case CandidateCleared():
                self._cleared(event, record)
            case CandidateWithdrawn():
                self._withdrawn(event)
            case PoolCredited():
                self._credited(event, record)
            case Reviewed():
                self._reviewed(event)
            case Tick():
                pass  # time alone decides nothing in a pool
            case Problem():
                self.out.append(say.unreadable(record, event))
            case _:
                self.out.append(say.unreadable(record, Problem("wrong_record")))

    def _cleared(self, cleared: CandidateCleared, record: Incoming) -> None:
        if cleared.shared_id != ids_of(self._secret, cleared.org).shared(cleared.space, cleared.learning_id, cleared.wording):
            self.out.append(say.unreadable(record, Problem("bad_id", "shared_id")))
            return
        copy = self.table.copy(cleared.org, cleared.shared_id)
        if copy is not None and not copy.made_by(record.epoch, record.offset):
            self._bring(copy, cleared)
            return
        near = self._directory.near(cleared, record, self.table)
        if copy is None and near.duplicate:
            self.table.alias(cleared.org, cleared.shared_id, near.duplicate.fixed.shared_id)
            self._bring(near.duplicate, cleared)
            return
        if copy is None:
            copy = Copy.make(cleared, record.epoch, record.offset)
            copy.contradicts = tuple(c.fixed.shared_id for c in near.contradicted)
        self._bring(copy, cleared)
        # A crash may have lost these where the copy itself was saved.
        self._directory.add(copy, self.table)
        for other in near.contradicted:
            self._link(other, copy.fixed.shared_id, cleared.at)

    def _bring(self, copy: Copy, cleared: CandidateCleared) -> None:
        """An original brings its wording to a copy: the first of it makes it, others corroborate it (SPEC 6.4)."""
        if not copy.take(cleared.shared_id, cleared.sender, cleared.source):
            return
        self.table.put(copy)
        before = copy.standing() if copy.version else None
        if not copy.set_part(cleared.shared_id, cleared.donor, present=True):
            return
        if before is None:
            event = _Event("created", "gate", cleared.at, {c.condition: c.figure for c in cleared.gate}, brought=True)
        else:
            figures = {"similarity": f"{self._directory.relation(cleared, copy).similarity:.4f}"}
            event = _Event("corroborated", "same_wording", cleared.at, figures, brought=True)
        if copy.standing() != before:
            self._tell(copy, before, event, None if before is None else copy.evidence.confidence)
        self.out.append(say.member(copy, cleared.donor, cleared.at))

    def _withdrawn(self, withdrawn: CandidateWithdrawn) -> None:
        """The original's part goes; the copy stays as long as other validators are left (SPEC 6.7)."""
        copy = self.table.copy(withdrawn.org, withdrawn.shared_id)
        if copy is None or not copy.take(withdrawn.shared_id, withdrawn.sender, withdrawn.source):
            return
        self.table.put(copy)
        before = copy.standing()
        if copy.set_part(withdrawn.shared_id, withdrawn.donor, present=False):
            if copy.standing() != before:
                self._tell(copy, before, _Event("withdrawn", withdrawn.reason, withdrawn.at), copy.evidence.confidence)
            self.out.append(say.member(copy, withdrawn.donor, withdrawn.at))

    def _credited(self, credited: PoolCredited, record: Incoming) -> None:
        """A credit by ref moves the pool's evidence and its reporter's verdict (SPEC 6.5)."""
        copy = self.table.copy(credited.org, credited.shared_id)
        if copy is None:
            self.out += say.not_counted(credited, say.UNKNOWN)
            return
        credit = Credit.of(credited, counts=credited.applied and copy.is_about(credited))
        if not copy.take(CREDITS, credited.sender, credited.source):
            number = copy.number_again(record.offset)
            if number is not None:  # a crash may have lost it where the copy itself was saved
                self.table.kept(copy).put(number, self._first(copy, credit, number))
            return
        self.table.put(copy)
        before, verdict, confidence = copy.standing(), copy.verdict(credited.voter), copy.evidence.confidence
        if not (self._amend(copy, credit, credited, record) if credited.amends else self._count(copy, credit, record)):
            return
        self._tell(copy, before, _Event("credited", "verdicts", credited.at), confidence)
        if copy.verdict(credited.voter) != verdict:
            self.out.append(say.member(copy, credited.voter, credited.at))

    def _reviewed(self, review: Reviewed) -> None:
        """A reviewer acts on a copy."""
        copy = self.table.copy(review.org, review.subject)
        if copy is None or copy.fixed.space != review.space:
            self.out.append(say.reviewed(review, "unknown_entry"))
            return
        if not copy.take(REVIEWS, review.sender, review.source):
            return
        self.table.put(copy)
        before = copy.standing()
        refused = reviews.review(copy, review, ids_of(self._secret, review.org).agent(review.reviewer))
        if refused is None:
            done = DONE[review.act]
            self._tell(copy, before, _Event(done, "review", review.received_at, review=review), copy.evidence.confidence)
        self.out.append(say.reviewed(review, refused))

    def _count(self, copy: Copy, credit: Credit, record: Incoming) -> bool:
        """Count a credit; whether it moved anything."""
        if credit.result == RETRACTED:
            return False
        self.table.kept(copy).put(copy.number(record.offset), credit)
        copy.count(credit)
        return True

    def _amend(self, copy: Copy, credit: Credit, credited: PoolCredited, record: Incoming) -> bool:
        """Let an outcome say something else from the start (SPEC 5.10); whether that moved anything."""
        kept = self.table.kept(copy)
        credits = list(kept.since(copy.points[0].after, copy.credits))
        place = next((number for number, c in credits if c.outcome == credit.outcome and not c.amends), None)
        if place is None and copy.points[0].after < 0:
            return self._count(copy, self._first(copy, credit, copy.credits), record)
        if place is None or place < copy.credits - WINDOW:
            self.out += say.not_counted(credited, say.LATE_AMENDMENT)
            return False
        number = copy.number(record.offset)
        kept.put(number, credit)
        copy.recount(credit.voter, [*credits, (number, credit)])
        return True

    def _first(self, copy: Copy, credit: Credit, number: int) -> Credit:
        """An amendment of an outcome that did not credit this copy before is its first credit; any other as it is."""
        oldest = copy.points[0].after
        if not credit.amends or oldest >= 0 or any(c.outcome == credit.outcome for _, c in self.table.kept(copy).since(-1, number)):
            return credit
        return replace(credit, amends=False)

    def _link(self, copy: Copy, shared_id: str, at: datetime) -> None:
        """A new copy contradicts this one (SPEC 6.4): both stay, and both are returned (SPEC 4.10)."""
        if shared_id not in copy.contradicts:
            self.table.put(copy)
            copy.revision += 1
            copy.contradicts += (shared_id,)
            copy.version += 1
            confidence = copy.evidence.confidence
            cause = Cause(what="contradicted", confidence_before=confidence, confidence_after=confidence)
            self.out.append(say.shared(copy, copy.standing(), cause, at))

    def _tell(self, copy: Copy, before: Standing | None, event: _Event, confidence: float | None) -> None:
        """Say the version that an event made and what it decided. `before`, `confidence`: what was; None where the copy is new."""
        after = copy.standing()
        copy.version += 1
        named = decision(before, after, brought=event.brought)
        if event.review is not None and (named is None or event.what == "rejected"):
            named = event.what
        figures = {
            "trust": after.trust,
            "validators": str(after.validators),
            "pulled_back": str(after.pulls),
            "confidence": f"{copy.evidence.confidence:.4f}",
            **event.figures,
        }
        decided = say.decided(copy, self._source, named, event.reason, figures, event.at, event.review) if named else None
        cause = Cause(
            what=event.what,
            id=decided.decision_id if decided else None,
            confidence_before=confidence,
            confidence_after=copy.evidence.confidence,
        )
        self.out.append(say.shared(copy, after, cause, event.at))
        if decided:
            self.out.append(say.decision(decided))
            if decided.decision == "rejected" and before is not None and before.crossing == "promoted":
                # What the public chain saw coming it sees go, and no more of it.
                self.out.append(say.decision(say.gone(copy, self._source, event.reason, figures, event.at)))
