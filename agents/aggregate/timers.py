"""When to look at what again: expiry, time to live, the end of a wait. Kept by day, so that nothing is scanned to find what is due."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from agents.aggregate import keys
from agents.aggregate.view import PARTITION, View
from schemas.records import Timer, TimerDay, Timers

PART = 64
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


def wake(view: View, due: datetime, key: bytes) -> None:
    """Look at the value under `key` once stream time is `due`."""
    state = view.partition
    day = (due - _EPOCH) // _DAY
    count = next((d.count for d in state.timers if d.day == day), 0)
    part = keys.timers(day, count // PART)
    held = view.get(Timers, part)
    view.put(part, Timers(timers=(*(held.timers if held else ()), Timer(due=due, key=key))))
    days = sorted([*(d for d in state.timers if d.day != day), TimerDay(day=day, count=count + 1)], key=lambda d: d.day)
    first = due if state.next_due is None else min(due, state.next_due)
    view.put(PARTITION, replace(state, timers=tuple(days), next_due=first))


def take_due(view: View, clock: datetime) -> list[bytes]:
    """Keys whose time has come, by time; they are not due again."""
    state = view.partition
    if state.next_due is None or state.next_due > clock:
        return []
    today = (clock - _EPOCH) // _DAY
    due: list[Timer] = []
    later: list[Timer] = []
    for day in (d for d in state.timers if d.day <= today):
        for part in range(-(-day.count // PART)):
            key = keys.timers(day.day, part)
            held = view.get(Timers, key)
            for timer in held.timers if held else ():
                (due if timer.due <= clock else later).append(timer)
            view.put(key, None)
    rest = tuple(d for d in state.timers if d.day > today)
    view.put(PARTITION, replace(state, timers=rest, next_due=_first(view, rest)))
    for timer in later:
        wake(view, timer.due, timer.key)
    return list(dict.fromkeys(t.key for t in sorted(due, key=lambda t: t.due)))


def _first(view: View, days: tuple[TimerDay, ...]) -> datetime | None:
    if not days:
        return None
    parts = (view.get(Timers, keys.timers(days[0].day, part)) for part in range(-(-days[0].count // PART)))
    return min(t.due for part in parts if part for t in part.timers)
