"""A copy of a changelog holds what it held up to an offset, and knows which; in memory and on disk alike."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.binding.rocks import RocksStates, on_disk
from agents.binding.states import MemoryStates, States, in_memory

New = Callable[[Path], States]


@pytest.fixture(params=[lambda _: MemoryStates(), RocksStates], ids=["memory", "rocksdb"])
def new(request: pytest.FixtureRequest) -> New:
    made: New = request.param
    return made


def test_what_is_applied_is_read_until_it_is_removed(new: New, tmp_path: Path) -> None:
    states = new(tmp_path)
    states.keep({0, 1})
    assert (states.offset(0), states.reader(0)(b"a")) == (None, None)
    states.apply(0, {b"a": b"1", b"b": b"2"}, 0)
    states.apply(0, {b"a": None, b"c": b"3"}, 4)
    states.apply(1, {b"a": b"other"}, 2)
    assert [states.reader(0)(key) for key in (b"a", b"b", b"c")] == [None, b"2", b"3"]
    assert (states.reader(1)(b"a"), states.offset(0), states.offset(1)) == (b"other", 4, 2)


@pytest.mark.parametrize(
    ("offset", "read", "copied"),
    [
        (0, b"new", 0),  # the copy is as it was
        (1, b"newer", 1),
        (None, b"newer", 0),  # the broker did not tell where: it is in the changelog, somewhere behind
    ],
)
def test_what_is_copied_already_changes_nothing(new: New, tmp_path: Path, offset: int | None, read: bytes, copied: int) -> None:
    states = new(tmp_path)
    states.keep({0})
    states.apply(0, {b"a": b"new"}, 0)
    states.apply(0, {b"a": b"newer"}, offset)
    assert (states.reader(0)(b"a"), states.offset(0)) == (read, copied)


def test_a_partition_that_is_let_go_is_forgotten_and_not_written(new: New, tmp_path: Path) -> None:
    """Half a copy with an offset would pass for a whole one."""
    states = new(tmp_path)
    states.keep({0, 1})
    states.apply(0, {b"a": b"1"}, 7)
    states.keep({1})
    states.apply(0, {b"b": b"late"}, 9)
    states.keep({0, 1})
    assert (states.offset(0), states.reader(0)(b"a"), states.reader(0)(b"b")) == (None, None, None)


def test_on_disk_it_is_there_after_a_restart_but_not_for_a_changelog_made_anew(tmp_path: Path) -> None:
    states = on_disk(tmp_path)("aggregate", "epoch-1")
    states.keep({3})
    states.apply(3, {b"a": b"1"}, 5)
    states.close()
    again, anew = on_disk(tmp_path)("aggregate", "epoch-1"), on_disk(tmp_path)("aggregate", "epoch-2")
    again.keep({3})
    anew.keep({3})
    assert (again.offset(3), again.reader(3)(b"a"), anew.offset(3)) == (5, b"1", None)
    assert in_memory("aggregate", "epoch-1").offset(3) is None


def test_a_copy_that_was_not_kept_up_for_long_is_made_anew(tmp_path: Path) -> None:
    """A changelog forgets that it forgot: removed states are told of for a day only."""
    states = RocksStates(tmp_path)
    states.keep({0})
    states.apply(0, {b"a": b"1"}, 5)
    states.close()
    yesterday = time.time() - 24 * 3600
    for file in (tmp_path / "0").iterdir():
        os.utime(file, (yesterday, yesterday))
    again = RocksStates(tmp_path)
    again.keep({0})
    assert again.offset(0) is None
