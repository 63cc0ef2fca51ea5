"""What a rule is, and the little language in which its examples are written.

Examples are templates, so that no text that looks like a secret stands in the repository, and so that tests can make as many
values of the format as they like: `{w36}` is 36 letters and digits. See `fill`.
"""

import random
import re
import string
from collections.abc import Callable
from dataclasses import dataclass, field

from agents.scan.hit import Severity

LEFT = r"(?:(?<![0-9A-Za-z])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2}))"
"""Where a token may begin: not inside a word; an escape of JSON or of a URL before it ends in a letter or digit but is no word."""

_UPPER, _LOWER, _DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
_ALPHABETS = {
    "w": string.ascii_letters + _DIGITS,
    "A": _UPPER + _DIGITS,
    "a": _LOWER + _DIGITS,
    "U": _UPPER,
    "l": _LOWER,
    "d": _DIGITS,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "b": string.ascii_letters + _DIGITS + "+/",
    "u": string.ascii_letters + _DIGITS + "-_",
    "2": _UPPER + "234567",
}
_HOLE = re.compile(r"\{([wAaUldhHbu2])(\d+)\}")


def fill(template: str, seed: int = 0) -> str:
    """A value of the format that a template tells: w letters and digits, A upper, a lower with digits, U and l letters, d digits, h and H
    hexadecimal, b base64, u base64url, 2 base32."""
    rng = random.Random(f"{seed}:{template}")
    return _HOLE.sub(lambda m: "".join(rng.choices(_ALPHABETS[m[1]], k=int(m[2]))), template)


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of credential.

    `kind`: its name in findings and placeholders; `vendor`: who issues it. `start`: Hyperscan expression of a fixed width that the
    one pass looks for; `rest`: Python expression of what follows. The value is what start and rest match together, or group `v` of
    rest. `left`: what must stand before it. `shown` and `near`: templates of a text that is caught and of one that is not.
    `also`: the confirmation, a last check of the value. `severity`: of its findings. `source`: where its format is told; left out, the
    vendor's page in `rules/sources.py`. `behind`: characters before `start` at which the value may begin (`start` then is not its
    beginning, and `left` + `lead` match what stands before). `sight`: Hyperscan expression that the pass looks for in place of a
    `start` that is in every other line; `start` then stands up to `behind` characters before its end.
    """

    kind: str
    vendor: str
    start: str
    rest: str
    shown: str
    near: str
    left: str = LEFT
    lead: str = ""
    behind: int = 0
    sight: str = ""
    also: Callable[[str], bool] | None = field(default=None)
    severity: Severity = "high"
    source: str = ""

    @property
    def pattern(self) -> re.Pattern[str]:
        """The whole of it, to be matched where `start` was seen (less `behind`)."""
        return re.compile(self.left + self.lead + self.start + self.rest)
