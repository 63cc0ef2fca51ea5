"""Payment card numbers: issuer prefix, length, Luhn (SPEC 3.3)."""

import re
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit

ANCHORS = (
    Anchor("card digits", r"[1-6][0-9]{11}"),
    Anchor("card groups", r"[2-6][0-9]{3}[ .\-][0-9]{4,6}[ .\-][0-9]{4,5}"),
)

_CARD = re.compile(r"(?<![0-9A-Za-z.])(?<![0-9][ -])\d(?:[ .-]?\d){11,18}(?![0-9A-Za-z])(?!-[0-9A-Za-z])")
_CARD_WORD = re.compile(r"(?i)(?:\bcard|\bvisa|mastercard|maestro|\bamex|\bpan)\b(?: (?:number|no\.?|is|#|ending))*[^0-9\n]{0,8}$")
_ISSUERS = (
    # (prefixes as ranges of their digits, lengths)
    (range(4, 5), (13, 16, 19)),  # Visa
    (range(51, 56), (16,)),  # Mastercard
    (range(2221, 2721), (16,)),  # Mastercard, 2-series
    (range(34, 35), (15,)),  # American Express
    (range(37, 38), (15,)),
    (range(6011, 6012), (16, 19)),  # Discover
    (range(644, 660), (16, 19)),
    (range(300, 306), (14, 16, 19)),  # Diners Club
    (range(36, 37), (14, 16, 19)),
    (range(38, 40), (14, 16, 19)),
    (range(1800, 1801), (15,)),  # JCB, before 2000
    (range(2131, 2132), (15,)),
    (range(3528, 3590), (16, 17, 18, 19)),  # JCB
    (range(62, 63), (16, 17, 18, 19)),  # UnionPay
    (range(50, 51), (16, 17, 18, 19)),  # Maestro, whose shorter ones are any number
    (range(56, 60), (16, 17, 18, 19)),
    (range(60, 61), (16,)),  # RuPay
    (range(67, 68), (16, 17, 18, 19)),
    (range(2200, 2205), (16, 17, 18, 19)),  # Mir
)


def luhn(digits: str) -> bool:
    """Whether a string of digits ends in its Luhn check digit."""
    total = 0
    for i, char in enumerate(reversed(digits)):
        n = int(char) * (1 + i % 2)
        total += n - 9 if n > 9 else n
    return total % 10 == 0


def issued(digits: str) -> bool:
    """Whether some network issues cards of this prefix and length."""
    return any(len(digits) in lengths and int(digits[: len(str(r.stop - 1))]) in r for r, lengths in _ISSUERS)


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Card numbers in an ASCII text."""
    after = 0
    for name, width in (("card digits", 12), ("card groups", 19)):
        for end in seen.get(name, ()):
            if end <= after:
                continue
            begin = max(0, end - width)
            match = _CARD.search(text, begin, min(len(text), end + 24))
            if not match or match.start() >= end:
                continue
            digits = re.sub(r"\D", "", match[0])
            separators = {c for c in match[0] if not c.isdigit()}
            told = issued(digits) or (digits[0] in "1356" and _CARD_WORD.search(text, max(0, match.start() - 30), match.start()))
            if len(separators) <= 1 and told and luhn(digits) and len(set(digits)) > 1:
                after = match.end()
                yield Hit("card", "card_number", "medium", match.start(), match.end(), floor=True)
