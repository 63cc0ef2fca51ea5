"""Whether the value of a credential's name is one: not a word, a variable, a path or a call."""

import math
import re
from collections import Counter

from agents.scan.placeholder import PLACEHOLDER, stands_for_one

_CODE = re.compile(
    r"(?:[$%@&*<{(\[]|(?i:process\.env|os\.|env[.\[(]|getenv|config[.\[]|settings[.\[]|self\.|this\.|await |new )"
    r"|(?i:function|lambda|null|none|nil|undefined|true|false)\b)"
)
_CALL = re.compile(r"[A-Za-z_][\w.:>-]*[(\[]")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")
_PATH = re.compile(r"(?:\.{0,2}/|[A-Za-z]:\\|[a-z][a-z0-9+.-]*://|[\w.-]+/[\w./-]+\.\w{1,5}$|arn:)")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$")
_HEX = re.compile(r"[0-9a-fA-F]{16,}$")
_WORDS_ONLY = re.compile(r"[A-Za-z]+(?:[ _.:/-][A-Za-z]+)*$")
_LABELS = frozenset(
    [
        "password",
        "passwd",
        "pass",
        "pwd",
        "passphrase",
        "passcode",
        "secret",
        "token",
        "key",
        "string",
        "str",
        "text",
        "int",
        "integer",
        "number",
        "bool",
        "boolean",
        "bytes",
        "any",
        "object",
        "array",
        "required",
        "optional",
        "value",
        "default",
        "empty",
        "blank",
        "missing",
        "invalid",
        "incorrect",
        "wrong",
        "expired",
        "unknown",
        "hidden",
        "protected",
        "encrypted",
        "hashed",
        "plain",
        "user",
        "username",
        "admin",
        "email",
        "login",
        "none",
        "null",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "must",
        "should",
        "cannot",
        "is",
        "was",
        "the",
        "a",
        "an",
        "and",
        "or",
        "not",
        "for",
        "in",
        "to",
        "of",
        "if",
        "prompt",
        "ask",
        "file",
        "env",
        "stdin",
        "vault",
        "manager",
        "fail",
        "input",
        "field",
        "varchar",
        "char",
        "nvarchar",
        "var",
        "let",
        "const",
        "test",
        "disabled",
        "enabled",
    ]
)


def entropy(value: str) -> float:
    """Bits a character, of the characters' own frequencies."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def is_password(value: str, *, quoted: bool, prose: bool) -> bool:
    """Whether the value of a password's name is one. `prose`: it stands in running text."""
    if len(value) < 4 or PLACEHOLDER.search(value) or stands_for_one(value) or _CODE.match(value):
        return False
    low = value.lower().strip("_-. ")
    if low in _LABELS or (_PATH.match(value) and not quoted):
        return False
    if not quoted and (_CALL.match(value) or _DOTTED.match(value)):
        return False
    if " " in value:
        return any(c.isdigit() for c in value) and len(value.split()) <= 4 and not _PATH.match(value)
    if prose and not quoted:
        return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return True


def is_token(value: str) -> bool:
    """Whether the value of a token's or key's name looks random."""
    if not 8 <= len(value) <= 4000 or " " in value or PLACEHOLDER.search(value) or stands_for_one(value):
        return False
    if _CODE.match(value) or _CALL.match(value) or _PATH.match(value) or _WORDS_ONLY.match(value):
        return False
    if _UUID.match(value) or _HEX.match(value):
        return True
    letters, digits = sum(c.isalpha() for c in value), sum(c.isdigit() for c in value)
    return digits >= 2 and letters >= 2 and entropy(value) >= (3.0 if len(value) >= 16 else 2.5) and len(value) >= 10
