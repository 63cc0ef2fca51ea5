"""How a match ranks, and why (SPEC 7.3): relevance × (1 + 0.5·trust + 0.3·recency), artifacts half, the discredited last."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sinks import words

TRUST = 0.5
RECENCY = 0.3
ARTIFACT = 0.5
FORGETTING = 0.1
"""Recency is e^(-0.1 · age in days), as in SPEC 5.8."""
STANDING = {"discredited": 0, "contested": 1, "untested": 2, "validated": 3}
"""Status is read before the number (SPEC 5.5): each has a quarter of the scale to itself, and confidence moves within it."""
_DAY = 86_400.0


@dataclass(slots=True)
class Match:
    """A row of `learnings` (own) or `pool` that may be shown, and how well it matches (by words, and by meaning where there is a
    model; 0 for what is shown unasked). `near`: cosine of what it and the question mean."""

    row: Mapping[str, Any]
    own: bool
    relevance: float = 0.0
    near: float | None = None

    @property
    def subject(self) -> str:
        """Learning id or shared id."""
        return str(self.row["subject"])

    @property
    def wording(self) -> str:
        """Hash of the wording in force."""
        return str(self.row["wording"])

    @property
    def section(self) -> str:
        """instruction, procedure or learning. An instruction is in force in a pool only: there somebody else has signed it (SPEC 4.6)."""
        if self.row["kind"] == "instruction" and not self.own:
            return "instruction"
        return "procedure" if self.row["memory_type"] == "procedure" else "learning"

    @property
    def area(self) -> str | None:
        """Where an own learning was written."""
        return (self.row["work_area"] or None) if self.own else None

    def levels_up(self, area: str | None) -> int | None:
        """How many levels above `area` it was written; None: elsewhere, nowhere or in a pool. 0 where no area was asked for."""
        if not self.own:
            return None
        if area is None:
            return 0
        here, there = area.split("/"), self.area.split("/") if self.area else []
        return len(here) - len(there) if there and here[: len(there)] == there else None

    def trust(self) -> float:
        """0 to 1: evidence status first, confidence within it."""
        return (STANDING[self.row["evidence_status"]] + float(self.row["confidence"])) / len(STANDING)

    def score(self, now: datetime) -> float:
        """What it ranks by."""
        age = max(0.0, (now - self.row["at"]).total_seconds()) / _DAY
        score = self.relevance * (1 + TRUST * self.trust() + RECENCY * math.exp(-FORGETTING * age))
        return score * ARTIFACT if self.own and self.row["is_artifact"] else score

    def order(self, now: datetime) -> tuple[bool, float, str]:
        """Sorts the best first."""
        return self.row["evidence_status"] == "discredited", -self.score(now), self.subject

    def shown(self, text: str, area: str | None, ref: str, now: datetime) -> dict[str, Any]:
        """The row as INTERFACES' `recall` tells it, without its recall id (SPEC 7.7)."""
        row, unranked = self.row, self.relevance == 0
        return {
            "ref": ref,
            "section": self.section,
            "entry_key": row["entry_key"] if self.own else None,
            "rule": row["rule"],
            "value": json.loads(row["value"]) if row["value"] else None,
            "space": row["space"] or None,
            "area": self.area,
            "levels_up": self.levels_up(area),
            "state": row["state"],
            "evidence_status": row["evidence_status"],
            "confidence": row["confidence"],
            "applied": row["applied"],
            "helpful": row["helpful"],
            "trust": row["trust"],
            "tier": row["tier"] if self.own else None,
            "score": None if unranked else round(self.score(now), 4),
            "why": "an instruction in force" if unranked else self._why(text, now),
        }

    def _why(self, text: str, now: datetime) -> str:
        row = self.row
        held = set(words.stems(" ".join((row["rule"], words.json_text(row["value"]), *row["tools"]))))
        asked = dict.fromkeys(word.lower() for word in text.split() if held & set(words.stems(word)))
        days = max(0, (now - row["at"]).days)
        reasons = [
            f"matches {', '.join(asked)} ({self.relevance:.2f})",
            f"{row['evidence_status']} at {row['confidence']:.2f}, {row['helpful']} of {row['applied']} helpful",
            str(row["trust"]).replace("_", " "),
            "changed today" if days == 0 else f"changed {days} days ago" if days > 1 else "changed yesterday",
        ]
        if self.near is not None:
            reasons.insert(1, f"near in meaning ({self.near:.2f})")
        if self.own and row["is_artifact"]:
            reasons.append("artifact, ranks at half")
        if row["state"] != "active":
            reasons.append(row["state"])
        if row["contradicts"]:
            reasons.append("contradicted by another")
        return "; ".join(reasons)
