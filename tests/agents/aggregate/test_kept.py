"""DESIGN "State is small and flat": segments of 64, the latest 4,096 of which count as kept."""

from collections.abc import Iterator

import pytest

from agents.aggregate.kept import NO_LINK, RETAINED, SEGMENT, WINDOW, Kept
from agents.aggregate.view import View
from agents.binding.batch import Incoming
from schemas.records import KeptRun
from tests.agents.aggregate.log import START, nothing


def hashed(number: int) -> bytes:
    return number.to_bytes(8, "big")


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    view = View(nothing, Incoming("learnings", "log", 0, 0, START, b"", b""))
    kept = Kept(view, b"R:", 0)
    for number in range(RETAINED + 2 * SEGMENT):
        parent = hashed(number - 1) if number % 10 == 0 and number else NO_LINK
        assert kept.append(hashed(number), hashed(number * 2), parent, number, KeptRun(floor="none", reason=str(number))) == number
    yield kept


def test_found_by_id_while_kept(kept: Kept) -> None:
    newest = kept.count - 1
    assert kept.find(hashed(newest)) == [newest]
    assert kept.find(hashed(newest - WINDOW + 1)) == [newest - WINDOW + 1]
    assert kept.find(hashed(newest - WINDOW)) == []
    assert kept.find(hashed(newest - WINDOW), beyond=True) == [newest - WINDOW]
    assert kept.find(hashed(0), beyond=True) == []
    assert kept.find(bytes(3) + hashed(newest)[:5]) == []  # across two ids


def test_what_is_kept_of_each(kept: Kept) -> None:
    number = kept.count - 70
    entry = kept.entry(KeptRun, number)
    assert entry and entry.reason == str(number)
    assert (kept.id(number), kept.content(number)) == (hashed(number), hashed(number * 2))
    assert kept.entry(KeptRun, 0) is None and kept.entry(KeptRun, kept.count) is None
    assert [n for n, _ in kept.after(KeptRun, kept.count - 3)] == [kept.count - 2, kept.count - 1]


def test_linked(kept: Kept) -> None:
    number = kept.count // 10 * 10 - 10
    assert kept.linked(hashed(number - 1)) == [number]
    assert kept.link(number) == hashed(number - 1) and kept.link(number + 1) == NO_LINK


@pytest.mark.parametrize(("ago", "late"), [(WINDOW - 1, False), (WINDOW, True), (0, False), (RETAINED, True)])
def test_late(kept: Kept, ago: int, late: bool) -> None:
    """SPEC 5.2: older than all of the latest 4,096."""
    assert kept.is_late(kept.count - 1 - ago) is late


def test_nothing_is_late_while_there_is_room() -> None:
    view = View(nothing, Incoming("learnings", "log", 0, 0, START, b"", b""))
    kept = Kept(view, b"R:", 0)
    kept.append(hashed(1), hashed(1), NO_LINK, 100, KeptRun(floor="none"))
    assert not kept.is_late(1)


def test_old_segments_go(kept: Kept) -> None:
    states = kept.view.states
    kept.view.keep()
    assert states(0)[b"R:2"] is not None
    assert b"R:0" not in states(0)
