"""Credentials that only their name gives away: `name = value` in code, env, JSON, YAML, XML, flags and prose (SPEC 3.2).

The pass finds a key word and what assigns to it; the name is then read backwards from there and the value forwards.
"""

import base64
import re
import string
from collections.abc import Iterator, Sequence

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit
from agents.scan.keyname import Strength, strength
from agents.scan.rules.named import named
from agents.scan.value import drawn, is_password, is_token, jumbled, wordy

_WORDS = r"(?:pass|pwd|psw|secret)"
_TOKENS = r"(?:token|key|auth|cred|bearer|jwt|session|cookie|private|access|salt|pin|api)"
_STOP = r"[\"'`\]\)\\}]"
_NOT_NAME = r"(?:|e|me|ame|[a-z0-9_.\-]*(?:[a-df-z0-9_.\-]|[a-ln-z0-9_.\-]e|[b-z0-9_.\-]me|[a-mo-z0-9_.\-]ame))"
"""The rest of a name that does not end in `name`: what follows that is named, and no secret."""
_BETWEEN = r"[=:>~|+?.\s]*"
_NEAR_NAME = r"(?:pass(?:word|wd)?|pwd|secret|token|key|auth|access|private)[\"'`:]{0,2}[ \t_\-]{1,4}[\"'`]{0,2}"
_IS = r"(?:password|passphrase|passcode|passwd|secret|token|key)[ \t](?:is|was|of|to)[ \t:]"
_TEN = 10
"""Characters that the shortest value of a token's name has (see `is_token`)."""

# A token's name is in every other line of an agent's prose (`max_tokens=4096`, `the key of the cache`): so the pass looks for what a
# value must have as well, and where the name ends is found from there.
ANCHORS = (
    Anchor("assigned", _WORDS + _NOT_NAME + _STOP + r"{0,4}(?: \*?(?:string|str|varchar))?[ \t?.+|:]{0,24}[=:,>]", caseless=True),
    Anchor(
        "assigned token",
        _TOKENS + _NOT_NAME + _STOP + r"*(?: \*?(?:string|str|varchar))?[ \t?.+|:]*[=:,>]" + _BETWEEN + r"[^\s]{10}",
        caseless=True,
    ),
    Anchor(
        "assigned typed",
        _TOKENS
        + r"[a-z0-9_.\-]*"
        + _STOP
        + r"*[ \t?.+|:]*[=:,>]"
        + _BETWEEN
        + r"(?:[a-z_][\w.\[\]<>| ]*=|[\"'`]?(?:bearer|basic|token|apikey)[ \t])\s*[^\s]{10}",
        caseless=True,
    ),
    Anchor(
        "assigned near",
        _NEAR_NAME + r"[\-_=]{0,3}(?:[a-z_/+.~\-]*[0-9][a-z_/+.~\-]*[0-9]|[0-9a-z_/+.~\-]{24})",
        caseless=True,
    ),
    Anchor("assigned prose", _IS + r"[=:>~|+?. \t]*(?:[^\s0-9]*[0-9]|[a-z@]{0,2}\\*[\"'`]|[^\s]+[ \t]*(?:[\r\n]|$))", caseless=True),
    Anchor("assigned below", r"(?:password|passphrase|secret|token|key)[a-z ]{0,50}:[ \t]{0,4}\\?\n", caseless=True),
    Anchor("assigned flag", r"--?(?:password|passwd|pass|token|secret|api-?key|auth-token|access-key|secret-key)[ \t]", caseless=True),
    Anchor("assigned login", r"(?:login|username|user)[ \t]{1,4}[^\s]{1,64}[ \t\n]{1,8}password[ \t]", caseless=True),
    Anchor("basic user", r"[ \t\n](?:-u|--user|--proxy-user)[ \t=]{0,4}[\"']?[^\s:\"'$]{0,64}:", caseless=True),
    Anchor("auth header", r"(?:bearer|basic|token|apikey|negotiate)[ \t+]{1,2}[\"']?[0-9a-z+/._~=-]{8}", caseless=True),
)

