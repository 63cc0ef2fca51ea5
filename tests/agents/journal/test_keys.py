"""SPEC 6.8: which public keys are to be believed."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agents.journal.keys import JOURNAL, SECOND_GATE, key_id, public_key, published, trusted
from schemas.records import JournalKey
from tests.agents.journal.test_chain import AT

FIRST, SECOND, THIRD, STRANGER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2, 3, 4))
NAMES = {key_id(k.public_key()): name for name, k in zip("123s", (FIRST, SECOND, THIRD, STRANGER), strict=True)}
PINNED = {key_id(FIRST.public_key()): FIRST.public_key()}


def said(key: Ed25519PrivateKey, before: Ed25519PrivateKey | None = None, role: str = JOURNAL) -> JournalKey:
    return published(key.public_key(), role, AT, before)


ROTATED = [said(FIRST), said(SECOND, FIRST), said(THIRD, SECOND)]
CASES = [
    ("all that followed the pinned one", ROTATED, "123"),
    ("in any order", ROTATED[::-1], "123"),
    ("not one that nobody endorsed", [*ROTATED, said(STRANGER)], "123"),
    ("nor one that endorsed itself", [said(FIRST), said(STRANGER, STRANGER)], "1"),
    ("nor what a stranger endorsed", [said(FIRST), said(STRANGER), said(SECOND, STRANGER)], "1"),
    ("nor an endorsement of another", [said(FIRST), replace(said(SECOND, FIRST), endorsement=said(THIRD, FIRST).endorsement)], "1"),
    ("nor a second gate's", [said(FIRST), said(SECOND, FIRST, SECOND_GATE)], "1"),
    ("nothing after a gap", [ROTATED[0], ROTATED[2]], "1"),
]


@pytest.mark.parametrize(("records", "expected"), [pytest.param(*c[1:], id=c[0]) for c in CASES])
def test_a_pinned_key_and_what_it_endorses(records: list[JournalKey], expected: str) -> None:
    assert "".join(sorted(NAMES[k] for k in trusted(records, PINNED))) == expected


def test_without_a_pinned_key_all_that_are_published() -> None:
    assert "".join(sorted(NAMES[k] for k in trusted([said(FIRST), said(STRANGER), said(THIRD, role=SECOND_GATE)]))) == "1s"


@pytest.mark.parametrize("changes", [{"public": "zz"}, {"public": "00"}, {"key": "0" * 16}, {"public": "11" * 32}])
def test_a_record_whose_key_is_another_than_its_id_says_is_none(changes: dict[str, str]) -> None:
    assert public_key(said(FIRST)) is not None
    assert public_key(replace(said(FIRST), **changes)) is None  # type: ignore[arg-type]
