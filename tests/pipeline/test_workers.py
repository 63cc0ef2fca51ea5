"""SPEC 5.2: an outcome counts once, whoever holds its partition."""

import pytest

from tests.pipeline.flow import Flow
from tests.pipeline.work import work


@pytest.mark.parametrize("broker", ["noida-db"], indirect=True)  # test_rebalance.py has more of it, on Kafka
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
