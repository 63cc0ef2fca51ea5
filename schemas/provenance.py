"""Provenance tier of a learning (SPEC 2.10): computed where it is read, never stored."""

PRODUCTION = ("agent/", "prod/", "prod-")
TEST = ("dev/", "dev-", "test/", "test-")
SEEDED = ("manual/", "seed/", "human/")


def provenance_tier(agent: str, outcomes: int) -> int:
    """1 (production, proven in use) to 4 (put there by hand)."""
    if agent.startswith(PRODUCTION):
        return 1 if outcomes else 2
    if agent.startswith(TEST):
        return 3
    if agent.startswith(SEEDED):
        return 4
    return 2 if outcomes else 3
