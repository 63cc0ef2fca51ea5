"""The goal that a direct write may carry: it is kept as given, so it may hold no credential (SPEC 3.12)."""

from agents.scan.detect import detect


def credential_in(goal: str) -> bool:
    """Whether the scan finds a credential in a goal. A detector that raises is as good as a finding (SPEC 3.10)."""
    try:
        return any(hit.layer == "credential" for hit in detect(goal))
    except Exception:
        return True
