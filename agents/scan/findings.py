"""What the scan of a run came to beside its clean texts: findings by field, values found, and the floor (SPEC 3.8, 3.9, 3.11)."""

from dataclasses import dataclass, field

from agents.scan.hit import Hit
from agents.scan.telling import Told

_SHORTEST = 4
"""Shorter values are masked only where they were found: elsewhere they would be any word (SPEC 3.9)."""


@dataclass(slots=True)
class Found:
    """Collected over all fields of a run. `values`: what to mask wherever else it stands, with its kind and layer; `failed`: a detector
    raised, so that nobody knows what else there is."""

    marks: list[tuple[str, Hit]] = field(default_factory=list)
    values: dict[str, tuple[str, str]] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    personal: set[str] = field(default_factory=set)
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

    def told(self, where: str, told: Told) -> None:
        """Take note of a value that its key told."""
        self.value(told.value, told.kind, told.layer)
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

    @property
    def floor(self) -> tuple[str, str | None]:
        """What the run pulls its learnings to, and the kinds of findings that do it."""
        if self.secrets or self.failed:
            return "sensitive", ", ".join([*sorted(self.secrets), *(["unscanned"] if self.failed else [])])
        if self.personal:
            return "agent_specific", ", ".join(sorted(self.personal))
        return "none", None