_NAME_CHARS = string.ascii_letters + string.digits + "_.-$@"
INSIDE = ("assigned token", "assigned typed", "assigned near", "auth header")
"""Anchors whose sightings end inside a value: one in a value of known format has nothing to add to it."""

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
_OPERATOR = re.compile(_TOKENS + r"[a-z0-9_.\-]{0,32}" + _STOP + r"{0,4}[ \t?.+|:]{0,24}[=:,>]", re.IGNORECASE)
_NEAR_START = re.compile(_NEAR_NAME + r"(?=[0-9a-z_/+.=~-]{16})", re.IGNORECASE)
_IS_START = re.compile(_IS, re.IGNORECASE)
_REACH = 160
"""Characters that a name and what stands between it and its value may take."""
_HEADER = re.compile(r"(?P<v>[\w+/.~=-]{8,2000})")
_USER = re.compile(r"[\"']?(?P<v>[^\s\"'@]{3,200})")
_USER_QUOTED = re.compile(r"[ =](?P<q>[\"'])[^\s\"']{0,64}:$")
_SAID = re.compile(r"[ \t]*[A-Za-z]+['’]?[a-z]*(?=[\s.,;:!?)]|$)")
"""A word of the sentence, which says of a password that it is so and so."""
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
    yield from _tokens(text, seen)
    for at in _ends(_NEAR_START, text, seen.get("assigned near", ())):
        if strength(_name_near(text, at)) is not Strength.NONE:
            yield from _random(_NEAR, text, at)
    for end in seen.get("assigned below", ()):
        yield from _random(_BELOW, text, end - 1)
    for at in _ends(_IS_START, text, seen.get("assigned prose", ())):
        if not _SAID.match(text, at):
            yield from _value(text, _skip(text, at), Strength.PASSWORD, prose=True)
    for anchor in ("assigned flag", "assigned login"):
        for end in seen.get(anchor, ()):
            yield from _value(text, _skip(text, end), Strength.PASSWORD, prose=anchor != "assigned login")
    for end in seen.get("basic user", ()):
        yield from _user(text, end)
    for end in seen.get("auth header", ()):
        yield from _header(text, end)


def _tokens(text: str, seen: Sightings) -> Iterator[Hit]:
    """Values of a token's name: the operator is what stands between a value that was sighted and its name."""
    done = 0
    for end in seen.get("assigned token", ()):
        start = max(0, end - _TEN - 40)
        head = text[start : end - _TEN]
        name = head.rstrip(" \t\r\n=:>~|+?.,")
        operator = next((i for i in range(len(name), len(head)) if head[i] in "=:,>"), None)
        if operator is not None and start + operator >= done:
            done = start + operator + 1
            yield from _at(text, done)
    for at in _ends(_OPERATOR, text, seen.get("assigned typed", ())):
        yield from _at(text, at)


def _ends(pattern: re.Pattern[str], text: str, sighted: Sequence[int]) -> Iterator[int]:
    """Where a pattern ends that stands before what was sighted, each place once."""
    done = 0
    for end in sighted:
        for match in pattern.finditer(text, max(done, end - _REACH), end + _NEAR_CHARS):
            done = match.end()
            yield done


def _name_near(text: str, at: int) -> str:
    """The name that stands loosely before `at`: a space, a dash or an underscore apart, perhaps quoted."""
    head = text[max(0, at - 120) : at].rstrip("\"'`").rstrip(" \t_-").rstrip("\"'`:")
    return head[len(head.rstrip(_NAME_CHARS)) :][-96:]


def _name_behind(text: str, at: int) -> tuple[int, int]:
    """The name that what stands at `at` assigns to: back over spaces, a type and closing quotes."""
    start = max(0, at - _REACH)
    head = text[start:at].rstrip(" \t?.+|:")
    if head[-1:] in "rRgG" and (typed := _TYPE.search(head, max(0, len(head) - 10))):
        head = head[: typed.start()]
    bare = head.rstrip("\"'`])}\\")
    head = head[: max(len(bare), len(head) - 4)]
    name = head[-96:]
    return start + len(head) - len(name) + len(name.rstrip(_NAME_CHARS)), start + len(head)


def _argument(value: str) -> bool:
    """Whether what follows a name behind a comma is its value, and not the next name."""
    return any(drawn(p) for p in re.split(r"[^0-9A-Za-z]", value)) or (
        any(c.isdigit() for c in value)
        and (any(c in "!#$%^&*+/" for c in value) or not any(c in "_=: " for c in value))
        and not wordy(value)
    )


def _skip(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _back(text: str, at: int, stop: str) -> int:
    start = at
    while start and at - start < 96 and text[start - 1] not in stop:
        start -= 1
    return start


def _of_vendor(match: re.Match[str], cut: int) -> str | None:
    """The kind of a value by the vendor in its name and the shape that the vendor gives it, or None."""
    start, end = match.start("v"), match.end("v") - cut
    line = match.string.rfind("\n", max(0, start - 96), start) + 1
    return named(match.string[max(line, start - 96) : start], match.string[start:end])


def _hit(kind: str, match: re.Match[str], cut: int = 0) -> Hit:
    start, end = match.start("v"), match.end("v") - cut
    if kind in ("generic_secret", "generic_password"):
        kind = _of_vendor(match, cut) or kind
    return Hit("credential", kind, "high", start, end, hard=True)


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
    if operator == "," and (listed := _QUOTED.match(text, at)) and not _argument(listed["v"]):
        return  # the next of a list of words
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
    elif is_token(value) or (jumbled(value) and _of_vendor(match, cut) is not None):
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
