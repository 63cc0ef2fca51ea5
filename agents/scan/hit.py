"""What a detector sees in a text: kind, severity and place; never the value (SPEC 3.8)."""

from typing import Literal, NamedTuple

Layer = Literal["credential", "card", "identifier", "pii", "injection", "crosscheck"]
Severity = Literal["info", "low", "medium", "high"]

RANK: dict[str, int] = {"info": 0, "low": 1, "medium": 2, "high": 3}


class Hit(NamedTuple):
    """A finding in one text. `start` and `end` count characters of that text; `mask`: whether the characters are taken out of it.

    `floor`: whether it is a person's own data (SPEC 3.11).
    """

    layer: Layer
    kind: str
    severity: Severity
    start: int
    end: int
    hard: bool = False
    mask: bool = True
    floor: bool = False
