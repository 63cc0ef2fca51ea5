"""How strongly a name says that a credential follows (`client_secret`, `maxTokens`, `public_key_token`)."""

import re
from enum import Enum, auto
from functools import lru_cache

from agents.scan.words import word_set


class Strength(Enum):
    """NONE: no credential's name; TOKEN: what follows must look random; PASSWORD: anything may be one."""

    NONE = auto()
    TOKEN = auto()
    PASSWORD = auto()


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORD = re.compile(r"(?:pass(?:wor[dt]|wd|code|phrase|w)?|pwd|psw|passwort|secret)$")
_TOKEN = re.compile(
    r"(?:tokens?|keys?|secrets?|credentials?|creds?|auth|authorization|bearer|jwt|cookie|session|salt|pat|"
    r"access|private|passwords?|pin|api)$"
)
_NOT_LAST = word_set(
    "domain tenant realm region bucket zone cluster database server "
    "id ids name names url uri urls path file filename type types length len size count limit expiry expires expiration ttl "
    "format field fields header headers version prefix suffix policy regex pattern label title hint reset error errors "
    "required enabled disabled manager service provider arn algorithm alg usage index column map list store vault budget max "
    "min in at date time timeout status state number code codes char chars fingerprint identifier issuer endpoint host port "
    "user username email method mode scope scopes model class group ring words word board stroke press down up page table tag "
    "description doc docs text message used left remaining strength attempts age rotation rules rule validator checker helper "
    "util utils handler factory builder config settings options params"
)
_NOT_ANY = word_set(
    "public csrf xsrf primary foreign sort partition row cache keyboard monkey donkey keyword max min num total count "
    "publishable idempotency dedup schema issuer"
)


@lru_cache(maxsize=4096)
def strength(name: str) -> Strength:
    """What a name announces."""
    letters = [w.lower() for w in _WORD.findall(name) if not w.isdigit()]
    if not letters or letters[0] == "not" or _NOT_ANY.intersection(letters):
        return Strength.NONE
    last = letters[-3:]
    if letters[-1] in _NOT_LAST:
        return Strength.NONE
    if any(_PASSWORD.search(w) for w in last):
        return Strength.PASSWORD
    return Strength.TOKEN if any(_TOKEN.search(w) for w in letters) else Strength.NONE
