"""Personal data that patterns tell: phones, national ids, bank accounts, postal addresses, birth dates (SPEC 3.6, 3.11)."""

import re
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit

ANCHORS = (
    Anchor("ssn", r"[0-9]{3}[ \-][0-9]{2}[ \-][0-9]{4}"),
    Anchor("phone", r"[0-9]{3}\)?[ .\-/]{1,2}[0-9]{3,4}[ .\-][0-9]{3,4}"),
    Anchor("phone plus", r"\+[0-9]{1,3}[ .\-(]{0,2}[0-9]{1,4}"),
    Anchor("iban", r"[A-Z]{2}[0-9]{2} ?[A-Z0-9]{4} ?[A-Z0-9]{4}"),
    Anchor(
        "phone told",
        r"(?:phone|telephone|\btel|mobile|\bcell|\bfax|whatsapp|call (?:me|us|him|her|them|you)|dial|ring|"
        r"reach (?:me|us|him|her)|registered|text me)[^0-9\n]{0,16}\n?[ \t]{0,8}[0-9(+]",
        caseless=True,
    ),
    Anchor("phone before", r"[0-9][ \t]{1,3}(?:office|fax|mobile|cell|home|work|ext)\b", caseless=True),
    Anchor("phone trunk", r"\b0[0-9]{1,4}[ \-][0-9]{2,4}[ \-][0-9]{2,4}"),
    Anchor("born", r"(?:born|birth|dob|d\.o\.b)", caseless=True),
)

_SSN = re.compile(r"(?<![0-9A-Za-z.-])(?!000|666|9\d\d)(\d{3})([ -])(?!00)(\d{2})\2(?!0000)(\d{4})(?![0-9A-Za-z-])")
_PHONE = re.compile(
    r"(?<![0-9A-Za-z.+/_-])(?:\+?1[ .-]?)?(?:\(\d{3}\)[ .-]?|\d{3}[ .-])\d{3}[ .-]\d{4}(?:\s?(?:x|ext\.?|#)\s?\d{1,6})?(?![0-9A-Za-z-])"
)
_PLUS = re.compile(r"(?<![0-9A-Za-z+])\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){1,5}(?![0-9A-Za-z])")
_DIALLED = re.compile(r"(?<![\w.])(?:\+|00)?\(?\+?\d[\d ().\-/]{5,20}\d(?![\w-])")
_TRUNK = re.compile(r"(?<![0-9A-Za-z.:/-])0\d{1,4}(?:[ -]\d{2,4}){2,4}(?![0-9A-Za-z:-])")
_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![0-9A-Za-z])")
_CALENDAR = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}\b")
_DATE = re.compile(r"(?:\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,2} [A-Z][a-z]{2,8} \d{4}|[A-Z][a-z]{2,8} \d{1,2},? \d{4})")


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Personal data in an ASCII text."""
    for name, pattern, before, kind in (
        ("ssn", _SSN, 11, "us_ssn"),
        ("phone", _PHONE, 22, "phone"),
        ("phone plus", _PLUS, 10, "phone"),
        ("phone trunk", _TRUNK, 16, "phone"),
        ("phone told", _DIALLED, 1, "phone"),
        ("phone before", _DIALLED, 30, "phone"),
        ("iban", _IBAN, 16, "iban"),
    ):
        after = 0
        for end in seen.get(name, ()):
            match = pattern.search(text, max(after, end - before), min(len(text), end + 60)) if end > after else None
            if not match or (kind == "iban" and not _iban(match[0])) or (kind == "phone" and not _dialled(match[0])):
                continue
            after = match.end()
            yield Hit("pii", kind, "medium", match.start(), match.end(), floor=True)
    for end in seen.get("born", ()):
        match = _DATE.search(text, end, min(len(text), end + 40))
        if match:
            yield Hit("pii", "birth_date", "medium", match.start(), match.end(), floor=True)


def _iban(value: str) -> bool:
    """Whether the check digits of an IBAN are right (ISO 7064, MOD 97-10)."""
    packed = value.replace(" ", "")
    return int("".join(str(int(c, 36)) for c in packed[4:] + packed[:4])) % 97 == 1


def _dialled(value: str) -> bool:
    """Whether a value has as many digits as a telephone number, and is no date."""
    return 7 <= sum(c.isdigit() for c in value) <= 15 and not _CALENDAR.match(value)
