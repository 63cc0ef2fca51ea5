"""Decay of confidence with age (SPEC 5.6): one table of constants, from which Python and SQL read. Off where no half-life is set."""

from math import log

TYPE_FACTOR = {"fact": 1.0, "belief": 0.5, "experience": 1.5, "procedure": 2.0}
TESTED_FACTOR = 2.0
"""What has any outcome keeps twice as long."""


def half_life(base_days: float, memory_type: str, recalls: int, outcomes: int) -> float:
    """H in days. `base_days`: the setting, above 0; rows of a pool have no recalls (SPEC 7.8). Raises KeyError on another type."""
    return base_days * TYPE_FACTOR[memory_type] * (1 + log(1 + recalls)) * (TESTED_FACTOR if outcomes else 1.0)


def decayed(confidence: float, age_days: float, half_life_days: float) -> float:
    """Confidence as it reads at an age; a negative age (clocks differ) counts as none."""
    return float(confidence * 0.5 ** (max(0.0, age_days) / half_life_days))
