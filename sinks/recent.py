"""What was read a moment ago and stands for that moment: who asks hardly changes from one question to the next."""

import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

SECONDS = 1.0
MOST = 10_000
"""Keys that are remembered."""

T = TypeVar("T")


class Recent(Generic[T]):
    """Values by key, each read again after a second."""

    def __init__(self) -> None:
        self._known: dict[Hashable, tuple[float, T]] = {}

    def get(self, key: Hashable, read: Callable[[], T]) -> T:
        """The value under a key, read where it is not known or a second old."""
        now = time.monotonic()
        known = self._known.get(key)
        if known is not None and now - known[0] <= SECONDS:
            return known[1]
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[key] = now, (value := read())
        return value

    def forget(self, key: Hashable) -> None:
        """Read it again the next time."""
        self._known.pop(key, None)
