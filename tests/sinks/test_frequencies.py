"""Frequencies that recall remembers: what was read stands a while, what is new is found at once."""

from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from sinks import frequencies, postings, words
from sinks.frequencies import Frequencies
from sinks.writer import Writer
from tests.sinks import records as r

AUDIENCES = (postings.own(r.AGENT), postings.pool("sales"))
REFUND, STATUS = words.stem_hash("refund"), words.stem_hash("status")


def _read(known: Frequencies) -> tuple[int, dict[int, int]]:
    size, holders = known.read(r.ORG, AUDIENCES, {REFUND, STATUS})
    return size, dict(holders)


def _own(text: str, number: int) -> Any:
    return r.learning(text, entry_key=f"a/{number}", tools=())


def test_what_is_new_is_found_at_once(client: Client, writer: Writer) -> None:
    """SPEC 7: what has come to its end is found; how many there are in all, which moves a rank little, may be of a moment ago."""
    known = Frequencies(client)
    assert _read(known) == (0, {})
    writer.write(r.messages(_own("refund", 1)))
    assert _read(known)[1] == {REFUND: 1}
    writer.write(r.messages(r.shared("status", space="sales", tools=()), first_offset=1))
    assert _read(known)[1] == {REFUND: 1, STATUS: 1}


@pytest.mark.parametrize(("stands", "seen"), [(1e9, 1), (-1.0, 2)], ids=["while it is fresh", "then it is read again"])
def test_what_was_read_stands(client: Client, writer: Writer, monkeypatch: pytest.MonkeyPatch, stands: float, seen: int) -> None:
    monkeypatch.setattr(frequencies, "FRESH_SECONDS", stands)
    known = Frequencies(client)
    writer.write(r.messages(_own("refund status", 1)))
    _read(known)
    writer.write(r.messages(_own("refund status", 2), first_offset=1))
    assert _read(known) == (seen, {REFUND: seen, STATUS: seen})


def test_few_audiences_are_remembered(client: Client, writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frequencies, "MOST", 1)
    writer.write(r.messages(_own("refund", 1), r.shared("refund", space="sales", tools=())))
    known = Frequencies(client)
    assert _read(known) == _read(known) == (2, {REFUND: 2})
