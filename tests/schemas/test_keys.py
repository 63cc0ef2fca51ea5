"""Keys are given out as one text, and known by what tells nothing of it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from schemas import keys
from schemas.keys import Bearer

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def test_a_key_is_read_as_it_was_given_out() -> None:
    bearer, known = keys.make("ci", AT)
    found = keys.parse(str(bearer))
    assert found == bearer
    assert found.key_id == known.key_id
    assert found.opens(known.secret_hash)
    assert (known.attests, known.added_at, known.revoked_at) == ("ci", AT, None)
    assert bearer.secret.hex() not in repr(known)


def test_another_secret_does_not_open() -> None:
    bearer, known = keys.make("agent", AT)
    assert not Bearer(bearer.key_id, bytes(32)).opens(known.secret_hash)
    assert not bearer.opens(None)


GOOD = "tg_56475aa75463474c_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(GOOD[:-1], id="cut"),
        pytest.param(GOOD + "=", id="padded"),
        pytest.param(GOOD[:-1] + "9", id="bits to spare that are set"),
        pytest.param(GOOD.replace("tg_", "tk_"), id="another mark"),
        pytest.param(GOOD.upper(), id="capitals"),
        pytest.param(GOOD.replace("56475aa7", "56475aaz"), id="an id that is none"),
        pytest.param(GOOD + "\n", id="a line end"),
    ],
)
def test_what_is_no_key(text: str) -> None:
    assert keys.parse(GOOD) is not None
    assert keys.parse(text) is None


@pytest.mark.parametrize("public", ["", "aa" * 31, "AA" * 32, "zz" * 32])
def test_what_is_no_public_key(public: str) -> None:
    with pytest.raises(ValueError, match="64 hex digits"):
        keys.of_public(public, "agent", AT)


def test_a_holders_own_key_signs_and_opens_nothing() -> None:
    _, made = keys.make("agent", AT)
    assert made.public_key is not None
    assert keys.of_public(made.public_key, "ci", AT) == replace(made, secret_hash=None, attests="ci")


def test_no_key_is_from_after_the_record_that_tells_of_it() -> None:
    """A clock that is ahead makes no key count later than it was there, and no revoked one longer."""
    _, key = keys.make("agent", AT + timedelta(hours=1))
    told = (key, replace(key, added_at=AT - timedelta(days=1), revoked_at=AT + timedelta(hours=2)))
    assert [(k.added_at, k.revoked_at) for k in keys.bounded(told, AT)] == [(AT, None), (AT - timedelta(days=1), AT)]
