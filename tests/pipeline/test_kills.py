"""SPEC 5.2: an outcome counts once, whatever is killed while it is on its way."""

from tests.pipeline.flow import Flow
from tests.pipeline.work import work


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
