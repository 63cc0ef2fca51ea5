"""A plain recount of the office's input, to hold against what the pipeline counted. It knows nothing of how the pipeline works.

Applied and helpful (SPEC 5.1 to 5.3), the floor of a run (3.11), what is held (3.14), and the gate's seven conditions (6.1).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines.demo.office import Phase
from pipelines.demo.plant import Planted

Json = Mapping[str, Any]
Key = tuple[str, str, str]
"""Organisation, agent, entry key."""

MIN_APPLIED, MIN_RATIO = 3, 0.70
_STRICTER = ("shareable", "agent_specific", "sensitive")


@dataclass(slots=True)
class Count:
    """What one learning came to."""

    wording: object
    privacy: str
    bound: bool
    held: bool
    applied: int = 0
    helpful: int = 0
    verified: bool = False

    def candidate(self, enabled: bool) -> bool:
        """Whether it clears the gate."""
        shown = self.privacy == "shareable" and not self.held and not self.bound and enabled
        return shown and self.verified and self.applied >= MIN_APPLIED and self.helpful / self.applied >= MIN_RATIO


@dataclass(slots=True)
class Recount:
    """Counts by learning, and who may share."""

    counts: dict[Key, Count] = field(default_factory=dict)
    enabled: dict[tuple[str, str], bool] = field(default_factory=dict)
    _runs: set[tuple[str, str]] = field(default_factory=set)
    _outcomes: set[tuple[str, str]] = field(default_factory=set)
    _waiting: dict[Key, list[tuple[Json, Json]]] = field(default_factory=dict)

    def candidates(self) -> set[Key]:
        """The learnings that clear the gate."""
        return {key for key, count in self.counts.items() if count.candidate(self.enabled.get(key[:2], False))}

    def run(self, run: Json, planted: Sequence[Planted]) -> None:
        """Count a run: what it proposes, and what it pulls that to."""
        if (run["agent"], run["run_id"]) in self._runs:
            return
        self._runs.add((run["agent"], run["run_id"]))
        met = _in(run, planted)
        for learning in run.get("learnings", ()):
            key = (run["org"], run["agent"], learning["entry_key"])
            privacy = max([_stated(learning), *(p.floor for p in met if p.floor)], key=_STRICTER.index)
            wording = (learning["rule"], learning.get("value"))
            held = any(p.floor == "sensitive" for p in _in(learning, met))
            before = self.counts.get(key)
            if before and before.wording == wording:
                before.privacy = max(before.privacy, privacy, key=_STRICTER.index)
                continue
            self.counts[key] = Count(wording, privacy, bool(learning.get("value_bindings")), held)
            for outcome, credit in self._waiting.pop(key, ()):
                self._credit(self.counts[key], outcome, credit)

    def outcome(self, outcome: Json) -> None:
        """Count an outcome, once."""
        if (outcome["agent"], outcome["outcome_id"]) in self._outcomes:
            return
        self._outcomes.add((outcome["agent"], outcome["outcome_id"]))
        for credit in outcome["credits"]:
            if "entry_key" not in credit:
                continue  # a ref moves the pool's figures, not its owner's
            key = (outcome["org"], outcome["agent"], credit["entry_key"])
            if key in self.counts:
                self._credit(self.counts[key], outcome, credit)
            else:
                self._waiting.setdefault(key, []).append((outcome, credit))

    def _credit(self, count: Count, outcome: Json, credit: Json) -> None:
        if not credit.get("applied", True):
            return
        count.applied += 1
        count.helpful += credit.get("helpful", "yes" if outcome["result"] == "success" else "no") == "yes"
        count.verified = count.verified or outcome.get("verified_by") is not None


def recount(agents: Iterable[Json], phases: Iterable[Phase], planted: Sequence[Planted]) -> Recount:
    """Count everything, in the order in which it was sent."""
    result = Recount()
    for agent in agents:
        shares = agent.get("shared_learning")
        result.enabled[agent["org"], agent["agent"]] = agent["hosted"] if shares is None else shares
    for phase in phases:
        for record in phase.records:
            if phase.topic == "runs":
                result.run(record, planted)
            else:
                result.outcome(record)
    return result


def _stated(learning: Json) -> str:
    privacy = learning.get("privacy")
    return privacy if privacy in _STRICTER else "shareable"


def _in(value: object, planted: Sequence[Planted]) -> list[Planted]:
    text = " ".join(_texts(value))
    return [p for p in planted if p.value in text]


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for inner in value.values() for text in _texts(inner))
    elif isinstance(value, list):
        yield from (text for inner in value for text in _texts(inner))
