"""A plain recount of what is sent: learnings, pool, journal. It has the rules of SPEC 5 and 6, not how they are carried out."""

from collections import Counter
from dataclasses import dataclass, field

MIN_APPLIED, MIN_RATIO = 3, 0.70
RUNGS = ("agent_verified", "source_verified", "corroborated")


@dataclass(slots=True)
class Pooled:
    """A wording in the pool: who brought it and has it still, who found it helpful, and what its credits came to (SPEC 6.4, 6.5)."""

    rule: str
    brought: set[str] = field(default_factory=set)
    helped: set[str] = field(default_factory=set)
    applied: int = 0
    helpful: int = 0
    version: int = 0
    decided: Counter[str] = field(default_factory=Counter)

    @property
    def validators(self) -> int:
        """Distinct agents that stand for it."""
        return len(self.brought | self.helped)

    def bring(self, agent: str) -> None:
        """An agent's own learning with this wording clears the gate."""
        self.decided["corroborated" if self.version else "promoted"] += 1
        self.brought.add(agent)
        self.version += 1

    def withdraw(self, agent: str) -> None:
        """That learning, of which this is the only one, loses the gate."""
        self.decided["withdrawn"] += 1
        self.brought.discard(agent)
        self.version += 1

    def credit(self, agent: str, helpful: bool) -> None:
        """Another agent applied it by its ref."""
        rung = self.trust
        self.applied += 1
        self.helpful += helpful
        self.version += 1
        if helpful:
            self.helped.add(agent)
        if self.trust != rung:
            self.decided["corroborated"] += 1

    @property
    def trust(self) -> str:
        """Its rung; as long as less than two agents find it unhelpful."""
        return RUNGS[min(max(self.validators, 1), 3) - 1]


@dataclass(slots=True)
class Learnt:
    """A learning of an agent, as it should read. `exact`: how many versions it has is known; `waiting`: credits that came before it."""

    agent: str
    entry_key: str
    rule: str
    family: str
    pooled: Pooled
    exact: bool = True
    there: bool = False
    applied: int = 0
    helpful: int = 0
    version: int = 0
    crossing: str = "none"

    @property
    def held(self) -> bool:
        """Whether it is held: it counts, and crosses nothing."""
        return self.family == "held"

    def make(self) -> None:
        """Its run arrives: what waited for it counts in its first version."""
        self.there = True
        self.version = 1
        self._judge()

    def restate(self) -> None:
        """Its agent says the same again."""
        self.version += 1

    def credit(self, helpful: bool, times: int = 1) -> None:
        """It is applied once more, or (`times` -1) once less."""
        self.applied += times
        self.helpful += times * helpful
        self._moved()

    def change_mind(self, helpful: bool) -> None:
        """An application of it is now said to have been helpful, or not to have been."""
        self.helpful += 1 if helpful else -1
        self._moved()

    def _moved(self) -> None:
        if self.there:
            self.version += 1
            self._judge()

    def _judge(self) -> None:
        holds = not self.held and self.applied >= MIN_APPLIED and self.helpful / self.applied >= MIN_RATIO
        if holds and self.crossing == "none":
            self.crossing = "candidate"
            self.pooled.bring(self.agent)
        elif not holds and self.crossing == "candidate":
            self.crossing = "withdrawn"  # and does not come back within a day (SPEC 2.12)
            self.pooled.withdraw(self.agent)
