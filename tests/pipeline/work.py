"""Work to count: runs with learnings, outcomes that credit them, and the right answer by a plain recount."""

from collections import Counter
from dataclasses import dataclass
from random import Random

from tests.pipeline.flow import Flow, Json

ORG = "acme"
AGENTS = tuple(f"agent/worker-{n}" for n in range(6))
KEYS = 8
GOOD_ODDS = 0.8

Key = tuple[str, str]


@dataclass(frozen=True)
class Work:
    """Runs, outcomes (some sent twice), and for each (agent, entry key) how often it was applied and helpful."""

    runs: list[Json]
    outcomes: list[Json]
    applied: Counter[Key]
    helpful: Counter[Key]

    def wrong(self, flow: Flow, *, early: bool = False) -> list[str]:
        """What ClickHouse says otherwise than the recount. `early`: outcomes came first, and those that waited for a learning count
        in the version that it begins with (SPEC 2.8)."""
        rows = flow.sql("SELECT agent, entry_key, applied, helpful, version FROM v_learnings")
        told = {(r["agent"], r["entry_key"]): (int(r["applied"]), int(r["helpful"]), 1 if early else int(r["version"])) for r in rows}
        keys = {(run["agent"], draft["entry_key"]) for run in self.runs for draft in run["learnings"]}
        # Each application is a version, and nothing else is: no outcome counted twice leaves a mark elsewhere.
        right = {k: (self.applied[k], self.helpful[k], 1 if early else self.applied[k] + 1) for k in keys}
        return [f"{k}: {told.get(k)} where {right.get(k)} is right" for k in told.keys() | right.keys() if told.get(k) != right.get(k)]


def work(seed: int, outcomes: int) -> Work:
    """The work of a seed: one run an agent and learning, and so many outcomes, one in twenty sent twice."""
    random = Random(seed)
    runs = [
        {
            "run_id": f"run-{number}",
            "org": ORG,
            "agent": agent,
            "goal": "settle an order",
            "learnings": [{"entry_key": f"work/pattern-{n}", "rule": f"Rule {n} of {agent}: look before you leap."} for n in keys],
        }
        for number, (agent, keys) in enumerate((agent, range(first, first + 2)) for first in range(0, KEYS, 2) for agent in AGENTS)
    ]
    sent: list[Json] = []
    applied: Counter[Key] = Counter()
    helpful: Counter[Key] = Counter()
    for number in range(outcomes):
        agent = random.choice(AGENTS)
        credits = [
            {"entry_key": f"work/pattern-{n}", "helpful": "yes" if random.random() < GOOD_ODDS else "no"}
            for n in random.sample(range(KEYS), random.randint(1, 3))
        ]
        outcome = {"outcome_id": f"o-{number}", "org": ORG, "agent": agent, "result": "success", "verified_by": "ci", "credits": credits}
        sent += [outcome] * (2 if random.random() < 0.05 else 1)
        for credit in credits:
            applied[agent, credit["entry_key"]] += 1
            helpful[agent, credit["entry_key"]] += credit["helpful"] == "yes"
    return Work(runs, sent, applied, helpful)
