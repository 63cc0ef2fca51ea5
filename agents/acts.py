"""What a reviewer may do to a learning, an agent or a shared learning, and where it takes them (SPEC 2.12, 4.9), as tables.

An act that a table does not take from where a thing stands is refused and changes nothing.
"""

from collections.abc import Mapping

_REVIEWERS, _ADMINISTRATORS = frozenset({"reviewer", "administrator"}), frozenset({"administrator"})
MAY: Mapping[str, frozenset[str]] = {
    "approve": _REVIEWERS,
    "reject": _REVIEWERS,
    "object": _REVIEWERS,
    "retract": _REVIEWERS,
    "demote": _REVIEWERS,
    "hide": _REVIEWERS,
    "unhide": _REVIEWERS,
    "lift": _REVIEWERS,
    "rollback": _REVIEWERS,
    "merge": _REVIEWERS,
    "split": _REVIEWERS,
    "ban": _ADMINISTRATORS,
    "unban": _ADMINISTRATORS,
    "erase": _ADMINISTRATORS,
}
"""Roles of which one is needed for an act, in the space that it is about or in the whole organisation: the policy (SPEC 4.9).

Beyond it nobody acts on their own, and whoever starts a merge or a split cannot finish it: no role changes that."""

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
    "rollback": "rolled_back",
    "merge": "merged",
    "split": "split",
    "ban": "banned",
    "unban": "unbanned",
}
"""What an act is called once it is done: cause of a version, and decision."""
