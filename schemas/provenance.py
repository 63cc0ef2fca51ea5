"""Provenance tier of a learning (SPEC 2.10): computed where it is read, never stored. Python and SQL read one table."""

TIERS: tuple[tuple[str, int, int], ...] = (
    *((prefix, 1, 2) for prefix in ("agent/", "prod/", "prod-")),
    *((prefix, 3, 3) for prefix in ("dev/", "dev-", "test/", "test-")),
    *((prefix, 4, 4) for prefix in ("manual/", "seed/", "human/")),
    ("", 2, 3),
)
"""What an agent's id begins with, and its tier with outcomes and without: the first that fits."""


def provenance_tier(agent: str, outcomes: int) -> int:
    """1 (production, proven in use) to 4 (put there by hand)."""
    tested, untested = next((tested, untested) for prefix, tested, untested in TIERS if agent.startswith(prefix))
    return tested if outcomes else untested
