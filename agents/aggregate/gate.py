"""The gate: the seven conditions under which a learning becomes a candidate (SPEC 6.1), as data, and what of it may cross (SPEC 2.11)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from agents.aggregate.evidence import trust
from schemas.records import CandidateCleared, Condition, Figures, Learning
from schemas.store import SCHEMAS


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What the operator asks of evidence: least number of applications, least share of them reported helpful (inclusive)."""

    min_applied: int = 3
    min_success_ratio: float = 0.70


@dataclass(frozen=True, slots=True)
class Standing:
    """What the gate looks at."""

    privacy: str
    state: str
    visibility: str
    bindings: int
    enabled: bool
    figures: Figures


Check = Callable[[Standing, GatePolicy], tuple[bool, str, str]]  # holds, figure, needed


def _privacy(s: Standing, _: GatePolicy) -> tuple[bool, str, str]:
    return s.privacy == "shareable", s.privacy, "shareable"


def _state(s: Standing, _: GatePolicy) -> tuple[bool, str, str]:
    return (s.state, s.visibility) == ("active", "shown"), f"{s.state}, {s.visibility}", "active, shown"


def _binding(s: Standing, _: GatePolicy) -> tuple[bool, str, str]:
    return s.bindings == 0, str(s.bindings), "0"


def _enabled(s: Standing, _: GatePolicy) -> tuple[bool, str, str]:
    return s.enabled, "yes" if s.enabled else "no", "yes"


def _trust(s: Standing, _: GatePolicy) -> tuple[bool, str, str]:
    rung = trust(s.figures)
    return rung != "recorded", rung, "agent_verified"


def _applied(s: Standing, policy: GatePolicy) -> tuple[bool, str, str]:
    return s.figures.applied >= policy.min_applied, str(s.figures.applied), str(policy.min_applied)


def _ratio(s: Standing, policy: GatePolicy) -> tuple[bool, str, str]:
    ratio = s.figures.helpful / s.figures.applied if s.figures.applied else 0.0
    return ratio >= policy.min_success_ratio, str(ratio), str(policy.min_success_ratio)


CHECKS: Mapping[str, Check] = {
    "privacy": _privacy,
    "state": _state,
    "binding": _binding,
    "enabled": _enabled,
    "trust": _trust,
    "applied": _applied,
    "ratio": _ratio,
}


def judge(standing: Standing, policy: GatePolicy) -> tuple[Condition, ...]:
    """Each condition with its figure and what it needs, in the order of CHECKS."""
    out = []
    for name, check in CHECKS.items():
        holds, figure, needed = check(standing, policy)
        out.append(Condition(condition=name, holds=holds, figure=figure, needed=needed))
    return tuple(out)


def bits(conditions: tuple[Condition, ...]) -> int:
    """Which conditions hold, a bit each."""
    return sum(1 << i for i, c in enumerate(conditions) if c.holds)


ALL = (1 << len(CHECKS)) - 1


def promotable(schema: Mapping[str, Any]) -> frozenset[str]:
    """Names of the fields that a learning's schema lets cross."""
    return frozenset(f["name"] for f in schema["fields"] if f["crossing"] == "promotable")


def crossing_names(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the fields that a learning's schema lets cross and that a candidate has."""
    return tuple(sorted(promotable(schema) & {f.name for f in fields(CandidateCleared)}))


CROSSING = crossing_names(SCHEMAS["Learning"].tree)


def crossing_fields(learning: Learning, names: Sequence[str] = CROSSING) -> dict[str, Any]:
    """What of a learning goes into its candidate; its value only where it is the body of the rule, a procedure's."""
    out = {name: getattr(learning, name) for name in names}
    if learning.memory_type != "procedure":
        out["value"] = None
    return out
