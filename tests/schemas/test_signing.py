"""SPEC 9.1: what a signature covers, and what is none."""

import base64
from datetime import UTC, datetime

import pytest

from schemas import keys, signing
from schemas.signing import HEADER, Signer

BEARER, KNOWN = keys.make("agent", datetime(2026, 3, 1, tzinfo=UTC))
SIGNER = Signer.of(BEARER)
NAME, VALUE = SIGNER.header("runs", "acme", b"payload")


def test_a_signature_verifies() -> None:
    found = signing.read([("other", b"x"), (NAME, VALUE)])
    assert found is not None
    assert (found.key_id, found.operator, found.passed_on) == (BEARER.key_id, False, None)
    assert signing.verifies(SIGNER.key.public_key(), found, "runs", "acme", b"payload")


@pytest.mark.parametrize(
    ("topic", "org", "payload"), [("outcomes", "acme", b"payload"), ("runs", "acm", b"epayload"), ("runs", "acme", b"payloae")]
)
def test_it_covers_topic_organisation_and_payload(topic: str, org: str, payload: bytes) -> None:
    found = signing.read([(NAME, VALUE)])
    assert found is not None
    assert not signing.verifies(SIGNER.key.public_key(), found, topic, org, payload)


def test_it_covers_the_key_id() -> None:
    """What the operator passes on cannot be taken for another's."""
    operator = Signer.operator(b"s" * 32)
    name, value = operator.for_key("aa" * 8).header("runs", "acme", b"payload")
    found = signing.read([(name, value.replace(b"aa" * 8, b"bb" * 8))])
    assert found is not None
    assert (found.operator, found.passed_on) == (True, "bb" * 8)
    assert not signing.verifies(operator.key.public_key(), found, "runs", "acme", b"payload")


def test_the_operators_key_is_the_secrets() -> None:
    one, same, other = (Signer.operator(secret).key.public_key() for secret in (b"s" * 32, b"s" * 32, b"t" * 32))
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param([], id="none"),
        pytest.param([(HEADER, None)], id="empty"),
        pytest.param([(HEADER, VALUE), (HEADER, VALUE)], id="two"),
        pytest.param([(HEADER, BEARER.key_id.encode() + b":!!")], id="no base64"),
        pytest.param([(HEADER, b"\xff:" + base64.b64encode(bytes(64)))], id="no ASCII"),
    ],
)
def test_what_is_no_signature(headers: list[tuple[str, bytes | None]]) -> None:
    assert signing.read(headers) is None


@pytest.mark.parametrize("signature", [b"", bytes(63), bytes(64), bytes(65)])
def test_what_does_not_verify(signature: bytes) -> None:
    found = signing.Signature(BEARER.key_id, signature)
    assert not signing.verifies(SIGNER.key.public_key(), found, "runs", "acme", b"payload")
