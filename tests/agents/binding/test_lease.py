"""DESIGN, "A worker that lost its partitions must not write": past its lease it dies before it sends."""

import asyncio
import subprocess
import sys

from agents.binding.lease import EXIT_LEASE_OVER, SESSION_SECONDS, Lease

SILENT = f"""
from agents.binding.lease import Lease
lease = Lease()
lease._answered -= {SESSION_SECONDS}
lease.check()
print("it went on")
"""


def test_a_silent_coordinator_ends_the_process_before_it_sends() -> None:
    """At once, with a status of its own and one line that says why."""
    done = subprocess.run([sys.executable, "-c", SILENT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (EXIT_LEASE_OVER, "")
    assert "may be another's" in done.stderr


def test_only_an_answered_heartbeat_renews_from_when_it_was_asked() -> None:
    """An answer that was long on its way renews no more than the time since it was asked for."""

    class Coordinator:
        answer = False

        async def _do_heartbeat(self) -> bool:
            return self.answer

    coordinator, lease = Coordinator(), Lease()
    lease.follow(coordinator)
    began = lease._answered
    asyncio.run(coordinator._do_heartbeat())
    assert lease._answered == began
    coordinator.answer = True
    asyncio.run(coordinator._do_heartbeat())
    assert lease._answered > began
