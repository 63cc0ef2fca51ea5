"""Postal addresses of any country: a street's words, a unit, a military box, or a sentence that announces one (SPEC 3.6, 3.11).

Where one of these is seen, what an address has before it (house number, street) and behind it (unit, town, region, code, country)
is read along, over line breaks and quotation marks of mail.
"""

import re
from collections.abc import Iterator

from agents.scan.engine import Anchor, Sightings
from agents.scan.hit import Hit
from agents.scan.words import english_words

_UNIT = r"(?:apt|apartment|suite|ste|unit|flat|room|building|bldg)"
_AFTER_NAME = (
    "street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|way|terrace|circle|"
    "highway|hwy|parkway|pkwy|square|sq|trail|crescent|close"
    "|plaza|mews|row|creek|hill|gardens|grove|park|view|walk|straat|laan|weg|plein|utca|ulica|gate|vei|tee|str"
)
_BEFORE_NAME = (
    "rue|rua|ruelle|via|viale|vicolo|piazza|piazzetta|piazzale|corso|strada|contrada|calle|avenida|avda|"
    "av|avenue|boulevard|bd|paseo|plaza|carrera|camino|ctra"
    "|travessa|largo|praca|quadra|rodovia|quai|allee|chemin|impasse|place|ul|ulica|os|al|nam|namesti|trg|"
    "route|cours|passage|postbox|ronda|urbanizacion"
)
_MERGED = (
    "strasse|stra?sse|gasse|platz|allee|weg|vej|gade|gata|gatan|gaten|vagen|vegen|veien|veg|katu|tie|"
    "kuja|polku|straat|laan|gracht|plein|dijk|kade|straede|stien"
    "|bakken|braut|vegur|brautin|backen|stigen|torget|hof|ufer|rkp"
)

ANCHORS = (
    Anchor("address unit", _UNIT + r"\.?[ \t]?#?[0-9]{1,5}", caseless=True),
    Anchor("address street", r"[ \t](?:" + _AFTER_NAME + r")\b", caseless=True),
    Anchor("address way", r"\b(?:" + _BEFORE_NAME + r")\.?[ \t][a-z]", caseless=True),
    Anchor("address merged", r"[a-z]{2}(?:" + _MERGED + r")\.?[ \t][0-9]{1,4}\b", caseless=True),
    Anchor("address box", r"(?:[AFD]PO A[AEP] [0-9]{5}|P\.? ?O\.? ?Box [0-9]{1,6}|Postbox [0-9]{1,6})", caseless=True),
    Anchor(
        "address told",
        r"(?:address(?: is|:|\?)|lives? (?:on|in|at)|live (?:on|in|at)|drops you off at|located at|offices? "
        r"(?:is|are) at|meet (?:me|you) at|taxi to|sent to|send (?:a new one|it) to"
        r"|arrived at|side of|corner of|here they are:|it's in|credit card to|user:)[ \t\n]",
        caseless=True,
    ),
)

_WORD = r"[A-Za-z][\w.'()-]*"
_SEP = r"(?:[ \t]*,?[ \t]*(?:\r?\n[ \t>]*)?,?[ \t]*)"
_HOUSE = re.compile(
    rf"(?:\d{{1,6}}[A-Za-z]?,?{_SEP})?(?:{_WORD}[ \t]+){{0,5}}?{_WORD},?[ \t]+\d{{1,5}}[A-Za-z]?\.?{_SEP}$|"
    rf"\d{{1,6}}[A-Za-z]?(?:[ \t]+\d{{1,5}})?[ \t]+(?:{_WORD}[ \t]*){{1,6}}\d{{0,5}}\.?{_SEP}$"
)
_UNIT_AFTER = re.compile(rf"(?:{_SEP}(?i:{_UNIT})\.?[ \t]?#?\d{{1,5}}){{0,2}}")
_TOWN = (
    r"[A-Z][\w.'()-]*(?:[ \t](?:[A-Z][\w.'()-]*|(?i:de|da|do|nad|pod|na|u|v|van|am|an|im|der|la|le|les|"
    r"sur|en|del|di|i|e|y|o|of|upon)\b)){0,4}"
)
_LOCALITY = re.compile(
    rf"(?:{_SEP}\d{{4,5}}(?=[ \t]+[A-Z]))?(?:{_SEP}{_TOWN}(?:{_SEP}(?:[A-Z]{{2,3}}|"
    rf"nan)\b)?(?:{_SEP}\d{{3,6}}\b)?(?:{_SEP}{_TOWN})?(?:{_SEP}\d{{3,6}}\b)?)?"
)
_COUNTRY_BELOW = re.compile(rf"[ \t>]*\r?\n[ \t>]*\r?\n[ \t>]*{_TOWN}[ \t]+\d{{3,6}}\b")
_CORNER = re.compile(
    r"(?i:the corner of)[ \t]+(?:[\w.'-]+[ \t]+){1,7}?and[ \t]+(?:[A-Z][\w.'-]*|[a-z]{2,3}(?=[ "
    r"\t][A-Z])|\d{1,5})(?:[ \t]+(?:[A-Z][\w'-]*|\d{1,5}\b)){0,4}"
)
_LOWER_REST = re.compile(r"(?:[ \t]*[,\n ][ \t]*[a-z][\w'()-]*(?:[ \t][a-z][\w'()-]*){0,3}){1,3}(?:[ \t\n,]+\d{3,6}\b)?")
_NUMBERED = re.compile(
    rf"(?:(?:the )?(?i:corner of )?(?:\d{{1,6}}[A-Za-z]?[ \t]+){{0,2}}(?:{_WORD}[ \t]+){{0,6}}?{_WORD}[ "
    rf"\t]+\d{{1,5}}[A-Za-z]?\.?\b|\d{{1,6}}[A-Za-z]?(?:[ \t]+\d{{1,5}})?[ \t]+(?:{_WORD}[ "
    rf"\t]+){{0,5}}?{_WORD})"
)
_STREET = re.compile(
    rf"(?<![\w.])\d{{1,6}}[A-Za-z]?(?:[ \t]+\d{{1,5}})?[ \t]+(?:(?:[A-Z][\w.'-]*|of|the|de|la)[ \t]+){{1,5}}(?i:{_AFTER_NAME})\b\.?"
)
_WAY = re.compile(
    rf"(?:(?<![\w.])\d{{1,6}}[A-Za-z]?,?[ \t]+(?:\d{{1,5}}[ \t]+)?(?i:{_BEFORE_NAME})\.?[ \t]+(?:{_WORD}[ "
    rf"\t]*){{1,5}}|\b(?i:{_BEFORE_NAME})\.?[ \t]+(?:{_WORD}[ \t]+){{1,6}}?\d{{1,5}}\b)"
)
_MERGED_WAY = re.compile(rf"(?:(?<![\w.])\d{{1,6}}[ \t]+)?(?:[A-Z][\w.'-]*[ \t]+){{0,3}}[A-Za-z][\w'-]*(?i:{_MERGED})\.?[ \t]+\d{{1,4}}\b")
_MILITARY = re.compile(
    r"(?:(?:PSC|Unit|CMR)[ \t]\d{1,5},?[ \t]Box[ \t]\d{1,5}|(?:USS|USNS|USNV|USCGC)[ \t][A-Z][\w'-]*)\s+$", re.IGNORECASE
)
_TOLD_END = re.compile(r"[ \t]+(?:St|street)\b\.?")


