"""SPEC 5.2: an outcome counts once, whatever becomes of workers while partitions change hands."""

import signal
import subprocess
from collections.abc import Callable

import pytest

from tests.pipeline.flow import Flow, until
from tests.pipeline.work import work

Beside = list["subprocess.Popen[bytes]"]


def joins(flow: Flow, beside: Beside) -> None:
    """Two join at once."""
    beside += [flow.begin_worker(), flow.begin_worker()]


def leaves(flow: Flow, beside: Beside) -> None:
    """One is asked to end while another joins."""
    beside.append(flow.begin_worker())
    beside.pop(0).terminate()


def dies(flow: Flow, beside: Beside) -> None:
    """One is killed while another joins, and then that of `up`."""
    beside.append(flow.begin_worker())
    beside.pop(0).kill()
    flow.kill("worker")


def stalls(flow: Flow, beside: Beside) -> None:
    """One stands still while another is asked to end, until the others have the partitions of both."""
    last = beside.pop()
    beside[0].send_signal(signal.SIGSTOP)
    last.terminate()
    until(lambda: flow.members() == 1, "the others to be left alone")
    beside[0].send_signal(signal.SIGCONT)


@pytest.mark.parametrize("broker", ["kafka"], indirect=True)
def test_workers_come_and_go_in_mid_rebalance(flow: Flow) -> None:
    """SPEC 5.2: with up to three workers, in mid-stream, one after the other."""
    given = work(seed=7, outcomes=1500)
    flow.produce("runs", given.runs)
    sent = 0
    beside: Beside = []
    happen: tuple[Callable[[Flow, Beside], None], ...] = (joins, leaves, dies, stalls)
    for happens in happen:
        flow.produce("outcomes", given.outcomes[sent : sent + 150], wait=False)
        happens(flow, beside)
        flow.produce("outcomes", given.outcomes[sent + 150 : sent + 300], wait=False)
        sent += 300
        flow.settled()
    flow.produce("outcomes", given.outcomes[sent:], wait=False)
    flow.settled()
    assert given.wrong(flow) == []
