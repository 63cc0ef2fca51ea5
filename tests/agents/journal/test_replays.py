"""SPEC 6.8: a crash makes the journal send entries again; on a topic that is no second entry."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from agents.journal import replays
from agents.journal.chain import sign
from agents.journal.replays import Replays
from agents.journal.verify import verify
from schemas.records import JournalEntry
from tests.agents.journal.test_chain import KEY, KEYS, OTHER
from tests.agents.journal.test_verify import CHAIN, forged

CASES: list[tuple[str, Callable[[list[JournalEntry]], list[JournalEntry]], str | None]] = [
    ("a batch again", lambda c: [*c[:6], *c[3:6], *c[6:]], None),
    ("signed again by a key that was rotated in", lambda c: [*c[:4], sign(c[3], OTHER), *c[4:]], None),
    ("its place with another content", lambda c: [*c[:4], forged(c, 4, KEY), *c[4:]], "repeated"),
    ("another content, then itself", lambda c: [*c[:3], forged(c, 4, KEY), *c[3:]], "repeated"),
]


@pytest.mark.parametrize(("tamper", "problem"), [pytest.param(*c[1:], id=c[0]) for c in CASES])
def test_what_is_the_same_is_left_out(tamper: Callable[[list[JournalEntry]], list[JournalEntry]], problem: str | None) -> None:
    known = Replays()
    entries = [e for e in tamper(list(CHAIN)) if not known.again(e)]
    assert verify("acme", "public", entries, KEYS).problem == problem


def test_chains_are_kept_apart() -> None:
    known = Replays()
    assert not known.again(CHAIN[0])
    assert not known.again(replace(CHAIN[0], chain="restricted"))
    assert known.again(CHAIN[0])


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "_KEPT", 3)
    known = Replays()
    assert [known.again(e) for e in CHAIN[:4]] == [False] * 4
    assert [known.again(e) for e in (CHAIN[3], CHAIN[0])] == [True, False]