def look(text: str, seen: Sightings) -> Iterator[Hit]:
    """Addresses in an ASCII text."""
    spans = [*_units(text, seen), *_streets(text, seen), *_boxes(text, seen), *_told(text, seen)]
    after = -1
    for start, end in sorted(spans, key=lambda s: (s[0], -s[1])):
        if end > after:
            shown = text[start:end].rstrip(" \t\r\n,>")
            yield Hit("pii", "address", "medium", start, start + len(shown), floor=True)
            after = end


def _units(text: str, seen: Sightings) -> Iterator[tuple[int, int]]:
    after = 0
    for end in seen.get("address unit", ()):
        if end <= after or text[end : end + 1].isdigit():
            continue
        unit = re.compile(rf"(?i)\b{_UNIT}\.?[ \t]?#?\d{{1,5}}$").search(text, max(0, end - 20), end)
        if not unit:
            continue
        house = _HOUSE.search(text, max(0, unit.start() - 90), unit.start())
        behind = _behind(text, end, unit=True)
        if not house and not any(c.isdigit() for c in text[end:behind]):
            continue
        after = behind
        yield (house.start() if house else unit.start()), behind


def _streets(text: str, seen: Sightings) -> Iterator[tuple[int, int]]:
    for name, pattern, back in (("address street", _STREET, 70), ("address way", _WAY, 30), ("address merged", _MERGED_WAY, 60)):
        after = 0
        for end in seen.get(name, ()):
            if end <= after:
                continue
            match = pattern.search(text, max(after, end - back), min(len(text), end + 80))
            if match and match.start() < end and match.end() >= end - 2:
                after = match.end()
                yield match.start(), _behind(text, match.end())


def _boxes(text: str, seen: Sightings) -> Iterator[tuple[int, int]]:
    for end in seen.get("address box", ()):
        if text[end : end + 1].isdigit():
            continue
        start = max(0, end - 20)
        match = re.compile(r"(?i)(?:[AFD]PO A[AEP] \d{5}|(?:\d{1,6}[ \t]+)?(?:P\.? ?O\.? ?Box|Postbox) \d{1,6})$").search(text, start, end)
        if not match:
            continue
        military = _MILITARY.search(text, max(0, match.start() - 60), match.start()) if "PO A" in match[0].upper() else None
        yield (military.start() if military else match.start()), end if military else _behind(text, end)


def _told(text: str, seen: Sightings) -> Iterator[tuple[int, int]]:
    """An address that a sentence announces: it has a number in it."""
    for end in seen.get("address told", ()):
        at = end
        while text[at : at + 1] in tuple(" \t\n"):
            at += 1
        if corner := _CORNER.match(text, at if text.startswith("the", at) else max(0, end - 14)):
            yield corner.start(), corner.end()
            continue
        match = _NUMBERED.match(text, at, min(len(text), at + 120))
        if match and any(c.isdigit() for c in match[0]) and any(c.isalpha() for c in match[0]):
            tail = _TOLD_END.match(text, match.end())
            yield match.start(), _behind(text, tail.end() if tail else match.end())


def _behind(text: str, end: int, *, unit: bool = False) -> int:
    """Where the rest of an address ends: unit, town, region, code, country. `unit`: a unit was read already, so a town may follow it."""
    more = _UNIT_AFTER.match(text, end)
    unit = unit or bool(more and more[0])
    end = more.end() if more else end
    place = (_LOWER_REST if unit and text.islower() else _LOCALITY).match(text, end)
    if place and (shown := place[0].strip(" \t\r\n,>")):
        apart = bool(re.match(r"[ \t]*[,\n]", place[0]))
        coded = bool(re.search(r"\d{3}|\b[A-Z]{2,3}\.?$", place[0]))
        # A town is behind a comma or on a line of its own, or has a code or a region; else it is the next sentence.
        if apart or coded or (unit and shown.split()[0].lower() not in english_words()):
            end = place.end()
    below = _COUNTRY_BELOW.match(text, end)
    return below.end() if below else end
