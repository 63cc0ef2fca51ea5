"""What the scan of a run came to beside its clean texts: findings by field, values found, and the floor (SPEC 3.8, 3.9, 3.11)."""

from dataclasses import dataclass, field
from typing import Literal

from agents.scan.hit import Hit
from agents.scan.telling import Told

Floor = tuple[str, str | None]
FloorRule = Literal["standard", "strict", "narrow"]
"""What pulls learnings down (SPEC 3.11): what their run touched; in `strict`, any personal finding of it, a lone name or e-mail too; in
`narrow`, only findings in the wording or cue of a learning itself."""

_SHORTEST = 4
"""Shorter values are masked only where they were found: elsewhere they would be any word (SPEC 3.9)."""


@dataclass(slots=True)
class Found:
    """Collected over all fields of a run. `values`: what to mask wherever else it stands, with its kind and layer; `failed`: a detector
    raised, so that nobody knows what else there is. `secrets`, `personal`: kinds that set a floor; `anybody`: all personal kinds.
    """

    marks: list[tuple[str, Hit]] = field(default_factory=list)
    values: dict[str, tuple[str, str]] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    personal: set[str] = field(default_factory=set)
    anybody: set[str] = field(default_factory=set)
    failed: bool = False

    def hits(self, where: str, text: str, hits: list[Hit]) -> None:
        """Take note of hits in a field."""
        for hit in hits:
            self.marks.append((where, hit))
            if hit.mask:
                self.value(text[hit.start : hit.end], hit.kind, hit.layer)
            if hit.layer == "credential" and hit.hard:
                self.secrets.add(hit.kind)
            elif hit.floor:
                self.personal.add(hit.kind)
            if tells_somebody(hit):
                self.anybody.add(hit.kind)

    def met(self, marks: list[tuple[str, Hit]]) -> None:
        """Take note of what was found in a learning: it sets its run's floor too."""
        self.secrets.update(h.kind for _, h in marks if h.layer == "credential" and h.hard)
        self.personal.update(h.kind for _, h in marks if h.floor)
        self.anybody.update(h.kind for _, h in marks if tells_somebody(h))

    def told(self, where: str, told: Told) -> None:
        """Take note of a value that its key told."""
        self.value(told.value, told.kind, told.layer)
        if told.layer == "pii":
            self.anybody.add(told.kind)
        if told.layer == "credential":
            self.secrets.add(told.kind)
            self.marks.append((where, Hit("credential", told.kind, "high", 0, 0, hard=True)))
        elif told.floor:
            self.personal.add(told.kind)
            self.marks.append((where, Hit("pii", told.kind, "medium", 0, 0, floor=True)))

    def value(self, value: str, kind: str, layer: str) -> None:
        """A value to be masked wherever it stands."""
        if len(value) >= _SHORTEST:
            known = self.values.get(value)
            if known is None or layer == "credential" != known[1]:
                self.values[value] = (kind, layer)

    def floor(self, rule: FloorRule) -> Floor:
        """What the run pulls its learnings to, and the kinds of findings that do it."""
        unscanned = {"unscanned"} if self.failed else set()
        if rule == "narrow":
            return floor_of(unscanned, set())
        return floor_of(self.secrets | unscanned, self.anybody | self.personal if rule == "strict" else self.personal)


def floor_of(secrets: set[str], personal: set[str]) -> Floor:
    """`sensitive` for credentials, `agent_specific` for a person's own data, else `none`; with the kinds that it is for."""
    if secrets:
        return "sensitive", ", ".join(sorted(secrets))
    return ("agent_specific", ", ".join(sorted(personal))) if personal else ("none", None)


def tells_somebody(hit: Hit) -> bool:
    """Whether a finding is personal, be it a person's own data or not."""
    return hit.layer in ("pii", "card") or hit.kind == "email"
