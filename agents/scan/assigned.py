"""Credentials that only their name gives away: `name = value` in code, env, JSON, YAML, XML, flags and prose (SPEC 3.2).

The pass finds a key word and what assigns to it; the name is then read backwards from there and the value forwards.
"""

import base64
import re
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit
from agents.scan.keyname import Strength, strength
from agents.scan.value import is_password, is_token

_KEY = r"(?:pass|pwd|psw|secret|token|key|auth|cred|bearer|jwt|session|cookie|private|access|salt|pin|api)"

ANCHORS = (
    Anchor(
        "assigned", _KEY + r"[a-z0-9_.\-]{0,32}[\"'`\]\)\\}]{0,4}(?: \*?(?:string|str|varchar))?[ \t?.+|:]{0,24}(?:=|:|,|>)", caseless=True
    ),
    Anchor(
        "assigned near",
        r"(?:pass(?:word|wd)?|pwd|secret|token|key|auth|access|private)[\"'`:]{0,2}[ \t_\-]{1,4}[\"'`]{0,2}[0-9a-z_/+.=~-]{16}",
        caseless=True,
    ),
    Anchor("assigned prose", r"(?:password|passphrase|passcode|passwd|secret|token|key)[ \t](?:is|was|of|to)[ \t:]", caseless=True),
    Anchor("assigned below", r"(?:password|passphrase|secret|token|key)[a-z ]{0,50}:[ \t]{0,4}\\?\n", caseless=True),
    Anchor("assigned flag", r"--?(?:password|passwd|pass|token|secret|api-?key|auth-token|access-key|secret-key)[ \t]", caseless=True),
    Anchor("assigned login", r"(?:login|username|user)[ \t]{1,4}[^\s]{1,64}[ \t\n]{1,8}password[ \t]", caseless=True),
    Anchor("basic user", r"[ \t\n](?:-u|--user|--proxy-user)[ \t=]{0,4}[\"']?[^\s:\"'$]{0,64}:", caseless=True),
    Anchor("auth header", r"(?:bearer|basic|token|apikey|negotiate)[ \t+]{1,2}[\"']?[0-9a-z+/._~=-]{8}", caseless=True),
)

_TYPE = re.compile(r" \*?(?:string|str|varchar)$", re.IGNORECASE)
_TYPED = re.compile(r"\s{0,4}[A-Za-z_][\w.\[\]<>| ]{0,40}=(?!=)")
_GAP = re.compile(r"(?:[=>:~|+?.]{0,3}[ \t]{0,24})")
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|apikey)[ \t]+")
_QUOTED = re.compile(r"[A-Za-z@]{0,2}(?P<q>\\{0,3}(?:\"\"\"|'''|[\"'`]))(?P<v>[^\r\n]{1,600}?)(?P=q)")
_OPEN = re.compile(r"[A-Za-z@]{0,2}\\{0,3}[\"'`](?P<v>[^\s\"'`]{8,600})")
_BARE = re.compile(r"(?P<v>[^\s\"'`<>]{3,600})")
_BELOW = re.compile(r"(?:\\n|\s){1,8}(?P<v>[^\s\"'`<>\\]{8,200})")
_NEAR = re.compile(r"[-_=]{0,3}(?P<v>[\w/+.~-]{12,200}={0,2})(?![\w=])")
_NEAR_CHARS = 16
_NAME_NEAR = re.compile(r"([\w.\-$@]{1,96}?)[\"'`:]{0,2}[ \t_\-]{1,4}[\"'`]{0,2}$")
_HEADER = re.compile(r"(?P<v>[\w+/.~=-]{8,2000})")
_USER = re.compile(r"[\"']?(?P<v>[^\s\"'@]{3,200})")
_USER_QUOTED = re.compile(r"[ =](?P<q>[\"'])[^\s\"']{0,64}:$")
_CUT = re.compile(r"[&;,](?=[\w.-]+=)|\\[nr\"]")
_TAIL = ",;.)]}:!?\\"
_SURE = 20
"""Characters from which on a random value is taken for a credential although its name stands loosely beside it."""


