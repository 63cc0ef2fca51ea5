"""The text that is scanned: a pure ASCII copy of what was sent, with a way back to the characters of the original (SPEC 3.1, normalise).

Full-width letters, look-alikes of other alphabets, accents and invisible characters would hide a pattern from a byte scanner. ASCII text,
nearly all there is, passes through untouched.
"""

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field

_LOOKALIKES = dict(
    zip(
        "аеорсухіјѕһԁԛԝвкмнтАВЕКМНОРСТУХІЈЅԌԚԜαορνικτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcyxijshdqwbkmhtABEKMHOPCTYXIJSGQWaopvikiuxABEZHIKMNOPTYX",
        strict=True,
    )
)
_PUNCTUATION = dict(zip("‘’‚‛“”„‟′″‐‑‒–—―−∶：＝⁄…", "''''\"\"\"\"'\"-------::=/.", strict=True))
_OTHER = "\x7f"


class _Table(dict[int, str]):
    """What each character is read as; filled as characters are met. Bounded by the number of code points."""

    def __missing__(self, code: int) -> str:
        shown = self[code] = _read_as(chr(code))
        return shown


def _read_as(char: str) -> str:
    if char.isascii():
        return char
    if char in _LOOKALIKES or char in _PUNCTUATION:
        return _LOOKALIKES.get(char) or _PUNCTUATION[char]
    category = unicodedata.category(char)
    if category in ("Cf", "Mn", "Me") or char == "\u3164":
        return ""
    if category in ("Zs", "Zl", "Zp"):
        return "\n" if category != "Zs" else " "
    folded = "".join(c for c in unicodedata.normalize("NFKD", char) if c.isascii())
    if folded:
        return folded
    if category[0] == "L":
        return "W" if char.isupper() else "w"
    return _OTHER


_TABLE = _Table()


@dataclass(frozen=True, slots=True)
class Plain:
    """`ascii`: the copy; `original`: the text as sent. `_shifts`: from which character of the copy on how far the original is ahead."""

    original: str
    ascii: str
    _shifts: tuple[list[int], list[int]] = field(repr=False)

    @property
    def moved(self) -> bool:
        """Whether the copy is not the original itself."""
        return self.ascii is not self.original

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the original that stand for the copy's `start` to `end`."""
        return self._back(start), self._back(end - 1) + 1 if end > start else self._back(end)

    def _back(self, at: int) -> int:
        starts, shifts = self._shifts
        i = bisect_right(starts, at) - 1
        return at + shifts[i] if i >= 0 else at


def plain(text: str) -> Plain:
    """The ASCII copy of a text of any Unicode, lone surrogates included."""
    if text.isascii():
        return Plain(text, text, ([], []))
    copy = text.translate(_TABLE)
    if all(len(_TABLE[ord(c)]) == 1 for c in set(text)):
        return Plain(text, copy, ([], []))
    starts: list[int] = []
    shifts: list[int] = []
    shift = 0
    for at, char in enumerate(text):
        if char.isascii() or (width := len(_TABLE[ord(char)])) == 1:
            continue
        if width > 1:
            # Every character of the expansion leads back to the one it came from.
            for extra in range(1, width):
                starts.append(at - shift + extra)
                shifts.append(shift - extra)
            shift -= width - 1
            starts.append(at - shift + 1)
            shifts.append(shift)
        else:
            shift += 1
            starts.append(at + 1 - shift)
            shifts.append(shift)
    return Plain(text, copy, (starts, shifts))
