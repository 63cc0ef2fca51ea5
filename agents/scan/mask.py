"""One mask pass: typed, numbered placeholders, longest first, nothing of a value echoed (SPEC 3.9)."""

from collections.abc import Iterable, Sequence

from agents.scan.hit import RANK, Hit
from agents.scan.placeholder import PLACEHOLDER


class Numbers:
    """Which number a value gets among its kind: the same value the same number, in all texts that share these numbers."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._given: dict[tuple[str, str], int] = {}
        self._last: dict[str, int] = {}
        # Placeholders that stand in the texts already keep their meaning.
        for text in texts:
            for match in PLACEHOLDER.finditer(text):
                self._last[match[1]] = max(self._last.get(match[1], 0), int(match[2]))

    def placeholder(self, kind: str, value: str) -> str:
        """The placeholder of a value."""
        number = self._given.get((kind, value))
        if number is None:
            number = self._given[kind, value] = self._last[kind] = self._last.get(kind, 0) + 1
        return f"[{kind}:{number}]"


def mask(text: str, hits: Sequence[Hit], numbers: Numbers) -> str:
    """The text with every hit that is to be masked taken out. Hits that overlap are one value, of the gravest and longest one's kind."""
    pieces, at = [], 0
    for start, end, kind in merged(hits):
        pieces.append(text[at:start])
        pieces.append(numbers.placeholder(kind, text[start:end]))
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def merged(hits: Sequence[Hit]) -> list[tuple[int, int, str]]:
    """Spans to be masked, left to right and apart, each with its kind."""
    out: list[tuple[int, int, Hit]] = []
    last = -1
    for hit in sorted([h for h in hits if h.mask and h.end > h.start], key=lambda h: (h.start, -h.end)):
        if hit.start < last:
            start, end, kept = out[-1]
            graver = max(kept, hit, key=lambda h: (RANK[h.severity], h.end - h.start))
            last = max(end, hit.end)
            out[-1] = (start, last, graver)
        else:
            last = hit.end
            out.append((hit.start, last, hit))
    return [(start, end, hit.kind) for start, end, hit in out]
