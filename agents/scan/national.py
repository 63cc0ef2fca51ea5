"""Numbers that a state or an insurer gave to a person, known by the words beside them (SPEC 3.11)."""

import re
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit

_NAMES = (
    r"(?:driver'?s?'? licen[cs]e|passport|national (?:id|identity|insurance)|identity card|social "
    r"insurance|tax(?:payer)? (?:id|file|identification)"
    r"|\bnhs\b|\bnino\b|aadhaar|\bpan (?:card|number)|\bpesel\b|\btfn\b|medicare|\bnif\b|\bnie\b|\bdni\b|"
    r"codice fiscale|personnummer|health (?:card|insurance|id)"
    r"|insurance (?:number|policy)|patient (?:id|number)|medical record|\bmrn\b|voter id|member id)"
)

ANCHORS = (Anchor("national", _NAMES, caseless=True),)

_VALUE = re.compile(
    r"(?:[\s:#]|number|no\.?|id|card|is|of|are|my|the|=|-){0,8}?[\s:#=]\s?(?P<v>[A-Z]{0,3}\d[A-Z0-9]*(?:[ -][A-Z0-9]{2,6}){0,4})(?![\w-])",
    re.IGNORECASE,
)


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """National and health numbers in an ASCII text."""
    for end in seen.get("national", ()):
        match = _VALUE.match(text, end, min(len(text), end + 60))
        if not match:
            continue
        value = match["v"]
        digits = re.match(r"[A-Z]{0,3}[\d -]*\d[A-Z]?", value)
        if digits and sum(c.isdigit() for c in value) >= 6:
            yield Hit("pii", "national_id", "medium", match.start("v"), match.start("v") + len(digits[0].rstrip()), floor=True)
