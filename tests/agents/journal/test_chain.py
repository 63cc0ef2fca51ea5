"""SPEC 6.8: entries, their signatures, commitments to texts, countersignatures."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from agents.journal.chain import (
    FIRST,
    SALT_BYTES,
    Tip,
    append,
    canonical_bytes,
    commit,
    countersign,
    entry_hash,
    is_countersigned,
    is_signed,
    opens,
)
from agents.journal.keys import key_id
from schemas.records import Decision, Source

KEY, OTHER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2))
KEYS = {key_id(k.public_key()): k.public_key() for k in (KEY, OTHER)}
AT = datetime(2026, 3, 1, 9, 0, 0, 250_000, tzinfo=UTC)


def decided(name: str = "d-1", **changes: object) -> Decision:
    decision = Decision(
        source=Source(topic="candidates", epoch="c", partition=0, offset=1, index=0),
        decision_id=name,
        org="acme",
        chain="public",
        actor="promote",
        decision="promoted",
        subject="s-1",
        reason="gate",
        figures={"b": "2", "applied": "3"},
        at=AT,
    )
    return replace(decision, **changes)  # type: ignore[arg-type]


def test_canonical_bytes_are_what_the_document_says() -> None:
    """docs/journal.md: domain, line feed, canonical JSON."""
    signed, tip = append(Tip(), decided(), {"rule": "c0"}, KEY)
    expected = (
        b"tidegate/journal/1\n"
        b'{"actor":"promote","at":1772355600250,"chain":"public","commitments":{"rule":"c0"},"decision":"promoted","decision_id":"d-1",'
        b'"figures":{"applied":"3","b":"2"},"org":"acme","previous":"' + b"0" * 64 + b'","reason":"gate","sequence":1,"subject":"s-1"}'
    )
    assert canonical_bytes(signed) == expected
    assert tip == Tip(1, hashlib.sha256(expected).hexdigest())
    assert signed.key == key_id(KEY.public_key()) == hashlib.sha256(KEY.public_key().public_bytes_raw()).hexdigest()[:16]
    KEY.public_key().verify(bytes.fromhex(signed.signature), expected)


def test_each_entry_holds_the_hash_of_the_one_before() -> None:
    first, tip = append(Tip(), decided("a"), {}, KEY)
    second, tip = append(tip, decided("b"), {}, KEY)
    assert (first.previous, second.previous) == (FIRST, entry_hash(first))
    assert tip == Tip(2, entry_hash(second))


def test_the_same_decision_makes_the_same_entry() -> None:
    """A crash repeats it: also where another machine's clock has another offset."""
    tokyo = decided(at=AT.astimezone(timezone(timedelta(hours=9))), figures={"applied": "3", "b": "2"})
    one, two = (append(Tip(), d, {}, KEY)[0] for d in (decided(), tokyo))
    assert (canonical_bytes(one), one.signature) == (canonical_bytes(two), two.signature)


@pytest.mark.parametrize(
    "changes",
    [
        {"sequence": 2},
        {"previous": "1" * 64},
        {"org": "other"},
        {"chain": "restricted"},
        {"decision_id": "d-2"},
        {"actor": "gate"},
        {"decision": "withdrawn"},
        {"subject": "s-2"},
        {"reason": "none"},
        {"figures": {"applied": "4", "b": "2"}},
        {"commitments": {"rule": "c1"}},
        {"at": AT + timedelta(milliseconds=1)},
    ],
)
def test_no_field_can_be_changed(changes: dict[str, object]) -> None:
    signed, _ = append(Tip(), decided(), {"rule": "c0"}, KEY)
    assert is_signed(signed, KEY.public_key())
    assert not is_signed(signed, OTHER.public_key())
    assert not is_signed(replace(signed, **changes), KEY.public_key())  # type: ignore[arg-type]


@given(
    a=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
    b=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
)
def test_other_figures_make_other_bytes(a: dict[str, str], b: dict[str, str]) -> None:
    """Whatever stands in names and values: quotes, colons, nothing."""
    one, two = (canonical_bytes(append(Tip(), decided(figures=f), {}, KEY)[0]) for f in (a, b))
    assert (one == two) == (a == b)


def test_a_second_gate_countersigns() -> None:
    """SPEC 6.8: with a key of its own, over the entry as it stands; a signature of the first gate is none."""
    signed, _ = append(Tip(), decided(), {}, KEY)
    signature = countersign(signed, OTHER)
    assert is_countersigned(signed, signature, OTHER.public_key())
    assert not is_countersigned(signed, signature, KEY.public_key())
    assert not is_countersigned(replace(signed, reason="none"), signature, OTHER.public_key())
    assert not is_countersigned(signed, signed.signature, KEY.public_key())


def test_a_commitment_opens_to_its_text_alone() -> None:
    """SPEC 6.8: entries hold salted commitments, so that erasing salt and text leaves the chain whole."""
    salt, other = b"s" * SALT_BYTES, b"t" * SALT_BYTES
    made = commit(salt, "rule", "Check the order.")
    assert opens(made, salt, "rule", "Check the order.")
    assert not opens(made, salt, "rule", "Check the orders.")
    assert not opens(made, other, "rule", "Check the order.")
    assert not opens(made, salt, "reason", "Check the order.")
    with pytest.raises(ValueError, match="32 bytes"):
        commit(b"short", "rule", "x")
