"""What stands twice on the topic journal: a crash after entries were sent makes the journal send them again, the same bytes."""

from collections import OrderedDict

from agents.journal.chain import entry_hash
from schemas.records import JournalEntry

_KEPT = 100_000
"""How many of the latest entries are known again: far more than a batch, which is what a crash can repeat."""


class Replays:
    """Knows an entry that came before just as it is. Signed anew by a key that was rotated in, it is the same."""

    def __init__(self) -> None:
        self._hashes: OrderedDict[tuple[str, str, int], str] = OrderedDict()

    def again(self, entry: JournalEntry) -> bool:
        """Whether this very entry came before."""
        place, known = (entry.org, entry.chain, entry.sequence), entry_hash(entry)
        if self._hashes.get(place) == known:
            return True
        self._hashes.setdefault(place, known)
        if len(self._hashes) > _KEPT:
            self._hashes.popitem(last=False)
        return False
