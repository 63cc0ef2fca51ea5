"""Identifiers of a run: UUIDs, e-mail addresses, IP addresses, hosts (SPEC 3.4)."""

import ipaddress
import re
import string
from collections.abc import Iterator
from functools import lru_cache

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit

_HEX = "[0-9A-Fa-f]"

ANCHORS = (
    Anchor("uuid", f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"),
    Anchor("email", r"[0-9A-Za-z_\-\"](?:@|%40)[0-9A-Za-z\[]"),
    Anchor("ipv4", r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]"),
    # Eight groups, or fewer and two colons: a time of day has neither.
    Anchor("ipv6", r"[0-9A-Fa-f](?::[0-9A-Fa-f]{1,4}){3}:"),
    Anchor("ipv6", r"[0-9A-Fa-f]::[0-9A-Fa-f]"),
    Anchor("ipv6", r"(?:^|[^0-9A-Za-z:])::[0-9A-Fa-f]{1,4}:"),
)

_LOCAL = string.ascii_letters + string.digits + ".!#$&'*+/=?^_`{|}~-"
_NAME = string.ascii_letters + string.digits + ".-"
_DOMAIN = re.compile(r"(?:[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?\.){1,8}[A-Za-z][0-9A-Za-z-]{1,23}(?<!-)")
_IPV6 = re.compile(r"(?<![0-9A-Za-z:.])[0-9A-Fa-f:]{2,39}(?:\.\d{1,3}){0,3}(?![0-9A-Za-z:])")
_RESERVED = re.compile(r"(?i)(?:^|\.)(?:example\.(?:com|org|net|edu)|example|invalid|localhost|test)$")
_VERSION = re.compile(r"(?i)(?:version|release|ver|v|==|>=|<=|~=|@)[ :=\"']{0,3}$")
_BEFORE_VERSION = tuple("nerNERvV=@ :\"'")
_OWN = ("0", "00", "000", "127")


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Identifiers in an ASCII text."""
    for end in seen.get("uuid", ()):
        start = end - 36
        if (start and (text[start - 1].isalnum() or text[start - 1] == "-")) or text[end : end + 1].isalnum():
            continue
        if text[start:end].strip("0-"):
            yield Hit("identifier", "uuid", "low", start, end)
    for end in seen.get("email", ()):
        yield from _email(text, end)
    yield from _ipv4(text, seen)
    yield from _ipv6(text, seen)


def _email(text: str, end: int) -> Iterator[Hit]:
    sign = text.rfind("%40", end - 4, end) if text[end - 2] != "@" else end - 2
    behind = end - 1  # the domain's first character
    name = text[behind : behind + 256]
    name = name[: len(name) - len(name.lstrip(_NAME))]
    shown = name.rstrip(".-")
    if not _domain(shown) or text[behind + len(name) : behind + len(name) + 1] == "_":
        return
    head = text[max(0, sign - 64) : sign]
    local = head[len(head.rstrip(_LOCAL)) :].lstrip("'*/=?`{|.!#$&")
    start = sign - len(local)
    # user:password@host in a URL is no address.
    if start < sign and "://" not in text[max(0, start - 80) : start].rpartition(" ")[2]:
        yield Hit("identifier", "email", "low", start, behind + len(shown))


@lru_cache(maxsize=4096)
def _domain(name: str) -> bool:
    """Whether a name is a domain's; example.com and its like identify nobody (RFC 2606, RFC 6761)."""
    return bool(_DOMAIN.fullmatch(name)) and not _RESERVED.search(name)


def _ipv4(text: str, seen: Sightings) -> Iterator[Hit]:
    after = 0
    for end in seen.get("ipv4", ()):
        if end <= after:
            continue
        head, tail = text[max(after, end - 16) : end], text[end : end + 16]
        start = end - len(head) + len(head.rstrip("0123456789."))
        after = end + len(tail) - len(tail.lstrip("0123456789."))
        shown = text[start:after]
        parts = shown.rstrip(".").split(".")
        if len(parts) != 4 or (start and text[start - 1].isalnum()) or (shown[-1] != "." and text[after : after + 1].isalnum()):
            continue
        if any(not p or len(p) > 3 or int(p) > 255 for p in parts) or parts[0] in _OWN:
            continue
        if text[start - 1 : start] in _BEFORE_VERSION and _VERSION.search(text, max(0, start - 12), start):
            continue
        yield Hit("identifier", "ip", "low", start, start + len(shown.rstrip(".")))


def _ipv6(text: str, seen: Sightings) -> Iterator[Hit]:
    after = 0
    for end in seen.get("ipv6", ()):
        match = _IPV6.search(text, max(after, end - 12), min(len(text), end + 44)) if end > after else None
        if not match:
            continue
        after = match.end()
        try:
            address = ipaddress.ip_address(match[0].rstrip(":") if not match[0].endswith("::") else match[0])
        except ValueError:
            continue
        if len(match[0]) > 5 and not address.is_loopback and not address.is_unspecified:
            yield Hit("identifier", "ip", "low", match.start(), match.start() + len(match[0].rstrip(":")))
