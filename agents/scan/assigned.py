"""Credentials that only their name gives away: `name = value` in code, env, JSON, YAML, XML, shell flags and prose (SPEC 3.2).

The pass finds a key word and what assigns to it; the name is then read backwards from there and the value forwards.
"""

import re
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit
from agents.scan.keyname import Strength, strength
from agents.scan.value import is_password, is_token

_KEY = r"(?:pass|pwd|psw|secret|token|key|auth|cred|bearer|jwt|session|cookie|private|access|salt|pin)"

ANCHORS = (
    Anchor("assigned", _KEY + r"[a-z0-9_.\-]{0,32}[\"'`\]\)\\}]{0,4}[ \t]{0,4}(?:=|:|,|>)", caseless=True),
    Anchor(
        "assigned near",
        r"(?:pass(?:word|wd)?|pwd|secret|token|key|auth|access|private)[\"'`:]{0,2}[ \t]{1,4}[\"'`]{0,2}[0-9a-z_/+.=~-]{16}",
        caseless=True,
    ),
    Anchor("assigned prose", r"(?:password|passphrase|passcode|passwd|secret|token|key)[ \t](?:is|was|of|to)[ \t:]", caseless=True),
    Anchor("assigned flag", r"--?(?:password|passwd|pass|token|secret|api-?key|auth-token|access-key|secret-key)[ \t]", caseless=True),
    Anchor("basic user", r"[ \t\n](?:-u|--user|--proxy-user)[ \t=]{0,4}[\"']?[^\s:\"'$]{1,64}:", caseless=True),
    Anchor("auth header", r"(?:bearer|basic|token|apikey|negotiate)[ \t+]{1,2}[\"']?[0-9a-z+/._~=-]{8}", caseless=True),
)

_NAME_BEHIND = re.compile(r"([\w.\-$@]{1,96})[\"'`\]\)\\}]{0,4}[ \t]{0,4}[=:,>]$")
_TYPED = re.compile(r"\s{0,4}[A-Za-z_][\w.\[\]<>| ]{0,40}=(?!=)")
_GAP = re.compile(r"(?:[=>:~|+?.]{0,3}[ \t]{0,8})")
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|apikey)[ \t]+")
_QUOTED = re.compile(r"[A-Za-z@]{0,2}(?P<q>\\{0,3}(?:\"\"\"|'''|[\"'`]))(?P<v>[^\r\n]{1,600}?)(?P=q)")
_OPEN = re.compile(r"[A-Za-z@]{0,2}\\{0,3}[\"'`](?P<v>[^\s\"'`]{8,600})")
_BARE = re.compile(r"(?P<v>[^\s\"'`<>]{3,600})")
_TAIL = ",;.)]}:!?\\"


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
        yield from _near(text, end)
    for end in seen.get("assigned prose", ()):
        yield from _value(text, _skip(text, end), Strength.PASSWORD, prose=True)
    for end in seen.get("assigned flag", ()):
        yield from _value(text, _skip(text, end), Strength.PASSWORD, prose=True)
    for end in seen.get("basic user", ()):
        match = re.compile(r"(?P<v>[^\s\"'@]{3,200})").match(text, end)
        if match and is_password(match["v"], quoted=True, prose=False) and match["v"].lower() not in ("password", "token", "pass", "test"):
            yield _hit("basic_auth", match)
    for end in seen.get("auth header", ()):
        yield from _header(text, end)


def _skip(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _hit(kind: str, match: re.Match[str], cut: int = 0) -> Hit:
    return Hit("credential", kind, "high", match.start("v"), match.end("v") - cut, hard=True)


def _at(text: str, end: int) -> Iterator[Hit]:
    behind = _NAME_BEHIND.search(text, max(0, end - 110), end)
    if not behind:
        return
    name = strength(behind[1])
    if name is Strength.NONE:
        return
    operator = text[end - 1]
    if operator == "," and text[behind.end(1) : behind.end(1) + 1] not in ("'", '"', "`", "\\"):
        return
    if operator == ">" and not (text[behind.start() - 1 : behind.start()] == "<" or text[behind.end(1) : behind.end(1) + 1] in "=-\"' "):
        return
    if operator == "=" and text[end : end + 1] == "=":
        return
    at = end
    if operator == ":" and (typed := _TYPED.match(text, at)):
        at = typed.end()
    at = _skip(text, at)
    if scheme := _SCHEME.match(text, at):
        at = scheme.end()
        name = Strength.TOKEN
    yield from _value(text, at, name, prose=operator == ":" and text[end : end + 1] == " ")


def _value(text: str, at: int, name: Strength, *, prose: bool) -> Iterator[Hit]:
    quoted = _QUOTED.match(text, at) or _OPEN.match(text, at)
    match = quoted or _BARE.match(text, at)
    if not match:
        return
    value = match["v"]
    cut = 0
    if not quoted:
        kept = re.split(r"[&;,](?=[\w.-]+=)|\\[nr\"]", value, maxsplit=1)[0].rstrip(_TAIL)
        cut = len(value) - len(kept)
        value = kept
        line_end = text.find("\n", at)
        prose = prose and text[match.end() : line_end if line_end >= 0 else len(text)].strip() != ""
    if name is Strength.PASSWORD and is_password(value, quoted=bool(quoted), prose=prose):
        yield _hit("generic_password", match, cut)
    elif is_token(value):
        yield _hit("generic_secret", match, cut)


def _near(text: str, end: int) -> Iterator[Hit]:
    start = end
    while start and text[start - 1] not in " \t\"'`":
        start -= 1
    match = re.compile(r"(?P<v>[\w/+.=~-]{16,200})").match(text, start)
    if match and is_token(match["v"].rstrip(".=")):
        yield _hit("generic_secret", match)


def _header(text: str, end: int) -> Iterator[Hit]:
    start = end - 8
    match = re.compile(r"(?P<v>[\w+/.~=-]{8,2000})").match(text, start)
    if match and is_token(match["v"].rstrip(".")):
        scheme = text[max(0, start - 12) : start].lower()
        yield _hit("basic_auth" if "basic" in scheme else "bearer_token", match)
