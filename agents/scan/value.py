"""Whether the value of a credential's name is one: not a word, a variable, a path or a call."""

import math
import re
from collections import Counter

from agents.scan.placeholder import PLACEHOLDER, stands_for_one
from agents.scan.words import english_words, no_values, word_set

_CODE = re.compile(
    r"['\"\\]{0,3}(?:[$%@&*<{(\[]|(?i:process\.env|os\.|env[.\[(]|getenv|config[.\[]|settings[.\[]|self\.|this\.|await |new )"
    r"|(?i:function|lambda|null|none|nil|undefined|true|false)\b)"
)
_CALL = re.compile(r"[A-Za-z_][\w.:>-]*[(\[]")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+$")
_PATH = re.compile(r"(?:\.{0,2}/|~/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*:(?:\\?/){2}|[\w.-]+/[\w./-]+\.\w{1,5}$)")
_ARN = re.compile(r"arn:[\w-]+:")
_DIGEST = re.compile(r"(?:sha-?(?:1|224|256|384|512)|md5)[:=-][0-9a-f]{32,128}\Z", re.IGNORECASE)
_POD = re.compile(r"[a-z]+(?:-[a-z]+)*-[0-9a-z]{8,10}-[0-9a-z]{5}\Z")
"""A pod's name in Kubernetes: its deployment's, the hash of its template, and five characters drawn by lot."""
_RELEASE = re.compile(r"(?:[A-Za-z][\w.:/-]*?[-@:])?(?:v|rc|r)?\d{1,4}(?:\.\d{1,6}){1,3}(?:[-+._]\w{1,16}){0,4}$")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$")
_HEX = re.compile(r"[0-9a-fA-F]{16,}$")
_PHRASE = re.compile(r"[a-z]{2,12}(?: [a-z]{2,12}){3,9}$")
"""A passphrase of words, as dice give it."""
_ABOUT = word_set(
    "must should shall cannot can may not please enter type your you use is are be was has have at least contain contains "
    "character characters password passwords passphrase secret key token required invalid wrong incorrect missing empty new "
    "forgot forgotten change changed reset confirm match matches same different strong weak minimum maximum this that the it"
)
"""Words of texts that are about passwords: labels, errors, instructions."""
_BASE64 = re.compile(r"(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[0-9A-Za-z+/]{32,}={0,2}$")
_CAMEL = re.compile(r"[A-Z]?[a-z]{3,}")
_NUMBER = re.compile(r"[-+]?[\d,]*\.\d+(?:[eE][-+]?\d+)?$")
_SWITCH = re.compile(r"[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])|[0-9](?=[A-Za-z])")
_SEGMENT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ENOUGH = 128
"""Characters by which it is seen whether a value is random: what `key=key=key=…` assigns is long, and assigned at every step."""
_SEPARATORS = re.compile(r"[-_./ ]+")


def entropy(value: str) -> float:
    """Bits a character, of the characters' own frequencies."""
    # What occurs once adds nothing to the sum of n log n, and most of a random value does.
    return math.log2(len(value)) - sum([n * math.log2(n) for n in Counter(value).values() if n > 1]) / len(value)


def wordy(value: str) -> bool:
    """Whether a value is made of English words, however joined (`requiredTypesForDisplay`, `user-name`, `descriptionlength`)."""
    letters = sum(map(str.isalpha, value))
    alnum = sum(map(str.isalnum, value))
    if letters < 4 or letters < 0.8 * alnum:
        return False
    return sum(_covered(s.lower()) for s in _SEGMENT.findall(value)) >= 0.7 * letters


def _covered(run: str) -> int:
    """Letters of a run of letters that words of four letters and more cover; a shorter word only where it is the whole run."""
    words = english_words()
    if run in words and len(run) > 1:
        return len(run)
    if len(run) < 4:
        return 0
    best = [0] * (len(run) + 1)
    for end in range(1, len(run) + 1):
        best[end] = best[end - 1]
        for start in range(max(0, end - 16), end - 3):
            if run[start:end] in words:
                best[end] = max(best[end], best[start] + end - start)
    return best[-1]


def drawn(part: str) -> bool:
    """Whether letters and digits look drawn by lot: of two classes at least, changing often, and no words."""
    digits = sum(c.isdigit() for c in part)
    mixed = not (part.islower() or part.isupper())
    if len(part) < 12 or digits == len(part) or _HEX.match(part) or (not mixed and digits <= len(part) // 8):
        return False
    if mixed and 3 * sum(len(w) for w in _CAMEL.findall(part)) > 2 * len(part):
        return False  # camel case: capitals begin words
    switches = len(_SWITCH.findall(part)) / len(part)
    return switches >= (0.36 if mixed else 0.22) and entropy(part) >= 3.2 and not wordy(part)


def jumbled(value: str) -> bool:
    """Whether letters of both cases stand in no order of words: too little to tell a credential by, but for a value of a vendor's shape."""
    return len(value) >= 16 and value.isalnum() and not (value.islower() or value.isupper()) and entropy(value) >= 3.2 and not wordy(value)


def _encoded(value: str) -> bool:
    """Whether a value that begins like a path is base64: it may hold slashes."""
    return len(value) >= 32 and bool(_BASE64.match(value)) and not wordy(value) and entropy(value) >= 4.2


def is_password(value: str, *, quoted: bool, prose: bool) -> bool:
    """Whether the value of a password's name is one. `prose`: it stands in running text."""
    if len(value) < 4 or PLACEHOLDER.search(value) or stands_for_one(value) or _CODE.match(value) or _ARN.match(value):
        return False
    low = value.lower().strip("_-. ")
    if low in no_values() or sum(c.isalnum() for c in value) < 3 or (_PATH.match(value) and (not quoted or wordy(value))):
        return False
    if not quoted and (_CALL.match(value) or _DOTTED.match(value)):
        return False
    if " " in value:
        if quoted and _PHRASE.match(value) and not _ABOUT.intersection(value.split()):
            return True
        return any(c.isdigit() for c in value) and len(value.split()) <= 4 and not _PATH.match(value)
    if prose and not quoted:
        return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    parts = [p for p in _SEPARATORS.split(low) if p]
    if "/" in value and wordy(value):
        return False
    return not (len(parts) > 1 and all(p in english_words() for p in parts))


def is_token(value: str) -> bool:
    """Whether the value of a token's or key's name looks random."""
    if not 8 <= len(value) <= 4000 or " " in value:
        return False
    # What rules most values out, and at little cost, comes first.
    hexadecimal = _UUID.match(value) or _HEX.match(value)
    if not hexadecimal and (
        len(value) < 10
        or len(set(value[-16:])) < 5
        or (bits := entropy(value[:_ENOUGH])) < (3.0 if len(value) >= 16 else 2.5)
        or (sum(map(str.isdigit, value)) < 2 and (len(value) < 24 or bits < 4) and not drawn(value))
    ):
        return False
    if PLACEHOLDER.search(value) or stands_for_one(value):
        return False
    if (
        _CODE.match(value)
        or _CALL.match(value)
        or (_PATH.match(value) and not _encoded(value))
        or _ARN.match(value)
        or _RELEASE.match(value)
        or _POD.match(value)
        or _DIGEST.match(value)
    ):
        return False
    if _NUMBER.match(value) or (_DOTTED.match(value) and not any(drawn(p) or sum(c.isdigit() for c in p) > 3 for p in value.split("."))):
        return False
    return bool(hexadecimal) or (value != value[:1] * len(value) and not wordy(value))
