"""Nothing that is fed makes a scan take more than its share: time grows with size, not with its square (SPEC 3.7, DESIGN "The scanner")."""

import time

import pytest

from agents.scan.text import scan_text

_SMALL, _LARGE = 10_000, 40_000


_PIECES = [
    *(
        "a.",
        "\n",
        "a",
        " ",
        "1 ",
        "4111",
        "key=",
        "password: ",
        "'\"",
        "([{<",
        "a@",
        "x://a:b@",
        "-",
        "eyJabcdefghijkl-",
        "ignore all previous ",
    ),
    *("<!-- ", "a\u200b", "\U0001f600x", "e\u0301", "Mina Okafor ", "Suite 12 ", "phone 0123 ", "YWJj" * 10 + " ", "[x:1]", "Bot: Hi\n"),
    "-----BEGIN RSA PRIVATE KEY-----\nABCDabcd",
]


@pytest.mark.parametrize("piece", _PIECES)
def test_time_grows_with_size(piece: str) -> None:
    scan_text("warm up: Zxqw Vbnm")
    small, large = (min(_seconds((piece * (n // len(piece) + 1))[:n]) for _ in range(2)) for n in (_SMALL, _LARGE))
    # Four times the text: sixteen times the time would be a square; below a few milliseconds a clock tells nothing.
    assert large < 9 * max(small, 0.01)


def _seconds(text: str) -> float:
    began = time.process_time()
    scan_text(text)
    return time.process_time() - began
