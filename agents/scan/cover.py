"""Spans of a text, asked where they lie: in time that does not grow with their number."""

from bisect import bisect_right
from collections.abc import Iterable


class Cover:
    """A set of spans, merged."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            elif end > start:
                self._starts.append(start)
                self._ends.append(end)

    def holds(self, at: int) -> bool:
        """Whether a span holds the character at an offset."""
        i = bisect_right(self._starts, at) - 1
        return i >= 0 and at < self._ends[i]

    def meets(self, start: int, end: int) -> bool:
        """Whether a span shares a character with `start` to `end`."""
        i = bisect_right(self._ends, start)
        return i < len(self._starts) and self._starts[i] < end
