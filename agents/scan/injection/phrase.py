"""What a rule about instructions to a reader is: injections are told by wording, so each is a phrase with its weight (SPEC 3.7)."""

import re
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Phrase:
    """Something that a text says to whoever reads it.

    `start`: Hyperscan expression, without case, of a word that the phrase holds; `pattern`: Python expression of the whole, looked
    for from `before` characters in front of that word to `ahead` behind it. `weight`: `strong` is a finding of medium by itself, `high`
    of high; `weak` is low by itself and medium beside pressure (`pressure`: urgency, authority, an address to the assistant), which
    alone is nothing. `shown` is caught, `near` is not: with medium or more.
    """

    kind: str
    weight: Literal["high", "strong", "weak", "pressure"]
    start: str
    pattern: str
    shown: str
    near: str
    before: int = 40
    ahead: int = 320

    @property
    def compiled(self) -> re.Pattern[str]:
        """The whole phrase, without case, `.` not across lines."""
        return re.compile(self.pattern, re.IGNORECASE)
