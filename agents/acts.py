"""What a reviewer may do to a learning or to a shared learning, and where it takes them (SPEC 2.12, 4.9), as tables.

An act that a table does not take from where a thing stands is refused and changes nothing.
"""

from collections.abc import Mapping

Moves = Mapping[tuple[str, str], str]
"""By where it stands and the act, where it stands then."""

VISIBILITY: Moves = {
    ("shown", "hide"): "hidden",
    ("hidden", "unhide"): "shown",
    ("shown", "demote"): "demoted",
    ("hidden", "demote"): "demoted",
}
"""Hidden can be undone; demoted is out of every recall for good, and kept."""
STATE: Moves = {
    ("held", "approve"): "active",
    ("held", "reject"): "rejected",
}
"""Of an agent's learning. `approve` only where nothing hard was found (SPEC 4.2)."""
POOL_STATE: Moves = {("active", "reject"): "rejected"}
"""Of a shared learning: `approve` there is a signature (SPEC 4.6), no state."""

DONE: Mapping[str, str] = {
    "hide": "hidden",
    "unhide": "unhidden",
    "demote": "demoted",
    "approve": "approved",
    "reject": "rejected",
    "lift": "lifted",
    "object": "objected",
    "retract": "retracted",
}
"""What an act is called once it is done: cause of a version, and decision."""
