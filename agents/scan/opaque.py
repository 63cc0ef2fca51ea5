"""Random runs of no known format: at least an identifier of the run, and a credential where they say so themselves (SPEC 3.2, 3.4).

Vendors bring out formats faster than a table of rules can follow. Nobody writes `zx4Kq9…` in a wording that is meant for others, so it
is taken out, mildly: it may be a request's id as well as a key.
"""

import re
import string
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit
from agents.scan.placeholder import stands_for_one
from agents.scan.run import run_begin
from agents.scan.value import drawn
from agents.scan.words import word_set

_LEAST = 18
"""Letters and digits in a row from which on a random run is told from a long name."""
_MOST = 400
"""What is longer is a blob of data, not an id."""

# What is drawn by lot has digits beside letters that no hash has, or changes its case and changes it back; names of things and hashes,
# which are in every other line, have neither.
_PAIR = r"(?:[G-Zg-z][0-9]|[0-9][G-Zg-z])"
ANCHORS = (
    Anchor("opaque", _PAIR + r"[0-9A-Za-z]*" + _PAIR + r"[0-9A-Za-z]{2}"),
    Anchor("opaque", r"[a-z][A-Z]{1,2}[a-z]{1,2}[A-Z]{1,2}[a-z]"),
    Anchor("opaque", r"[0-9A-Za-z]_[0-9A-Fa-f]{32}"),
)

_TOKEN = re.compile(r"[\w.~-]+={0,2}")
_CHARS = string.ascii_letters + string.digits + "_.~-"
_PART = re.compile(r"[0-9A-Za-z]+")
_HEX = re.compile(r"[0-9a-f]+$|[0-9A-F]+$")
_TELLING = word_set("sk key apikey token tok secret pat api auth pass password pwd cred live prod rk priv private access bearer refresh")
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9]{1,15}(?:[_-][A-Za-z0-9]{1,12}){0,3}[_]$")
_NAMED_ID = re.compile(r"(?:[_-]|(?<![A-Za-z])|(?<=[a-z])(?=[IS]))(?i:id|sid)[\"']{0,2}\s{0,2}[=:]\s{0,2}[\"']?$")


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Random runs in an ASCII text."""
    after = 0
    for end in seen.get("opaque", ()):
        if end <= after:
            continue
        match = _TOKEN.match(text, run_begin(text, after, end, _CHARS))
        after = match.end() if match else end
        if not match or not _LEAST <= after - match.start() <= _MOST:
            continue
        value = match[0].strip(".~-") if not match[0].endswith("=") else match[0].lstrip(".~-")
        start = match.start() + match[0].index(value)
        # What runs on is part of something larger, a blob of data; what is named an id (`client_id = …`) is configuration.
        if text[match.end() : match.end() + 1].isalnum() or stands_for_one(value) or _NAMED_ID.search(text, max(0, start - 24), start):
            continue
        parts = [p for p in _PART.findall(value) if len(p) >= _LEAST]
        if any(_random(p) for p in parts):
            yield _judged(value, start)
        elif any(_HEX.match(p) and len(p) >= 32 and _PREFIX.match(value[: value.index(p)]) for p in parts):
            # A bare hash is a commit's or a file's; behind a prefix and an underscore it is somebody's id or key.
            yield _judged(value, start)


def _judged(value: str, start: int) -> Hit:
    words = {w.lower() for w in re.split(r"[_.-]", value) if len(w) <= 10}
    if words & _TELLING:
        return Hit("credential", "generic_secret", "high", start, start + len(value), hard=True)
    return Hit("identifier", "opaque_id", "low", start, start + len(value))


def _random(part: str) -> bool:
    """Whether a part looks drawn by lot: with digits in it, or long."""
    return drawn(part) and (sum(c.isdigit() for c in part) >= 2 or len(part) >= 24)
