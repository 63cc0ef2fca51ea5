"""Identifiers of a run: UUIDs, e-mail addresses, IP addresses, hosts (SPEC 3.4)."""

import ipaddress
import re
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit

_HEX = "[0-9A-Fa-f]"

ANCHORS = (
    Anchor("uuid", f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"),
    Anchor("email", r"[0-9A-Za-z_\-\"](?:@|%40)[0-9A-Za-z\[]"),
    Anchor("ipv4", r"[0-9]\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]"),
    Anchor("ipv6", r"[0-9A-Fa-f]{1,4}::?[0-9A-Fa-f]{0,4}:"),
)

_UUID = re.compile(rf"(?<![0-9A-Za-z-]){_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}(?![0-9A-Za-z])")
_LOCAL = re.compile(r"[0-9A-Za-z.!#$&'*+/=?^_`{|}~-]{1,64}$")
_DOMAIN = re.compile(
    r"(?:@|%40)(?P<d>(?:[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?\.){1,8}[A-Za-z][0-9A-Za-z-]{1,23}(?<"
    r"!-))(?![0-9A-Za-z_])(?!\.[A-Za-z])"
)
_IPV4 = re.compile(r"(?<![0-9A-Za-z.])(?:\d{1,3}\.){3}\d{1,3}(?![0-9A-Za-z])(?!\.\d)")
_IPV6 = re.compile(r"(?<![0-9A-Za-z:.])[0-9A-Fa-f:]{2,39}(?:\.\d{1,3}){0,3}(?![0-9A-Za-z:])")
_RESERVED = re.compile(r"(?i)(?:^|\.)(?:example\.(?:com|org|net|edu)|example|invalid|localhost)$")
_VERSION = re.compile(r"(?i)(?:version|release|ver|v|==|>=|<=|~=|@)[ :=\"']{0,3}$")


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Identifiers in an ASCII text."""
    for end in seen.get("uuid", ()):
        match = _UUID.match(text, end - 36)
        if match and set(match[0]) - set("0-"):
            yield Hit("identifier", "uuid", "low", match.start(), match.end())
    for end in seen.get("email", ()):
        yield from _email(text, end)
    yield from _ipv4(text, seen)
    yield from _ipv6(text, seen)


def _email(text: str, end: int) -> Iterator[Hit]:
    sign = text.rfind("%40", end - 4, end) if text[end - 2] != "@" else end - 2
    domain = _DOMAIN.match(text, sign)
    local = _LOCAL.search(text, max(0, sign - 64), sign)
    # example.com and its like identify nobody (RFC 2606).
    if not domain or not local or _RESERVED.search(domain["d"]):
        return
    start = local.start() + len(local[0]) - len(local[0].lstrip("'*/=?`{|.!#$&"))
    # user:password@host in a URL is no address.
    if start < sign and "://" not in text[max(0, start - 80) : start].rpartition(" ")[2]:
        yield Hit("identifier", "email", "low", start, domain.end())


def _ipv4(text: str, seen: Sightings) -> Iterator[Hit]:
    after = 0
    for end in seen.get("ipv4", ()):
        match = _IPV4.search(text, max(after, end - 14), min(len(text), end + 4)) if end > after else None
        if not match:
            continue
        after = match.end()
        parts = [int(p) for p in match[0].split(".")]
        if max(parts) > 255 or parts[0] in (0, 127) or _VERSION.search(text, max(0, match.start() - 12), match.start()):
            continue
        yield Hit("identifier", "ip", "low", match.start(), match.end())


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
