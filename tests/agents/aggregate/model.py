"""The rules of an agent's state once more, plain and slow: a list of outcomes, counted from the start whenever somebody asks.

No segments, points, timers, watermarks or batches: what those are for must not change what comes out. One agent, windows never full.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from schemas.records import AgentChanged, LearningProposed, OutcomeReported, Recalled, RunSeen, Source

STRICT = {"none": 0, "shareable": 0, "agent_specific": 1, "sensitive": 2}
SEVERITY = {"success": 1.0, "minor_failure": 1.5, "failure": 2.0, "critical_failure": 3.0}
DAY = timedelta(days=1)


@dataclass
class Credit:
    learning: str
    version: int | None
    applied: bool
    helpful: str
    due: datetime | None = None  # waiting until then
    since: int | None = None  # the version with which the wording began that it counts for


@dataclass
class Told:
    """An outcome in its place; `names`: ids and contents of it and of its amendments."""

    names: list[tuple[str, str]]
    result: str
    verified: bool
    entries: int
    credits: list[Credit]


@dataclass
class Learning:
    proposal: LearningProposed
    prior: float
    floor: str
    state: str
    wordings: list[tuple[int, str]]
    version: int = 1
    held_until: datetime | None = None
    crossing: str = "none"
    withdrawn_at: datetime | None = None
    recalls: int = 0
    floors: dict[str, str] = field(default_factory=dict)  # of the wordings it had
    shown: tuple[Any, ...] = ()
    versions: list[tuple[Any, ...]] = field(default_factory=list)  # what was shown at each

    @property
    def wording(self) -> str:
        return self.wordings[-1][1]

    def wording_at(self, version: int) -> str:
        return [w for v, w in self.wordings if v <= version][-1]

    @property
    def privacy(self) -> str:
        return max(self.proposal.privacy, self.floor, key=lambda p: STRICT[p])


@dataclass
class Model:
    enabled: bool = False
    clock: datetime | None = None
    seen: set[Source] = field(default_factory=set)
    runs: dict[str, Any] = field(default_factory=dict)
    outcomes: list[Told] = field(default_factory=list)
    learnings: dict[str, Learning] = field(default_factory=dict)
    early: list[tuple[datetime, OutcomeReported]] = field(default_factory=list)

    def take(self, at: datetime, event: Any) -> None:
        self.clock = max(at, self.clock or at)
        restated = None
        self.expire()
        source = getattr(event, "source", None)
        if source is not None and source not in self.seen:
            self.seen.add(source)
            match event:
                case AgentChanged():
                    self.enabled = event.hosted if event.shared_learning is None else event.shared_learning
                case RunSeen():
                    self.run(event)
                case LearningProposed():
                    restated = self.propose(event)
                case OutcomeReported():
                    self.outcome(event)
                case Recalled():
                    for learning_id in event.learning_ids:
                        if learning_id in self.learnings:
                            self.learnings[learning_id].recalls += 1
        for learning_id, learning in self.learnings.items():
            now = self.judge(learning_id, learning)
            if now != learning.shown and learning_id != restated:
                learning.version += 1
            learning.shown = now
            if len(learning.versions) < learning.version:
                learning.versions.append(now)

    def expire(self) -> None:
        assert self.clock
        for learning in self.learnings.values():
            ttl = learning.proposal.ttl_at
            if learning.state == "held" and learning.held_until and learning.held_until <= self.clock:
                learning.state = "expired"
            elif learning.state == "active" and ttl and ttl <= self.clock:
                learning.state = "archived"
        for outcome in self.outcomes:
            for credit in outcome.credits:
                if credit.due and credit.due <= self.clock:
                    credit.due, credit.applied = None, False
        self.early = [(due, amendment) for due, amendment in self.early if due > self.clock]

    def run(self, run: RunSeen) -> None:
        known = self.runs.get(run.run_id)
        if known is None:
            self.runs[run.run_id] = (run, [])
            self.floors()

    def floors(self) -> None:
        for run_id, (_, written) in self.runs.items():
            floor = self.floor(run_id, set())
            for learning_id, wording in written:
                learning = self.learnings[learning_id]
                learning.floors[wording] = max(learning.floors.get(wording, "none"), floor, key=lambda f: STRICT[f])
                learning.floor = learning.floors[learning.wording]

    def floor(self, run_id: str, above: set[str]) -> str:
        """Of a run and of the runs below it."""
        run = self.runs[run_id][0]
        below = [c for c, (r, _) in self.runs.items() if r.parent_run_id == run_id and c not in above | {run_id}]
        strictest: str = max([run.floor, *(self.floor(c, above | {run_id}) for c in below)], key=lambda f: STRICT[f])
        return strictest

    def propose(self, p: LearningProposed) -> str | None:
        assert self.clock
        old = self.learnings.get(p.learning_id)
        floor, written = p.floor, []
        if p.run_id is not None:
            run, written = self.runs[p.run_id]
            if run.source.offset != p.source.offset:
                return None
            floor = max(p.floor, self.floor(p.run_id, set()), key=lambda f: STRICT[f])
        elif old is None or not 1 <= (p.rollback_to or 0) <= old.version or old.wording_at(p.rollback_to or 0) != p.wording:
            return None
        state = "held" if p.hold else "active"
        held_until = self.clock + timedelta(days=30) if p.hold else None
        floors = old.floors if old else {}
        floor = floors[p.wording] = max(floors.get(p.wording, "none"), floor, key=lambda f: STRICT[f])
        if old is None:
            self.learnings[p.learning_id] = Learning(p, p.confidence, floor, state, [(1, p.wording)], held_until=held_until, floors=floors)
        elif old.wording != p.wording:
            wordings = [*old.wordings, (old.version + 1, p.wording)]
            new = Learning(p, p.confidence, floor, state, wordings, old.version + 1, held_until, recalls=old.recalls, floors=floors)
            new.versions = old.versions
            self.learnings[p.learning_id] = new
        else:
            tested = self.figures(p.learning_id)[0] > 0
            old.proposal, old.prior = p, old.prior if tested else p.confidence
            old.floor = floor
            old.version += 1
            if old.state != "held":
                old.state, old.held_until = state, held_until
        self.expire()
        written.append((p.learning_id, p.wording))
        for outcome in self.outcomes:
            for credit in outcome.credits:
                if credit.due and credit.learning == p.learning_id:
                    self.resolve(credit)
        return p.learning_id

    def outcome(self, o: OutcomeReported) -> None:
        assert self.clock
        name = (o.outcome_id, o.content)
        if any(name in told.names for told in self.outcomes):
            return
        if o.amends is not None:
            self.amend(o)
            return
        if o.result == "retracted" or any(o.outcome_id == n for told in self.outcomes for n, _ in told.names):
            return
        told = Told([name], "", False, 1, [])
        self.outcomes.append(told)
        self.tell(told, o)
        self.release(o)

    def release(self, o: OutcomeReported) -> None:
        waited = [a for _, a in self.early if a.amends == o.outcome_id]
        self.early = [(due, a) for due, a in self.early if a.amends != o.outcome_id]
        for amendment in waited:
            self.outcome(amendment)

    def amend(self, o: OutcomeReported) -> None:
        assert self.clock
        amended = [told for told in self.outcomes if any(n == o.amends for n, _ in told.names)]
        if amended:
            amended[-1].names.append((o.outcome_id, o.content))
            self.tell(amended[-1], o)
            self.release(o)
        elif all(a.content != o.content for _, a in self.early):
            self.early.append((self.clock + DAY, o))

    def tell(self, told: Told, o: OutcomeReported) -> None:
        """The verdict of an outcome or of its amendment."""
        told.result, told.verified = o.result, o.verified_by is not None
        told.entries = max(1, sum(c.applied for c in o.credits))
        told.credits = [Credit(c.subject, c.version, c.applied, c.helpful) for c in o.credits if c.own]
        for credit in told.credits:
            self.resolve(credit)

    def resolve(self, credit: Credit) -> None:
        assert self.clock
        learning = self.learnings.get(credit.learning)
        if learning is None or (credit.version or 0) > learning.version:
            credit.due = credit.due or self.clock + DAY
            return
        credit.due = None
        named = learning.wording if credit.version is None else learning.wording_at(credit.version)
        credit.since = learning.wordings[-1][0] if named == learning.wording else None

    def figures(self, learning_id: str) -> tuple[Any, ...]:
        """applied, helpful, successes, failures, masses, confidence, status, verified: counted from the start."""
        learning = self.learnings[learning_id]
        es = ef = 0.0
        p0 = confidence = learning.prior
        applied = helpful = s = f = verified = 0
        discredited = False
        for told in self.outcomes:
            for credit in told.credits:
                if (
                    credit.learning != learning_id
                    or credit.since != learning.wordings[-1][0]
                    or not credit.applied
                    or told.result == "retracted"
                ):
                    continue
                success = told.result == "success"
                surprise = 1 + abs((1 if success else 0) - confidence)
                if not success and f == 0 and s >= 3:
                    surprise = 1.0
                es, ef = es * 0.8, ef * 0.8
                weight = SEVERITY[told.result] / told.entries * surprise
                es, ef = (es + weight, ef) if success else (es, ef + weight)
                applied, helpful, verified = applied + 1, helpful + (credit.helpful == "yes"), verified + told.verified
                s, f = s + success, f + (not success)
                confidence = min(1.0, max(0.0, (2 * p0 + es) / (2 + es + ef)))
                discredited = confidence < 0.5 and (discredited or not success)
        n = s + f
        if discredited:
            status = "discredited"
        elif n == 0:
            status = "untested"
        elif f == 0 or ((1 + es) / (2 + es + ef) >= 0.7 and n >= 2) or (s >= 4 and f <= 1):
            status = "validated"
        else:
            status = "contested"
        return applied, helpful, s, f, round(es, 9), round(ef, 9), round(confidence, 9), status, verified

    def judge(self, learning_id: str, learning: Learning) -> tuple[Any, ...]:
        """What is shown of a learning; a change of it is a version."""
        assert self.clock
        applied, helpful, *_, verified = figures = self.figures(learning_id)
        gate = (
            learning.privacy == "shareable",
            learning.state == "active",
            self.enabled,
            verified > 0,
            applied >= 3,
            applied > 0 and helpful / applied >= 0.7,
        )
        if learning.crossing == "candidate" and not all(gate):
            learning.crossing, learning.withdrawn_at = "withdrawn", self.clock
        elif all(gate) and (learning.crossing == "none" or (learning.withdrawn_at and learning.withdrawn_at + DAY <= self.clock)):
            learning.crossing, learning.withdrawn_at = "candidate", None
        return (*figures, learning.state, learning.crossing, learning.privacy, learning.wording, gate)
