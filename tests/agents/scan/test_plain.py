"""The ASCII copy of a text, and the way back to the original (SPEC 3.1, 3.8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.scan.plain import plain


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        ("plain ASCII", "plain ASCII"),
        ("ign\u043ere", "ignore"),  # Cyrillic o
        ("\uff49\uff47\uff4e\u3000x", "ign x"),  # full width
        ("ig\u200bno\u2060re", "ignore"),  # invisible
        ("caf\u00e9 \u201cx\u201d \u2014 y", 'cafe "x" - y'),
        ("\ufb01x", "fix"),  # one character read as two
    ],
)
def test_reads_as(text: str, copy: str) -> None:
    assert plain(text).ascii == copy


@given(st.text(st.characters(), max_size=60))
def test_every_span_of_the_copy_leads_into_the_original(text: str) -> None:
    copy = plain(text)
    assert copy.ascii.isascii()
    for at in range(len(copy.ascii)):
        start, end = copy.span(at, at + 1)
        assert 0 <= start < end <= len(text)
        shown = plain(text[start:end]).ascii
        assert copy.ascii[at] in shown
