"""SPEC 5.2: an outcome counts once, also where a worker wakes up that another has succeeded."""

import os
import signal
from threading import Thread

import pytest

from tests.pipeline.flow import Flow, until
from tests.pipeline.work import work

TOLD = ("entries", "episodes", "receipts", "shared", "pool-members", "decisions", "journal", "findings", "dead-letters")
"""What agents tell of what they took; ticks go elsewhere."""


@pytest.mark.parametrize("broker", ["kafka"], indirect=True)
def test_a_worker_that_wakes_past_its_session_tells_nothing(flow: Flow) -> None:
    """DESIGN "A worker that lost its partitions must not write": stopped in mid-stream until another has all of its work, then woken."""
    given = work(seed=6, outcomes=1200)
    flow.produce("runs", given.runs)
    offsets = flow.offsets()
    begun = sum(offsets.ends(["learnings"]).values())
    with flow.another_worker():
        until(lambda: flow.members() == 2, "both workers to be members")
        sender = Thread(target=flow.produce, args=("outcomes", given.outcomes[:900]))
        sender.start()
        until(lambda: sum(offsets.ends(["learnings"]).values()) > begun, "the first outcomes to be scanned")
        stopped = flow.pid("worker")
        os.kill(stopped, signal.SIGSTOP)
        try:
            sender.join()  # all of it has come to its end: the other worker has every partition
            flow.settled()
            assert flow.members() == 1
            before = offsets.ends(TOLD)
        finally:
            os.kill(stopped, signal.SIGCONT)
        until(lambda: flow.members() == 2, "the worker that was stopped, or its successor, to be a member again")
        assert offsets.ends(TOLD) == before
        flow.produce("outcomes", given.outcomes[900:], wait=False)
        flow.settled()
    flow.settled()
    assert given.wrong(flow) == []
