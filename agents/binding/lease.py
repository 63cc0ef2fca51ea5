"""A worker that lost its partitions must not write: whether it may still believe that they are its own, and how it ends where not."""

import logging
import os
import time
from collections.abc import Callable
from typing import Any, NoReturn

from aiokafka.protocol.produce import ProduceRequest

log = logging.getLogger(__name__)

EXIT_SEND_FAILED = 70
EXIT_LEASE_OVER = 71
EXIT_CRASHED = 72
EXIT_TOPIC_ANEW = 73
EXIT_STORE_FAILED = 74
SESSION_SECONDS = 10.0
_MARGIN_SECONDS = 3.0


_now: Callable[[], float] = (lambda: time.clock_gettime(time.CLOCK_BOOTTIME)) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic
"""Goes on while the machine sleeps, where there is such a clock: Linux's monotonic one stands still then, and the coordinator does not."""


def die(status: int, why: str) -> NoReturn:
    """Stop at once, without Faust's shutdown: that would commit and send, which is what must not happen now."""
    log.critical("%s; the process stops, what it had taken is taken again by its successor", why)
    logging.shutdown()
    os._exit(status)


class Lease:
    """How long this process may believe that its partitions are its own: since the coordinator last answered, less a margin."""

    def __init__(self) -> None:
        self._answered = _now()
        self._followed: Any = None

    def renew(self) -> None:
        """The coordinator answered now."""
        self._answered = _now()

    def follow(self, coordinator: Any) -> None:
        """Renew with each heartbeat that the coordinator answers."""
        if coordinator is self._followed:
            return
        beat = coordinator._do_heartbeat

        async def do_heartbeat() -> bool:
            asked = _now()
            answered: bool = await beat()
            if answered:
                self._answered = asked
            return answered

        coordinator._do_heartbeat, self._followed = do_heartbeat, coordinator

    def guard(self, client: Any) -> None:
        """Check again as each batch is put on the wire: what waited in the producer while the process slept must not go out after."""
        send = client.send

        async def checked(node: Any, request: Any, **more: Any) -> Any:
            if isinstance(request, ProduceRequest):
                self.check()
            return await send(node, request, **more)

        client.send = checked

    def leave(self) -> None:
        """A stop that was asked for: the member leaves its group under its own name, so that others need not wait for its session's end."""
        if self._followed is not None:
            self._followed._group_instance_id = None

    def check(self) -> None:
        """Die where the lease is over: somebody else may have the partitions, and an old state must not be written last."""
        silent = _now() - self._answered
        if silent > SESSION_SECONDS - _MARGIN_SECONDS:
            die(EXIT_LEASE_OVER, f"the group's coordinator has not answered for {silent:.0f} s, so the partitions may be another's")
