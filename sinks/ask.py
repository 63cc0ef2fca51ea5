"""A question to recall, and what is answered (SPEC 7)."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from schemas.records import Exposure

Scope = Literal["own", "org", "every", "walk", "area", "space"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question. `area`: where the caller works; `space`: the pool that scope `space` names; `depth`, own
    learnings: 1 hot, 2 + warm, 3 (SPEC 7.5).

    Raises ValueError where the scope is none or lacks what it needs.
    """

    org: str
    agent: str
    text: str
    scope: Scope = "every"
    area: str | None = None
    space: str | None = None
    limit: int = 10
    depth: int = 3

    def __post_init__(self) -> None:
        if self.scope not in get_args(Scope):
            raise ValueError(f"no scope {self.scope}: it is one of {', '.join(get_args(Scope))}")
        if self.scope in ("walk", "area") and not self.area:
            raise ValueError(f"scope {self.scope} needs an area")
        if self.scope == "space" and not self.space:
            raise ValueError("scope space needs a space")


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows as INTERFACES' `recall` tells them, best first; and what to write to the topic `recalls` (None: nobody known has asked)."""

    rows: list[dict[str, Any]]
    exposure: Exposure | None


@dataclass(frozen=True, slots=True)
class Brief:
    """A briefing: its rows, how many tokens they take, and how many rows the budget had no room for."""

    answer: Answer
    tokens: int
    left_out: int
