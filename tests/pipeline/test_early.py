"""SPEC 5.2: outcomes come in any order."""

import pytest

from tests.pipeline.flow import Flow
from tests.pipeline.work import work


@pytest.mark.parametrize("broker", ["kafka"], indirect=True)
def test_early_outcomes_wait_for_what_they_credit(flow: Flow) -> None:
    """SPEC 5.2: an outcome that overtakes the learning it credits waits for it, then counts."""
    given = work(seed=4, outcomes=60)
    told = flow.produce("outcomes", given.outcomes)
    assert told["ended"]["waiting"] > 0
    flow.produce("runs", given.runs)
    flow.settled()
    assert given.wrong(flow, early=True) == []
