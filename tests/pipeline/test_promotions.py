"""SPEC 6.8: workers that are killed in the middle leave one promotion, one entry of the journal, one row of the pool for each learning."""

import pytest

from tests.pipeline.flow import Flow, Json, until

ORG, SHARE = "acme", 8
AGENTS = [f"agent/worker-{n}" for n in range(SHARE)]
LOADED = [{"org": ORG, "agent": agent, "home_space": "commons", "hosted": True} for agent in AGENTS]
THINGS = ("invoices", "parcels", "tickets", "refunds", "quotes", "contracts", "shipments", "vouchers")
PLACES = ("Lisbon", "Oslo", "Vienna", "Prague", "Dublin")
WRITES = ("candidates", "shared", "pool-members", "decisions", "journal")
"""What a promotion writes: once there is more of it, the worker is killed."""
LEARNINGS = SHARE * len(WRITES)


def run(number: int) -> Json:
    rule = f"Look at {THINGS[number % SHARE]} from {PLACES[number // SHARE]} before you close the day."
    drafts = [{"entry_key": f"desk/pattern-{number}", "rule": rule}]
    return {"run_id": f"r-{number}", "org": ORG, "agent": AGENTS[number % SHARE], "learnings": drafts}


def outcome(number: int, turn: int) -> Json:
    credits = [{"entry_key": f"desk/pattern-{number}"}]
    who = {"org": ORG, "agent": AGENTS[number % SHARE]}
    return {"outcome_id": f"o-{number}-{turn}", **who, "result": "success", "verified_by": "ci", "credits": credits}


def killed_at(flow: Flow, topic: str, outcomes: list[Json]) -> None:
    """Send outcomes, kill the worker once they made it write to a topic, and wait until its successor is done."""
    offsets = flow.offsets()

    def written() -> int:
        return sum(offsets.ends([topic]).values())

    before = written()
    flow.produce("outcomes", outcomes, wait=False)
    until(lambda: written() > before, f"the first of {topic}")
    flow.kill("worker")
    flow.settled()  # `up` waits ever longer for a worker that dies as soon as it is there


@pytest.mark.parametrize("broker", ["kafka"], indirect=True)
def test_each_learning_is_promoted_once(flow: Flow) -> None:
    flow.load(LOADED)
    flow.produce("runs", [run(n) for n in range(LEARNINGS)])
    flow.produce("outcomes", [outcome(n, turn) for turn in range(2) for n in range(LEARNINGS)])
    for turn, topic in enumerate(WRITES):
        killed_at(flow, topic, [outcome(n, 2) for n in range(turn * SHARE, (turn + 1) * SHARE)])
    for engine in ("kafka", "clickhouse"):
        chains = {c["chain"]: c for c in flow.tidegate("journal", "verify", "--org", ORG, "--from", engine)}
        assert (chains["public"]["entries"], chains["public"]["ok"]) == (LEARNINGS, True)
    entries = flow.sql("SELECT subject, count() AS n FROM journal FINAL WHERE decision = 'promoted' GROUP BY subject")
    assert (len(entries), {int(row["n"]) for row in entries}) == (LEARNINGS, {1})
    (pool,) = flow.sql("SELECT count() AS n, uniqExact(rule) AS rules FROM v_pool WHERE crossing = 'promoted'")
    assert (int(pool["n"]), int(pool["rules"])) == (LEARNINGS, LEARNINGS)
