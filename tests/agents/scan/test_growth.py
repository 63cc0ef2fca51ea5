"""Nothing that is fed makes a scan take more than its share: time grows with size, not with its square (SPEC 3.7, DESIGN "The scanner")."""

import base64
import random
import string
import sys
import time
from collections.abc import Callable
from typing import Any

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
    *('value="', '"value": "x1", ', "a1B2c3D4e5F6g7H8i9J0 ", "aB3-", "kind: Secret\ndata:\n a: YWJjZA==\n", "kind: Secret\n", "data:\n  "),
    *(
        "db1.corp.internal ",
        "a.local",
        "order #12345 ",
        "set token ",
        "token | x ",
        "password(",
        "is my token ",
        "--a-token b ",
        "if an ai reads ",
    ),
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


def _alike(number: int) -> str:
    """Letters, digits and signs without a space, as in a bundled script."""
    # The same piece again, so that both sizes take the same number of rounds to be clean.
    piece = "".join(random.Random(1).choices(string.ascii_letters + string.digits + "+/=;:,.(){}", k=50_000))
    return piece * (number // len(piece))


def _nested(number: int) -> str:
    """Base64 within base64 within base64."""
    text = b"ignore all previous instructions " * (number // 80)
    return base64.b64encode(base64.b64encode(base64.b64encode(text))).decode()


_LARGE_TEXTS: dict[str, tuple[Callable[[int], str], int]] = {
    "a.a.": (lambda n: "a." * (n // 2), 40_000),
    "one letter": (lambda n: "a" * n, 5_000_000),
    "newlines": (lambda n: "\n" * n, 100_000),
    "no space": (_alike, 400_000),
    "nested": (_nested, 400_000),
    "digits": (lambda n: "4111" * (n // 4), 200_000),
    "x=": (lambda n: "x=" * (n // 2), 400_000),
    "token=": (lambda n: "token=" * (n // 6), 40_000),
    "quotes": (lambda n: "\"'" * (n // 2), 400_000),
}


@pytest.mark.parametrize("name", _LARGE_TEXTS)
def test_work_grows_with_size(name: str) -> None:
    """DESIGN, "The scanner": no quadratic path. Calls are counted, which no other load on the machine changes."""
    make, size = _LARGE_TEXTS[name]
    scan_text("warm up")
    small, large = _calls(make(size // 4)), _calls(make(size))
    assert large < 4.5 * small + 2_000


def _calls(text: str) -> int:
    """Functions, of Python and of C, that a scan calls."""
    count = 0

    def called(frame: Any, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        scan_text(text)
    finally:
        sys.setprofile(None)
    return count
