"""A worker that lost its partitions must not write: whether it may still believe that they are its own, and how it ends where not."""

import logging
import os
import time
from typing import Any, NoReturn

log = logging.getLogger(__name__)

EXIT_SEND_FAILED = 70
EXIT_LEASE_OVER = 71
EXIT_CRASHED = 72
SESSION_SECONDS = 10.0
_MARGIN_SECONDS = 3.0


def die(status: int, why: str) -> NoReturn:
    """Stop at once, without Faust's shutdown: that would commit and send, which is what must not happen now."""
    log.critical("%s; the process stops, what it had taken is taken again by its successor", why)
    logging.shutdown()
    os._exit(status)


class Lease:
    """How long this process may believe that its partitions are its own: since the coordinator last answered, less a margin."""

    def __init__(self) -> None:
        self._answered = time.monotonic()
        self._followed: Any = None

    def renew(self) -> None:
        """The coordinator answered now."""
        self._answered = time.monotonic()

    def follow(self, coordinator: Any) -> None:
        """Renew with each heartbeat that the coordinator answers."""
        if coordinator is self._followed:
            return
        beat = coordinator._do_heartbeat

        async def do_heartbeat() -> bool:
            asked = time.monotonic()
            answered: bool = await beat()
            if answered:
                self._answered = asked
            return answered

        coordinator._do_heartbeat, self._followed = do_heartbeat, coordinator

    def leave(self) -> None:
        """A stop that was asked for: the member leaves its group under its own name, so that others need not wait for its session's end."""
        if self._followed is not None:
            self._followed._group_instance_id = None

    def check(self) -> None:
        """Die where the lease is over: somebody else may have the partitions, and an old state must not be written last."""
        silent = time.monotonic() - self._answered
        if silent > SESSION_SECONDS - _MARGIN_SECONDS:
            die(EXIT_LEASE_OVER, f"the group's coordinator has not answered for {silent:.0f} s, so the partitions may be another's")
