"""Persons in a wording: by word lists and context first, by the model where those leave a doubt (SPEC 3.6).

A tool, a product, a month or an identifier of code is not a person: a name must look like a word of prose, and not be the name of
something that everybody uses.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from agents.scan.cover import Cover
from agents.scan.hit import Hit
from agents.scan.model import persons
from agents.scan.nameword import PARTICLES, TOKEN, Word, fold, rare, words_of
from agents.scan.words import english_words, family_names, given_names, not_persons, word_set

_TITLES = word_set("mr mrs ms miss mx dr prof professor sir madam dame frau herr monsieur madame señor señora")
_INTRO = re.compile(
    r"(?i)(?:\b(?:my|his|her|their|whose|the|maiden|full|customer|partner['’]s|user|account|"
    r"contact)\s+name\s+(?:is|was)|\bname\s*:|\bnamed\s+(?:him|her|me)|\b(?:call|calls|called)\s+me"
    r"|\bi\s+am|\bi['’]m|\bthis\s+is|\b(?:hi|hello|hey|dear|thanks|regards|sincerely|cheers)|"
    r"\bunder\s+\w+(?:\s+\w+['’]s)?\s+name|\bchange\s+it\s+to|\b(?:sung|written|directed|signed|sent|made|"
    r"reported|approved|filed|reviewed|opened|closed|created|raised|requested|handled|assigned|submitted)\s+by"
    r"|\b(?:assigned|forward(?:ed)?(?:\s+it)?|escalated?|reassigned|refunded|addressed|handed(?:\s+over)?|delegated)\s+to"
    r"|\b(?:spoke|spoken|chat(?:ted)?|met|talked|check(?:ed)?\s+in)\s+with|\b(?:signed|cc|attn|invite|ping|owe|please\s+(?:ask|tell|contact))"
    r"|\bstarring|\bfollow\s+up\s+with|\btribute\s+to|\bproducer|\bassistant\s+to|\b(?:customer|client|"
    r"patient|passenger|guest|employee|colleague|manager|user|agent)|\bgender\s+of|\bspeak\s+(?:to|with)|"
    r"\bask\s+for|\bmeet\s+with|\bheard|\badd|\bearly|\bex-\w+|\bbetween\s+\w+\s+and)"
    r"[\s,:]*$"
)
_NAME_IS = re.compile(r"(?i)\bname\s*(?:is|was|:)\s*$")
_NAME_ENDS = tuple(":sS")
_WEAK_INTRO = (
    "i am",
    "i'm",
    "i’m",
    "this is",
    "add",
    "early",
    "user",
    "agent",
    "manager",
    "heard",
    "thanks",
    "producer",
    "account",
    "make",
)
_DOES = re.compile(
    r"(?:['’]s (?:killers?|kid|wife|husband|mother|father|son|daughter|account|order|card|email|address|"
    r"phone)|,? (?:is from|lives (?:on|in|at)|is an? (?:very |\d+ year)|spent an?|said|says|told|asked|"
    r"wrote|called|explained|can i (?:please )?speak|version recorded|speak yet|as (?:a )?(?:guardian|"
    r"beneficiary)|concert|just ))\b",
    re.IGNORECASE,
)


def look(text: str, tools: frozenset[str], taken: Sequence[Hit]) -> list[Hit]:
    """Persons in a text. What other layers took, and names of tools by their whole span, are none."""
    lower = text.islower()
    words = list(words_of(text, lower=lower))
    if words and any(h.mask for h in taken):
        covered = Cover((h.start, h.end) for h in taken if h.mask)
        words = [w for w in words if not covered.holds(w.start)]
    if not words:
        return []
    spans = set()
    doubts = []
    for run, person in _runs(text, words, lower):
        if person:
            spans.add((run[0].start, run[-1].end))
        elif _doubtful(run):
            doubts.append((run[0].start, run[-1].end))
    if doubts:
        seen = Cover(persons(text))
        spans |= {(start, end) for start, end in doubts if seen.holds(start) or seen.holds(end - 1)}
    if spans:
        spans |= set(_again(text, words, spans))
    return [Hit("pii", "person", "medium", start, end) for start, end in sorted(spans) if text[start:end] not in tools]


def _runs(text: str, words: list[Word], lower: bool) -> Iterator[tuple[list[Word], bool]]:
    """Words that could be one name, and whether lists and context say that they are."""
    at = 0
    while at < len(words):
        if not lower and _nobody(text, words, at):
            at += 1
            continue
        run = _run(text, words, at, lower)
        at += len(run) or 1
        if run:
            kept = _person(text, run, lower)
            yield kept or run, bool(kept)


def _nobody(text: str, words: list[Word], at: int) -> bool:
    """Whether a word stands alone that nobody is called: most capitals of an agent's prose."""
    word = words[at]
    if not _ordinary(word.folded) or (at + 1 < len(words) and words[at + 1].start - word.end <= 2):
        return False
    before = text[max(0, word.start - 60) : word.start]
    return not (_titled(before) or (before.rstrip()[-1:] in _NAME_ENDS and _NAME_IS.search(before)))


