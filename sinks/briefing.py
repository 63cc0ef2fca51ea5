"""A briefing: recall without a question (SPEC 7.9), within a budget of tokens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sinks.ranking import Match

CHARACTERS_A_TOKEN = 4
"""Of English, as the tokenizers of language models count in the mean."""
NEWLY = timedelta(days=7)
"""So long what was discredited is warned of; then it is left out."""
_ORDER = ("instruction", "procedure", "learning", "caution")
_FIRST = ("instruction", "caution", "procedure", "learning")
"""Who gets room first: a warning is short, and worth more than one learning more."""


@dataclass(frozen=True, slots=True)
class Part:
    """A row of a briefing, and why it is in it."""

    section: str
    match: Match
    why: str

    @property
    def tokens(self) -> int:
        """What its wording takes."""
        return -(-len(self.match.row["rule"] + self.match.row["value"]) // CHARACTERS_A_TOKEN)


@dataclass(slots=True)
class Chosen:
    """What a briefing holds, in its order. `left_out`: rows that found no room."""

    parts: list[Part] = field(default_factory=list)
    tokens: int = 0
    left_out: int = 0


def choose(instructions: Sequence[Match], others: Sequence[Match], environment: Mapping[str, str], budget: int, now: datetime) -> Chosen:
    """Instructions in force, procedures of the environment, hot learnings by rank, and what is doubtful apart; at most `budget` tokens.

    A procedure's environment is the caller's where no key that both tell has another value.
    """
    for match in others:
        match.relevance = 1.0  # nothing was asked: trust and recency alone order them
    ranked = sorted(others, key=lambda m: m.order(now))
    parts = [Part("instruction", match, "an instruction in force") for match in instructions]
    parts += [part for match in ranked for part in _part(match, environment, now)]
    chosen = Chosen()
    for part in sorted(parts, key=lambda part: _FIRST.index(part.section)):
        if chosen.tokens + part.tokens <= budget:
            chosen.parts.append(part)
            chosen.tokens += part.tokens
        else:
            chosen.left_out += 1
    chosen.parts.sort(key=lambda part: _ORDER.index(part.section))
    return chosen


def _part(match: Match, environment: Mapping[str, str], now: datetime) -> Iterator[Part]:
    row, status = match.row, match.row["evidence_status"]
    if status == "discredited":
        if now - row["at"] <= NEWLY:
            yield Part("caution", match, "newly discredited: do not rely on it")
    elif status == "contested":
        yield Part("caution", match, "contested: it was tried and has failed too")
    elif row["contradicts"]:
        yield Part("caution", match, "another says the opposite")
    elif row["memory_type"] == "procedure":
        if all(environment.get(key, value) == value for key, value in row["environment"].items()):
            yield Part("procedure", match, "a procedure of this environment")
    else:
        yield Part("learning", match, "hot" if match.own else str(row["trust"]).replace("_", " "))