def kind_of(name: str, value: str) -> str | None:
    """The kind of credential that a value is for its name (`password` and what stands under it in JSON), or None."""
    announced = strength(name)
    if announced is Strength.PASSWORD and is_password(value, quoted=True, prose=False):
        return "generic_password"
    return "generic_secret" if announced is not Strength.NONE and is_token(value) else None


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Assigned credentials in an ASCII text."""
    for end in seen.get("assigned", ()):
        yield from _at(text, end)
    for end in seen.get("assigned near", ()):
        name = _NAME_NEAR.search(text, max(0, end - 120), end - _NEAR_CHARS)
        if name and strength(name[1]) is not Strength.NONE:
            yield from _random(_NEAR, text, end - _NEAR_CHARS)
    for end in seen.get("assigned below", ()):
        yield from _random(_BELOW, text, end - 1)
    for anchor in ("assigned prose", "assigned flag", "assigned login"):
        for end in seen.get(anchor, ()):
            yield from _value(text, _skip(text, end), Strength.PASSWORD, prose=anchor != "assigned login")
    for end in seen.get("basic user", ()):
        yield from _user(text, end)
    for end in seen.get("auth header", ()):
        yield from _header(text, end)


def _name_behind(text: str, at: int) -> tuple[int, int]:
    """The name that what stands at `at` assigns to: back over spaces, a type and closing quotes."""
    while at and text[at - 1] in " \t?.+|:" and text[at - 1] != "\n":
        at -= 1
    if typed := _TYPE.search(text, max(0, at - 10), at):
        at = typed.start()
    stop = at
    while stop and at - stop < 4 and text[stop - 1] in "\"'`])}\\":
        stop -= 1
    begin = stop
    while begin and stop - begin < 96 and (text[begin - 1].isalnum() or text[begin - 1] in "_.-$@"):
        begin -= 1
    return begin, stop


def _skip(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _back(text: str, at: int, stop: str) -> int:
    start = at
    while start and at - start < 96 and text[start - 1] not in stop:
        start -= 1
    return start


def _hit(kind: str, match: re.Match[str], cut: int = 0) -> Hit:
    return Hit("credential", kind, "high", match.start("v"), match.end("v") - cut, hard=True)


def _at(text: str, end: int) -> Iterator[Hit]:
    """A value after the operator that ends at `end`."""
    begin, stop = _name_behind(text, end - 1)
    name = strength(text[begin:stop])
    if name is Strength.NONE:
        return
    operator, after = text[end - 1], text[stop : stop + 1]
    if operator == ">":
        if text[begin - 1 : begin] == "<" and (inside := _BELOW.match(text, end)):
            yield from _judged(inside, name, inside["v"], 0, quoted=False, prose=False)
        if text[begin - 1 : begin] != "<" and after not in tuple("=-\"' "):
            return
    at = end
    if operator == "=" and text[end : end + 1] == "=":
        # A comparison tells a password only where it is with a literal.
        at += 1
        if not _QUOTED.match(text, _skip(text, at)):
            return
    if operator == ":" and (typed := _TYPED.match(text, at)):
        at = typed.end()
    at = _skip(text, at)
    if scheme := _SCHEME.match(text, at):
        at = scheme.end()
        name = Strength.TOKEN
    if operator == "," and after not in tuple("'\"`\\"):
        match = _BARE.match(text, at)
        if match and len(match["v"]) >= _SURE:
            yield from _judged(
                match, Strength.TOKEN, match["v"].rstrip(_TAIL), len(match["v"]) - len(match["v"].rstrip(_TAIL)), quoted=False, prose=True
            )
        return
    yield from _value(text, at, name, prose=operator == ":" and text[end : end + 1] == " ")


def _value(text: str, at: int, name: Strength, *, prose: bool) -> Iterator[Hit]:
    quoted = _QUOTED.match(text, at) or _OPEN.match(text, at)
    match = quoted or _BARE.match(text, at)
    if not match:
        return
    value = match["v"]
    cut = 0
    if not quoted:
        kept = _CUT.split(value, maxsplit=1)[0].rstrip(_TAIL if prose else _TAIL.replace("!", ""))
        cut = len(value) - len(kept)
        value = kept
        line_end = text.find("\n", at)
        prose = prose and text[match.end() : line_end if line_end >= 0 else len(text)].strip() != ""
    yield from _judged(match, name, value, cut, quoted=bool(quoted), prose=prose)


def _judged(match: re.Match[str], name: Strength, value: str, cut: int, *, quoted: bool, prose: bool) -> Iterator[Hit]:
    if name is Strength.PASSWORD and is_password(value, quoted=quoted, prose=prose):
        yield _hit("generic_password", match, cut)
    elif is_token(value):
        yield _hit("generic_secret", match, cut)


def _random(pattern: re.Pattern[str], text: str, at: int) -> Iterator[Hit]:
    match = pattern.match(text, at)
    if match and is_token(match["v"].rstrip(_TAIL)) and ".." not in text[match.end("v") - 2 : match.end("v") + 2]:
        yield _hit("generic_secret", match, len(match["v"]) - len(match["v"].rstrip(_TAIL)))


def _user(text: str, end: int) -> Iterator[Hit]:
    """`-u user:password`; with an empty password the user is the secret, as Stripe has it."""
    opened = _USER_QUOTED.search(text, max(0, end - 66), end)
    match = re.compile(rf"(?P<v>[^\s{opened['q']}]{{3,200}})(?={opened['q']})").match(text, end) if opened else None
    match = match or _USER.match(text, end)
    if match and text[end] in "\"'" and text[match.end() : match.end() + 1] != text[end]:
        match = None  # the quotation mark ends the argument: there is no password
    if match:
        if is_password(match["v"], quoted=True, prose=False) and match["v"].lower() not in ("password", "token", "pass", "test"):
            yield _hit("basic_auth", match)
        return
    start = _back(text, end - 1, " \t\n\"'=")
    user = text[start : end - 1]
    if len(user) >= 8 and is_token(user):
        yield Hit("credential", "basic_auth", "high", start, end - 1, hard=True)


def _header(text: str, end: int) -> Iterator[Hit]:
    start = end - 8
    match = _HEADER.match(text, start)
    if not match:
        return
    basic = "basic" in text[max(0, start - 12) : start].lower()
    if is_token(match["v"].rstrip(".")) or (basic and _pair(match["v"])):
        yield _hit("basic_auth" if basic else "bearer_token", match)


def _pair(value: str) -> bool:
    """Whether a value is base64 of `user:password`."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:
        return False
    return b":" in decoded and decoded.isascii() and decoded.decode("ascii").isprintable()
