"""Credentials whose name stands beside them but does not assign them: pairs of name and value in XML, JSON and YAML, calls, tables,
commands that set, prose that says afterwards what a value was (SPEC 3.2).
"""

import re
from collections.abc import Iterator

from agents.scan.assigned import kind_of
from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit
from agents.scan.keyname import Strength, strength
from agents.scan.rules.named import named
from agents.scan.value import is_password, is_token

_WORD = r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|credential)s?"

ANCHORS = (
    Anchor("value attribute", r"\bvalue[ \t]?=[ \t]?\\?[\"'][^\"'\s]", caseless=True),
    Anchor("value field", r"\bvalue\\?[\"']?[ \t]{0,3}:[ \t]{0,3}\\?[\"']?[^\s\"'{\[]", caseless=True),
    Anchor("value element", r"<(?:value|string|data)>\s{0,4}[^<\s]", caseless=True),
    Anchor(
        "name set",
        r"\b(?:set|setx|env|arg|define|put|declare)[ \t]{1,4}[\w.\-]{0,40}" + _WORD + r"\w{0,12}[ \t]{1,8}[^\s=:]",
        caseless=True,
    ),
    Anchor("name flag", r"[ \t]--?[\w\-]{0,30}" + _WORD + r"[ \t]{1,3}[^\s\-]", caseless=True),
    Anchor("name quoted", _WORD + r"[ \t]{1,3}[\"'`][^\"'`\s]", caseless=True),
    Anchor("name is", r"\b(?:pass|pwd)[ \t](?:is|was)[ \t][^\s]", caseless=True),
    Anchor("name cell", _WORD + r"[`]?[ \t]{0,12}(?:\||\t|,)[ \t]{0,12}[^\s|,]", caseless=True),
    Anchor("name arrow", _WORD + r"[\"'`]?[ \t]{0,3}->[ \t]{0,3}[^\s]", caseless=True),
    Anchor("name percent", _WORD + r"%[ \t]{0,2}=[ \t]{0,2}[^\s]", caseless=True),
    Anchor("name call", _WORD + r"\([ \t]{0,2}[\"'`][^\"'`\s]", caseless=True),
    Anchor("name bytes", _WORD + r"[ \t]{0,3}:?=[ \t]{0,3}[\w.\[\]]{1,24}\([\"'`][^\"'`\s]", caseless=True),
    Anchor("name cdata", _WORD + r">\s{0,4}<!\[CDATA\[[^\]\s]", caseless=True),
    Anchor("name below", _WORD + r"[\"']?:[ \t]{0,3}[|>]?[+\-]?[ \t]{0,3}\n[ \t]{1,16}[\"']?[^\s\"']", caseless=True),
    Anchor(
        "name after", r"[ \t](?:as|is|for)[ \t](?:the|my|your|our|an?|its)[ \t](?:[a-z]{1,12}[ \t]){0,3}" + _WORD + r"\b", caseless=True
    ),
)

