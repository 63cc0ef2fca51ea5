"""The one pass over a text: every anchor of every detector in one Hyperscan database (DESIGN.md, "The scanner").

An anchor only says where to look: a prefix, a word, an `@`. A detector then looks there in Python, in a window, and confirms. No
expression of Python's ever runs over a whole text.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import hyperscan


@dataclass(frozen=True, slots=True)
class Anchor:
    """Something for the pass to look for. `name`: whose it is; `expression`: Hyperscan syntax; `once`: the first sighting is enough."""

    name: str
    expression: str
    caseless: bool = False
    once: bool = False


Sightings = dict[str, list[int]]
"""For each anchor's name, the offsets behind the last character of what matched, ascending."""


class Engine:
    """A compiled set of anchors. Compiling takes a fraction of a second: once a process."""

    def __init__(self, anchors: Iterable[Anchor]) -> None:
        found = list(anchors)
        self._names = [a.name for a in found]
        self._database = hyperscan.Database()
        self._database.compile(
            expressions=[a.expression.encode() for a in found],
            ids=list(range(len(found))),
            elements=len(found),
            flags=[hyperscan.HS_FLAG_CASELESS * a.caseless | hyperscan.HS_FLAG_SINGLEMATCH * a.once for a in found],
        )
        self._local = threading.local()

    def look(self, text: str) -> Sightings:
        """Where each anchor stands in an ASCII text."""
        if not text:
            return {}
        if not hasattr(self._local, "scratch"):  # a scratch serves one thread at a time
            self._local.scratch = hyperscan.Scratch(self._database)
        seen: defaultdict[int, list[int]] = defaultdict(list)
        self._database.scan(text.encode("ascii"), match_event_handler=_note, context=seen, scratch=self._local.scratch)
        names = self._names
        return {names[number]: ends for number, ends in seen.items()}


def _note(number: int, start: int, end: int, flags: int, seen: Any) -> None:
    # Called once a match, from C: whatever is added here is paid for thousands of times a megabyte.
    seen[number].append(end)
