"""The second gate (SPEC 6.8): it has a key of its own, and looks at a promotion by what its entry says, not at how it came about."""

from collections.abc import Callable, Iterator, Mapping

from schemas.records import JournalEntry

PROVISIONAL = "promoted"
"""The decision that is provisional until a second gate countersigned it."""


def objections(entry: JournalEntry, min_applied: int, min_success_ratio: float) -> Iterator[str]:
    """Conditions of SPEC 6.1 that the figures of a promotion do not show to hold, by their names."""
    needed: Mapping[str, Callable[[str], bool]] = {
        "privacy": lambda f: f == "shareable",
        "state": lambda f: f == "active, shown",
        "binding": lambda f: f == "0",
        "enabled": lambda f: f == "yes",
        "trust": lambda f: f in ("agent_verified", "source_verified", "corroborated"),
        "applied": lambda f: _number(f) >= min_applied,
        "ratio": lambda f: _number(f) >= min_success_ratio,
    }
    for name, holds in needed.items():
        if not holds(entry.figures.get(name, "")):
            yield name


def _number(figure: str) -> float:
    try:
        return float(figure)
    except ValueError:
        return -1.0
