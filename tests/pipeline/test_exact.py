"""SPEC 5.2: an outcome counts once, whatever a broker, a rebalance, a crash, a producer's retry or a rewind delivers again."""

import pytest

from tests.pipeline.flow import Flow, Json
from tests.pipeline.work import Work, work


def test_kill_9_of_worker_and_engine_in_mid_stream(flow: Flow) -> None:
    """SPEC 5.2: neither a worker nor a sink that is killed loses or repeats anything."""
    given = work(seed=1, outcomes=900)
    flow.produce("runs", given.runs)
    flow.produce("outcomes", given.outcomes[:300], wait=False)
    flow.kill("worker")
    flow.produce("outcomes", given.outcomes[300:600], wait=False)
    flow.kill("engine")
    flow.produce("outcomes", given.outcomes[600:], wait=False)
    flow.kill("worker")
    flow.settled()
    assert given.wrong(flow) == []


def test_a_second_worker_joins_late_and_leaves(flow: Flow) -> None:
    """SPEC 5.2: partitions that change hands in mid-stream take what they counted along."""
    given = work(seed=2, outcomes=900)
    flow.produce("runs", given.runs)
    flow.produce("outcomes", given.outcomes[:300], wait=False)
    with flow.another_worker():
        flow.produce("outcomes", given.outcomes[300:600], wait=False)
        flow.settled()
    flow.produce("outcomes", given.outcomes[600:], wait=False)
    flow.settled()
    assert given.wrong(flow) == []


@pytest.mark.parametrize(
    ("agent", "topics"), [("scan", ("runs", "outcomes")), ("aggregate", ("learnings",))], ids=["the raw side", "the agents' logs"]
)
def test_a_rewind_changes_nothing(flow: Flow, agent: str, topics: tuple[str, ...]) -> None:
    """SPEC 5.2: what is delivered again is known by its source, however old: no count, no wording, no version, no receipt moves."""
    given = work(seed=3, outcomes=300)
    flow.produce("runs", given.runs)
    flow.produce("outcomes", given.outcomes)
    flow.settled()
    before = _everything(flow)
    flow.stop()
    flow.rewind(agent, topics)
    flow.start()
    flow.settled()
    assert _everything(flow) == before
    assert given.wrong(flow) == []


def _everything(flow: Flow) -> list[list[Json]]:
    return [
        flow.sql(f"SELECT * FROM {table} ORDER BY ALL")
        for table in ("v_entry_versions", "v_learnings", "v_pool", "v_outcomes", "v_credits")
    ] + [flow.sql("SELECT id, part, end, reason FROM receipts FINAL ORDER BY ALL")]


def test_early_outcomes_wait_for_what_they_credit(flow: Flow) -> None:
    """SPEC 5.2: an outcome that overtakes the learning it credits waits for it, then counts."""
    given: Work = work(seed=4, outcomes=60)
    told = flow.produce("outcomes", given.outcomes)
    assert told["ended"]["waiting"] > 0
    flow.produce("runs", given.runs)
    flow.settled()
    assert given.wrong(flow, early=True) == []