@lru_cache(maxsize=16384)
def _ordinary(folded: str) -> bool:
    return not (folded in given_names() or folded in _TITLES or rare(folded))


def _doubtful(run: list[Word]) -> bool:
    """Whether nothing is known of a run of two words or three: the model may tell."""
    return 2 <= len(run) <= 3 and all(w.rare and not w.text.isupper() and len(w.text) > 2 for w in run)


def _run(text: str, words: list[Word], at: int, lower: bool) -> list[Word]:
    """Words in a row from `at` on, a space apart on one line, that could be one name: capitals, initials, particles."""
    run: list[Word] = []
    for word in words[at : at + 6]:
        if run:
            gap = text[run[-1].end : word.start]
            if gap not in (" ", ". ", "  ") or (gap == ". " and len(run[-1].text) > 1 and run[-1].folded not in _TITLES):
                break
        if not (
            word.capital
            or (lower and (word.known or len(word.text) == 1 or (run and run[0].given and word.rare)))
            or (run and word.text in PARTICLES)
        ):
            break
        if word.folded in _TITLES and run:
            break
        run.append(word)
        if word.folded in _TITLES:
            break
    while run and run[-1].text in PARTICLES:
        run.pop()
    return run


def _person(text: str, run: list[Word], lower: bool) -> list[Word]:
    """The part of a run that is a person's name, or nothing."""
    if run[0].folded in _TITLES:
        return []
    # A sentence's first word is capital too: one that is no name does not belong to it.
    while (
        len(run) > 1
        and not run[0].known
        and (run[0].folded in english_words() or run[0].folded in not_persons())
        and run[0].folded not in given_names()
    ):
        run = run[1:]
    while len(run) > 1 and run[-1].folded in not_persons():
        run = run[:-1]
    before = text[max(0, run[0].start - 60) : run[0].start]
    if _titled(before):
        return run
    full = [w for w in run if len(w.text) > 1]
    # Abbreviations stand beside names of things (an IDE, a NAS), unless all is written in capitals.
    if any(w.text.isupper() for w in full) and not all(w.text.isupper() for w in full):
        return []
    if not full or any(w.folded in _ORGANISATION for w in full) or _followed_by_organisation(text, run):
        return []
    if len(full) == 1:
        return run if _one(text, full[0], before, lower) else []
    intro, strong = _introduced(before)
    return run if _two(text, run, full, intro, strong) else []


def _introduced(before: str) -> tuple[bool, bool]:
    """Whether what stands before a word introduces somebody, and whether it can introduce nothing else."""
    intro = _INTRO.search(before)
    return (True, not intro[0].strip().lower().startswith(_WEAK_INTRO)) if intro else (False, False)


def _one(text: str, word: Word, before: str, lower: bool) -> bool:
    """Whether a word that stands alone is a person."""
    if not word.rare:
        # Some people are called Will: where they say so, or are spoken to.
        listed = word.folded in given_names() or word.folded in family_names()
        called = (listed and _NAME_IS.search(before) is not None) or (word.folded in given_names() and _introduced(before)[1])
        return called and not lower and word.folded not in not_persons()
    if lower:
        return (word.given and (_listed(text, word) or bool(_DOES.match(text, word.end)))) or _introduced(before)[1]
    if word.text.isupper() and len(word.text) > 1:
        return word.given and _introduced(before)[1]
    if word.given or (word.known and not _starts(text, word)):
        return True
    intro, strong = _introduced(before)
    return strong or (word.known and intro) or bool(_DOES.match(text, word.end))