_REACH = 240
"""Characters between a name and the value that stands beside it."""
_NAME = r"(?P<n>[\w.$@ -]{2,80})"
_ATTRIBUTE = re.compile(rf"(?i)\b(?:key|name|id|property)[ \t]?=[ \t]?\\?[\"']{_NAME}\\?[\"']")
_FIELD = re.compile(rf"(?i)\b(?:key|name|id|property|variable)\\?[\"']?[ \t]{{0,3}}:[ \t]{{0,3}}\\?[\"']?{_NAME}")
_ELEMENT = re.compile(rf"(?i)<(?:key|name|id)>\s*{_NAME}\s*</")
_BETWEEN = {
    "name set": r"[ \t]{1,8}[\"'`]?",
    "name flag": r"[ \t]{1,3}[\"'`]?",
    "name quoted": r"[ \t]{1,3}[\"'`]",
    "name is": r"[ \t](?:is|was)[ \t][\"'`]?",
    "name cell": r"`?[ \t]{0,12}(?:\||\t|,)[ \t]{0,12}[\"'`]?",
    "name arrow": r"[\"'`]?[ \t]{0,3}->[ \t]{0,3}[\"'`]?",
    "name percent": r"%[ \t]{0,2}=[ \t]{0,2}[\"'`]?",
    "name call": r"\([ \t]{0,2}[\"'`]",
    "name bytes": r"[ \t]{0,3}:?=[ \t]{0,3}[\w.\[\]]{1,24}\([\"'`]",
    "name cdata": r">\s{0,4}<!\[CDATA\[",
    "name below": r"[\"']?:[ \t]{0,3}[|>]?[+-]?[ \t]{0,3}\n[ \t]{1,16}[\"']?",
}
"""What stands between a name and its value, by anchor."""
_NAMES = {anchor: re.compile(r"(?P<n>[\w.-]{2,80})" + between + "$") for anchor, between in _BETWEEN.items()}
_SURE = ("name call", "name bytes", "name cdata", "name percent", "name below", "name flag")
"""Behind these nothing but a value stands."""
_ASKS = re.compile(
    r"(?i)(?:^|[._])(?:get|read|fetch|find|load|is|has|validate|check|verify|hash|encode|decode|parse|delete|remove|list|find|by|with_?name)"
)
_VALUE = re.compile(r"[^\s\"'`<>|]{4,600}")
_TAIL = ",;.)]}:!?\\"


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Credentials beside their names in an ASCII text."""
    for anchor, pattern, open_, close in (
        ("value attribute", _ATTRIBUTE, "<", ">"),
        ("value field", _FIELD, "{", "}"),
        ("value element", _ELEMENT, "", ""),
    ):
        for end in seen.get(anchor, ()):
            if name := _beside(pattern, text, end - 1, open_, close):
                yield from _judged(text, end - 1, name, sure=True)
    for anchor in _BETWEEN:
        for end in seen.get(anchor, ()):
            yield from _named(text, end - 1, anchor)
    for end in seen.get("name after", ()):
        yield from _after(text, end)


def _beside(pattern: re.Pattern[str], text: str, at: int, open_: str, close: str) -> str | None:
    """The name that stands before a value, or behind it, within the same object or tag."""
    begin = max(0, at - _REACH)
    if open_:
        begin = max(begin, text.rfind(open_, begin, at), text.rfind(close, begin, at))
    names = [m["n"] for m in pattern.finditer(text, begin, at)]
    if names:
        return names[-1]
    end = min(len(text), at + _REACH)
    if open_ and (stop := text.find(close, at, end)) >= 0:
        after = pattern.search(text, at, stop)
        return after["n"] if after else None
    return None


def _named(text: str, at: int, anchor: str) -> Iterator[Hit]:
    """A value that stands at `at`, behind its name."""
    if text[at] in "\"'`":
        at += 1
    begin = max(0, at - 130)
    name = _NAMES[anchor].search(text[begin:at])
    if name and not (anchor in ("name call", "name bytes") and _ASKS.search(name["n"])):
        yield from _judged(text, at, name["n"], sure=anchor in _SURE)


def _after(text: str, end: int) -> Iterator[Hit]:
    """A value of which the text says behind it what it is."""
    said = re.search(r"(?i)[ \t](?:as|is|for)[ \t](?:the|my|your|our|an?|its)[ \t][a-z \t]*$", text[max(0, end - 80) : end])
    if not said:
        return
    at = max(0, end - 80) + said.start()
    stem = text[max(0, at - 200) : at].rstrip("\"'`,")
    value = re.search(r"[^\s\"'`]{6,200}$", stem)
    if not value:
        return
    start = max(0, at - 200) + value.start()
    if "_" not in value[0] and (is_token(value[0]) or _odd(value[0])):
        yield _hit(text, start, start + len(value[0]), said[0])


def _judged(text: str, at: int, name: str, *, sure: bool) -> Iterator[Hit]:
    """`sure`: nothing but a value stands there; else it must look like one."""
    match = _VALUE.match(text, at)
    known = strength(name)
    if not match or known is Strength.NONE:
        return
    quote = text[at - 1 : at] in tuple("\"'`")
    value = match[0] if quote else match[0].rstrip(_TAIL)
    value = value.split("]]>")[0].split("\\n")[0].rstrip("\\")
    if quote and text[match.end() : match.end() + 1] == " ":
        return  # words in quotation marks
    if is_token(value) or (
        known is Strength.PASSWORD and (_odd(value) or (sure and any(c.isdigit() for c in value) and kind_of(name, value)))
    ):
        yield _hit(text, at, at + len(value), name)


def _odd(value: str) -> bool:
    """Whether a value is no word of a text: letters and digits or signs in one, as passwords are."""
    return is_password(value, quoted=False, prose=True) and not value.replace(".", "").replace(",", "").isdigit() and "=" not in value[1:-2]


def _hit(text: str, start: int, end: int, name: str) -> Hit:
    value = text[start:end]
    kind = named(name, value) or ("generic_password" if strength(name) is Strength.PASSWORD and not is_token(value) else "generic_secret")
    return Hit("credential", kind, "high", start, end, hard=True)
