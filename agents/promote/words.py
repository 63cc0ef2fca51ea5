"""A wording's tokens: words brought to their stems, amounts to one unit, and what operators, markers and prepositions stand between."""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal

from agents.promote import lexicon
from agents.promote.stems import stem

STOP = "."
"""Token of a mark that ends a clause."""
COMMA = ","
PASSIVE = "BE"
"""Token between a subject and what is done to it."""
PARTICLE = "+"
"""Behind a preposition that belongs to its verb: turn on."""
_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "“": " ", "”": " ", '"': " ", "`": "", "*": " ", "«": " ", "»": " "})
_SHORT = [
    (re.compile(p), to)
    for p, to in (
        (r"\ba\b(?=\s+(?:from|to|and|or|is|by|with|into|before|after|than|over)\b|\s*[.,;:)]|$)", "a_"),
        (r"\b(?:e\.g|i\.e)\.?,?", " "),
        (r"->|=>|→", " to "),
        (r">=|≥", " at least "),
        (r"<=|≤", " at most "),
        (r"!=|≠", " not equal "),
        (r"==", " equal "),
        (r">", " more than "),
        (r"<", " less than "),
        (r"&&", " and "),
        (r"\|\|", " or "),
        (r"\band/or\b", " or "),
        (r"\b(\d+)k\b", r"\g<1>000"),
        (r"(?<=[a-z])/(?=(?:s|sec|second|min|minute|h|hour|day|week|month|user|request|run|page)\b)", " per "),
        (r"\bcan't\b", "cannot"),
        (r"\bcan not\b", "cannot"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\b(it|that|there|what|he|she)'s\b", r"\1 is"),
        (r"'(?:re|ll|ve|d|m)\b", " will"),
        (r"'s\b|(?<=s)'(?!\w)", ""),
        (r"\b(?:non)[- ](?=\w)", "not "),
        (r"\b(all|every|everything|everyone|anything|anyone) but\b", r"\1 except"),
        (r"\butf-(8|16|32)\b", r"utf\1"),
        (r"\bneither\b([^.;:!?]*?)\bnor\b", r"not\1and"),
        (r"\b(re|un|pre|sub|multi|auto|de|co|anti|e)-(?=[a-z])", r"\1"),
        (r"(?<=[a-z])-(in|out|on|off|up|down|only)\b", r"\1"),
        (r"(\d)\s*/\s*([a-z])", r"\1 per \2"),
        (r"(?<=\d)-(?=[a-z])", " "),
    )
]
_TOKEN = re.compile(
    r"""\d{1,2}:\d{2}(?::\d{2})?
      | [$€£¥]
      | (?:(?<![\w)])-)?\d+(?:,\d{3})+(?:\.\d+)?(?!\w)
      | (?:(?<![\w)])-)?\d+(?:\.\d+)*(?:%|(?=(?:[nuµm]?s|msec|sec|min|hr?|d|[kmgt]i?b|px|[kmg]?hz|[kcm]m|kg)\b))
      | (?<![\w-])--?[a-z][\w-]*
      | \w+(?:[./_:@]\w+)+
      | [a-z]\w*(?:\+\+|\#(?!\w))
      | (?<![\w.])\.[a-z]\w+
      | (?:(?<![\w)])-)\d+\b
      | \w+
      | [,;:.!?()\[\]{}\n]|[-–—]+(?=\s)
      | [^\x00-\x7f\s\w–—…•·]
    """,
    re.VERBOSE,
)
_LETTER, _A = re.compile(r"\b[B-HJ-Z]\b(?!')"), re.compile(r"\bA\b")
_UNITS = lexicon.UNITS | {stem(name): unit for name, unit in lexicon.UNITS.items()}
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_VERSION = re.compile(r"v(\d+(?:\.\d+)*)")
_PHRASES: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
for _phrase, _to in sorted(lexicon.PHRASES.items(), key=lambda p: -len(p[0].split())):
    _words = tuple(_phrase.split())
    _PHRASES.setdefault(_words[0], []).append((_words, tuple(_to.split())))
_PARTICLES: dict[str, dict[str, str]] = {}
for _phrasal in lexicon.PHRASAL:
    _verb, _particle = _phrasal.split()
    _PARTICLES.setdefault(stem(_verb), {})[_particle] = lexicon.SWITCHES.get(_phrasal, _verb + _particle)
_BEGIN_A_SUBJECT = frozenset({"the", "a", "an", "it", "they", "you", "all", "your", "its", "this", "that", "every", "each", "we", "our"})
_AS_THEY_ARE = frozenset({"and", "of", STOP, COMMA}).union(lexicon.SIGNS, lexicon.NUMERALS, lexicon.MULTIPLES)
_BE = frozenset({"is", "are", "be", "been", "being", "was", "were"})
_ADVERBS = frozenset({"not", "always", "never", "only", "also", "then", "all", "first"})


def tokens(text: str) -> list[str]:
    """The tokens of a text: stems, amounts ("#30" or "#30000000000ns"), names of things ("http.get"), operators and markers of the
    lexicon, prepositions, "and", COMMA and STOP."""
    text = unicodedata.normalize("NFKC", text)
    if _LETTER.search(text):  # A and B are names, not an article
        text = _A.sub("A_", text)
    text = text.casefold().translate(_QUOTES)
    for pattern, to in _SHORT:
        text = pattern.sub(to, text)
    return list(_amounts(_operators(_phrases(_raw(text)))))


def _raw(text: str) -> list[str]:
    out = []
    for token in _TOKEN.findall(text):
        if token[0] in ";:.!?()[]{}\n" or (token[0] in "-–—" and not token.strip("-–—")):
            out.append(STOP)
        elif _VERSION.fullmatch(token):
            out += ["version", token[1:]]
        else:
            out.append(token)
    return out


def _phrases(raw: list[str]) -> list[str]:
    """Several words that stand for a few, and "turn ... on" as "enable"."""
    out: list[str] = []
    at = 0
    while at < len(raw):
        for words, to in _PHRASES.get(raw[at], ()):
            if tuple(raw[at : at + len(words)]) == words:
                out += to
                at += len(words)
                break
        else:
            out.append(raw[at])
            at += 1
    return _with_particles(out)


def _with_particles(words: list[str]) -> list[str]:
    """Verbs with their particle as one word, also where others stand between: "roll it back" as "rollback", "turn it on" as "enable"."""
    out = list(words)
    at = 0
    while at < len(out):
        particles = _PARTICLES.get(stem(out[at]), {})
        for next_ in range(at + 1, min(at + 7, len(out))):
            if out[next_] in (STOP, COMMA) or out[next_].isupper():
                break
            if out[next_] in particles and _is_particle(out, next_):
                out[at] = particles[out.pop(next_)]
                break
        at += 1
    return out


def _is_particle(words: list[str], at: int) -> bool:
    return words[at] not in lexicon.PREPOSITIONS or _ends(words, at + 1) or words[at + 1] in lexicon.PREPOSITIONS


def _ends(words: list[str], at: int) -> bool:
    return (
        at >= len(words)
        or words[at] in (STOP, COMMA)
        or words[at] in lexicon.MARKERS
        or lexicon.WORDS.get(words[at], STOP).split()[0] in lexicon.MARKERS
    )


def _operators(words: list[str]) -> Iterator[str]:
    """Words brought to their stems; operators, markers and prepositions as they are; silent words left out."""
    preferring = False
    for at, word in enumerate(words):
        before = words[at - 1] if at else STOP
        following = words[at + 1] if at + 1 < len(words) else STOP
        if word == "once":
            yield from (lexicon.AFTER,) if following in _BEGIN_A_SUBJECT else ("1", "times")
        elif word in lexicon.PRONOUNS or (word in ("one", "ones") and _ends(words, at + 1) and not before.isupper()):
            yield lexicon.IT
        elif word in lexicon.RELATIVE:
            yield lexicon.THAT
        elif word in lexicon.WORDS:
            yield from lexicon.WORDS[word].split()
        elif word in lexicon.COMPARING and (following[0].isdigit() or following in lexicon.NUMERALS or following in lexicon.SIGNS):
            yield lexicon.COMPARING[word]
        elif word in ("to", "over") and preferring:
            yield lexicon.INSTEAD
            preferring = False
        elif word == "on" and before in _BE and following in lexicon.PREPOSITIONS:
            yield word + PARTICLE
        elif word in lexicon.PREPOSITIONS:
            yield word + PARTICLE if _ends(words, at + 1) else word
        elif word in _BE and _is_participle(next((w for w in words[at + 1 : at + 4] if w not in _ADVERBS), STOP)):
            yield PASSIVE
        elif word in _AS_THEY_ARE or word.isupper() or word[0] in "-0123456789":
            yield word
        elif word not in lexicon.SILENT:
            found = stem(word)
            preferring = preferring or found == "prefer"
            yield found


def _is_participle(word: str) -> bool:
    return word.endswith("ed") or (word in lexicon.IRREGULAR and not word.endswith("s"))


def _amounts(words: Iterator[str]) -> Iterator[str]:
    """Numbers and their units as one token each: 30 seconds, 30s and 0.5 min alike."""
    held = list(words)
    at = 0
    while at < len(held):
        word = held[at]
        sign = lexicon.SIGNS.get(word) or (word if word in lexicon.SIGNS.values() else None)
        if sign and at + 1 < len(held) and (number := _number(held, at + 1)):
            yield _amount(number[0], sign)
            at = number[1]
        elif number := _number(held, at):
            value, at = number
            unit = "%" if word.endswith("%") else held[at] if at < len(held) else ""
            unit = lexicon.SIGNS.get(unit, unit)
            if unit in _UNITS:
                at += not word.endswith("%")
                yield _amount(value, unit)
            else:
                yield "#" + value
        elif word == "per" and at + 1 < len(held) and held[at + 1] in _UNITS:
            yield "#per" + _amount("1", held[at + 1])
            at += 2
        else:
            yield word
            at += 1


def _number(words: list[str], at: int) -> tuple[str, int] | None:
    """The number that begins at a word, in digits, and where it ends."""
    word = words[at].rstrip("%")
    if word in lexicon.NUMERALS or word in lexicon.MULTIPLES:
        total, at = lexicon.NUMERALS.get(word, 1) * lexicon.MULTIPLES.get(word, 1), at + 1
        while at < len(words):
            if words[at] in lexicon.MULTIPLES:
                total *= lexicon.MULTIPLES[words[at]]
            elif words[at] in lexicon.NUMERALS:
                total += lexicon.NUMERALS[words[at]]
            elif not (words[at] == "and" and words[at + 1 : at + 2] and words[at + 1] in lexicon.NUMERALS and total >= 100):
                break
            at += 1
        return str(total), at
    if not _NUMBER.fullmatch(word):
        return None
    word, at = word.replace(",", ""), at + 1
    if at < len(words) and words[at] in lexicon.MULTIPLES:
        return str(Decimal(word) * lexicon.MULTIPLES[words[at]]), at + 1
    return word, at


def _amount(number: str, unit: str) -> str:
    base, size = _UNITS[unit]
    value = (Decimal(number) * size).normalize()
    return f"#{value:f}{base}"