def _titled(before: str) -> bool:
    """Whether a text ends in a title."""
    last = before.rstrip(" ").rsplit(None, 1)[-1:] if before[-1:] == " " else []
    return bool(last) and last[0].rstrip(".").strip("(\"'").lower() in _TITLES


def _two(text: str, run: list[Word], full: list[Word], intro: bool, strong: bool) -> bool:
    """Whether a run of two words and more, initials apart, is a person."""
    first, last = full[0], full[-1]
    names = sum(w.known for w in full)
    if any(w.given for w in full[:2]) and (names >= 2 or last.rare or last.folded in family_names()):
        return True
    if names >= 2 or (names == 1 and (intro or _alone(text, run))) or (last.known and first.folded in given_names()):
        return True
    rare = all(w.rare for w in full)
    if rare and names:
        return True
    if len(run) > len(full) and rare and not any(w.text.isupper() for w in full):
        return True  # an initial stands between or behind
    both = first.folded in given_names() and last.folded in family_names()
    some = any(w.rare for w in full)
    return (both and intro) or (strong and some) or (rare and _alone(text, run)) or (some and bool(_DOES.match(text, run[-1].end)))


def _listed(text: str, word: Word) -> bool:
    return (
        text[word.end : word.end + 2] in (", ", "")
        or text[word.end : word.end + 5] == " and "
        or text[max(0, word.start - 2) : word.start] == ", "
    )


def _alone(text: str, run: list[Word]) -> bool:
    """Whether a run has a line to itself, as in an address or a signature."""
    return text[run[0].start - 1 : run[0].start] in ("", "\n") and text[run[-1].end : run[-1].end + 1] in ("", "\n", ",")


def _starts(text: str, word: Word) -> bool:
    """Whether a word begins a sentence."""
    before = text[max(0, word.start - 20) : word.start].rstrip(" \t\"'*(>-")
    return not before or before[-1] in ".!?:\n"


_ORGANISATION = word_set(
    "inc ltd llc corp gmbh plc group bank company university college institute foundation airlines insurance partners "
    "associates holdings studio labs agency street avenue road lane drive house park station hotel team services systems "
    "solutions technologies school hospital church museum library party"
)
_COMPANY = re.compile(r",? (?:and Sons|& |Inc\b|Ltd\b|LLC\b|Group\b|Corp|PLC\b|GmbH\b|Company\b|Bank\b)|, \w+ and \w+ ?(?:is|are|at|\n|$)")


def _followed_by_organisation(text: str, run: list[Word]) -> bool:
    return bool(_COMPANY.match(text, run[-1].end))


def _again(text: str, words: list[Word], spans: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """A part of a name that was found in full, standing alone elsewhere; and who else is in a list of persons."""
    parts = {fold(p) for start, end in spans for p in TOKEN.findall(text[start:end]) if len(p) > 2}
    starts, ends, covered = {s for s, _ in spans}, {e for _, e in spans}, Cover(spans)
    dialogue = any(_speaks(text, s, e) for s, e in spans)
    for word in words:
        if not word.capital or covered.holds(word.start):
            continue
        everyday = word.folded in english_words() or word.folded in not_persons()
        named = word.folded in parts and (not everyday or not _starts(text, word))
        listed = word.rare and not word.text.isupper() and (_next(text, word.end) in starts or _before(text, word.start) in ends)
        speaks = dialogue and word.rare and _speaks(text, word.start, word.end)
        if named or listed or speaks:
            yield word.start, word.end


def _next(text: str, end: int) -> int:
    """Where the next member of a list stands, if this one is followed by one."""
    match = _LINK.match(text, end)
    return match.end() if match else -1


def _before(text: str, start: int) -> int:
    """Where the member before ends, if there is one."""
    for link in (", ", " and ", ", and "):
        if text.endswith(link, 0, start):
            return start - len(link)
    return -1


_LINK = re.compile(r", and |, | and ")


def _speaks(text: str, start: int, end: int) -> bool:
    """Whether a line begins with a speaker and what is said."""
    return text[start - 1 : start] in ("", "\n") and text[end : end + 2] == ": " and text[end + 2 : end + 3].isupper()
