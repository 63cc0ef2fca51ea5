"""SPEC 5.2: an outcome counts once, also where the topic that brought it is no longer the one that a worker began with."""

import pytest

from tests.pipeline.flow import Flow, until
from tests.pipeline.work import work


@pytest.mark.parametrize("broker", ["kafka"], indirect=True)
def test_a_topic_that_is_deleted_and_made_anew_is_read_from_its_start(flow: Flow) -> None:
    """DESIGN, topic epochs: its offsets begin at 0 again, and are not taken for those that were read already.

    Not on noida-db: it makes a deleted topic again at once, with one partition, as soon as a client asks for it by name.
    """
    given = work(seed=8, outcomes=400)
    flow.produce("runs", given.runs)
    flow.produce("outcomes", given.outcomes[:200])
    flow.make_anew("outcomes")
    flow.produce("outcomes", given.outcomes[200:], wait=False)
    until(lambda: given.wrong(flow) == [], "the outcomes of the new topic to be counted, each once")
    flow.settled()
    assert given.wrong(flow) == []
