"""Texts within a text: base64, hexadecimal, percent and backslash escapes, decoded so that they can be scanned too (SPEC 3.2, 3.7)."""

import base64
import binascii
import re
import string
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote, unquote_to_bytes

from agents.scan.engine import Anchor, Sightings
from agents.scan.run import run_begin

ANCHORS = (
    # Five groups of four that are fifteen printable characters, and fourteen pairs of digits that are so many: what is in every
    # other line, a hash or a path, is neither.
    Anchor("base64", r"(?:[I-Za-f][C-HS-Xi-nyz0-3][ABEFIJMNQRUVYZcdghklopstwx014589][0-9A-Za-z+/_\-]){5}"),
    Anchor("base64", r"(?:[2-7][0-9A-Fa-f]){14}"),
    Anchor("percent", r"(?:%[0-9A-Fa-f]{2}){6}"),
    Anchor("escapes", r"(?:\\x[0-9A-Fa-f]{2}){6}"),
    Anchor("unicode escapes", r"(?:\\u00[0-7][0-9A-Fa-f]){6}"),
)

_BASE64 = re.compile(r"[0-9A-Za-z+/_-]{40,}={0,2}")
_PERCENT = re.compile(r"(?:[0-9A-Za-z._~-]{0,80}%[0-9A-Fa-f]{2}){6,}[0-9A-Za-z._~-]{0,80}")
_ESCAPES = re.compile(r"(?:\\x[0-9A-Fa-f]{2}){6,}")
_UNICODE = re.compile(r"(?:\\u[0-9A-Fa-f]{4}){6,}")
_WORD = re.compile(r"[^\s%&\\]*[%&\\]\S*")
_CODE_POINT = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))")
_RUN = re.compile(r"[0-9A-Za-z+/_-]{12,}={0,2}")
_BASE64_CHARS = string.ascii_letters + string.digits + "+/_-"
_LONGEST = 200_000
"""Characters of one encoded run that are decoded."""


def decoded(text: str, seen: Sightings) -> Iterator[tuple[int, int, str]]:
    """Runs of an ASCII text that decode to readable text: where they stand, and what they say."""
    for name, pattern, back in (
        ("base64", _BASE64, None),
        ("percent", _PERCENT, 18),
        ("escapes", _ESCAPES, 24),
        ("unicode escapes", _UNICODE, 36),
    ):
        after = 0
        for end in seen.get(name, ()):
            if end <= after:
                continue
            start = max(after, end - back) if back else run_begin(text, after, end, _BASE64_CHARS)
            match = pattern.match(text, start, start + _LONGEST)
            after = match.end() if match else end
            plain = _read(name, match[0]) if match else None
            if match and plain:
                yield match.start(), match.end(), plain


def unescaped(text: str) -> Iterator[tuple[int, int, str]]:
    """Words of a text with an escape in them, however few, and encoded words: where they stand, and what they say."""
    for word in _WORD.finditer(text):
        plain = unescape(unquote(_CODE_POINT.sub(lambda m: chr(int(m[1] or m[2], 16)), word[0])))
        if plain != word[0]:
            yield word.start(), word.end(), plain
    for run in _RUN.finditer(text):
        if opened := _read("base64", run[0]):
            yield run.start(), run.end(), opened


def _read(name: str, run: str) -> str | None:
    """What an encoded run says, or None where it is no text."""
    try:
        if name == "base64":
            raw = (
                bytes.fromhex(run)
                if _hexadecimal(run)
                else base64.urlsafe_b64decode(run.replace("+", "-").replace("/", "_").rstrip("=") + "=" * (-len(run.rstrip("=")) % 4))
            )
        elif name == "percent":
            raw = unquote_to_bytes(run)
        else:
            raw = bytes(int(h, 16) & 0xFF for h in re.findall(r"[0-9A-Fa-f]{4}|(?<=x)[0-9A-Fa-f]{2}", run))
        plain = raw.decode()
    except (binascii.Error, ValueError):
        return None
    return plain if sum(c.isprintable() or c in "\r\n\t" for c in plain) >= 0.95 * len(plain) and len(plain) >= 6 else None


def _hexadecimal(run: str) -> bool:
    return len(run) % 2 == 0 and not run.strip(string.hexdigits)
