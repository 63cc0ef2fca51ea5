"""What a reviewer's act is about, looked up, and the record that says it (SPEC 4.9)."""

from collections.abc import Mapping
from typing import Any

from clickhouse_connect.driver.client import Client

from schemas.ids import ids_of
from schemas.records import LearningDraft, Review, Write
from sinks import reviews

_LISTS = ("tools", "goal_phrases", "pattern_refs", "value_bindings")
_WHERE = ("session", "work_area", "space", "producer")


def look(client: Client, secret: bytes, org: str, agent: str | None, branch: str, target: str) -> dict[str, Any] | None:
    """A learning by its entry key and agent, or a pool's row by its ref, as a reviewer sees it; None where there is none."""
    if "/" in target:
        return reviews.learning(client, org, agent, branch, target) if agent else None
    ref = ids_of(secret, org).read_ref(target)
    return reviews.shared(client, org, ref.subject) if ref is not None and not ref.own else None


def review(org: str, found: Mapping[str, Any], act: str, reviewer: str, reason: str | None, **more: Any) -> Review:
    """An act on what was looked up, in the wording that was seen; `more`: `into` or `write`."""
    return Review(
        org=org,
        subject=found["subject"],
        agent=found["agent"] or None,
        space=found["space"] or None,
        act=act,
        reviewer=reviewer,
        reason=reason,
        wording=None if act == "rollback" else found["wording"],
        **more,
    )


def ban(org: str, agent: str, act: str, reviewer: str, reason: str | None) -> Review:
    """A ban of an agent's next writes, or its end."""
    return Review(org=org, subject=agent, agent=agent, act=act, reviewer=reviewer, reason=reason)


def write_again(org: str, agent: str, branch: str, entry: str, version: int, old: Mapping[str, Any]) -> Write:
    """What makes an old version the newest; `old`: as it was written (`sinks.queries.written`)."""
    said: dict[str, Any] = {name: tuple(value) if name in _LISTS else value for name, value in old.items() if name not in _WHERE}
    learning = LearningDraft(entry_key=entry, branch=branch, **said)
    return Write(org=org, agent=agent, learning=learning, rollback_to=version, **{name: old[name] for name in _WHERE})
