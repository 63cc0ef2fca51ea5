"""Who reads what: consumer groups and their topics, both without prefix."""

from collections.abc import Mapping

READERS: Mapping[str, tuple[str, ...]] = {
    "scan": ("runs", "outcomes", "writes", "reviews", "principals", "recalls", "erasures", "claim-writes"),
    "aggregate": ("learnings",),
    "promote": ("candidates",),
    "journal": ("decisions",),
    "sink": (
        "entries",
        "counters",
        "shared",
        "pool-members",
        "learnings",
        "identities",
        "episodes",
        "claims",
        "findings",
        "recalls",
        "decisions",
        "journal",
        "journal-texts",
        "journal-seals",
        "dead-letters",
        "erased",
        "requests",
        "receipts",
    ),
}
"""In the order in which records flow. Told here, since to ask the agents and the sink takes their engines' imports; a test compares."""
