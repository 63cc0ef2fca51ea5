"""Ids tell nothing to those who guess (SPEC 2.13) and a name with a finding gets the same stand-in everywhere (SPEC 3.13)."""

import re
import string
from collections.abc import Callable

import pytest

from schemas.ids import Ids, Ref, agent_log, ids_of
from schemas.partition import log_hash

SECRET = b"s" * 32
ACME, OTHER = ids_of(SECRET, "acme"), ids_of(SECRET, "other")
LEARNING = ACME.learning("agent/a", "main", "a/b")
WORDING = ACME.wording("rule", None)
REF = ACME.ref(own=True, log=0xFFFFFFFF, subject=LEARNING, wording=WORDING)

MAKERS: dict[str, tuple[Callable[[Ids, str], str], int]] = {
    "learning": (lambda ids, x: ids.learning("agent/a", "main", x), 32),
    "shared": (lambda ids, x: ids.shared("department/x", x, "w"), 32),
    "claim": (lambda ids, x: ids.claim("agent/a", "entity", x), 32),
    "wording": (lambda ids, x: ids.wording(x, None), 16),
    "content": (lambda ids, x: ids.content(x), 32),
    "agent": (lambda ids, x: ids.agent(x), 16),
    "outcome": (lambda ids, x: ids.outcome("agent/a", x), 16),
    "pseudonym": (lambda ids, x: ids.pseudonym(x).removeprefix("p-"), 16),
}


@pytest.mark.parametrize("kind", MAKERS)
def test_ids_are_hex_stable_and_differ_by_content_organisation_and_secret(kind: str) -> None:
    make, digits = MAKERS[kind]
    one = make(ACME, "x")
    assert re.fullmatch(f"[0-9a-f]{{{digits}}}", one)
    assert one == make(Ids(SECRET, "acme"), "x")
    assert len({one, make(ACME, "y"), make(OTHER, "x"), make(Ids(b"t" * 32, "acme"), "x")}) == 4


def test_kinds_of_ids_do_not_share_a_key() -> None:
    assert len({ACME.agent("x"), ACME.wording("x", None), ACME.pseudonym("x")[2:], ACME.content("x")[:16]}) == 4


def test_no_two_lists_of_parts_are_one_message() -> None:
    assert ACME.learning("a", "bc", "d") != ACME.learning("ab", "c", "d") != ACME.learning("a", "b", "cd")


def test_a_wording_without_value_equals_one_with_null() -> None:
    assert ACME.wording("rule", None) == ACME.wording("rule", "null") != ACME.wording("rule", '"null"')


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("log", [0, 1, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_ref_says_what_it_named(own: bool, log: int) -> None:
    ref = ACME.ref(own=own, log=log, subject=LEARNING, wording=WORDING)
    assert ACME.read_ref(ref) == Ref(own=own, log=log, subject=LEARNING, wording=WORDING)


def test_a_ref_is_url_safe_and_short() -> None:
    """SPEC 2.13: opaque, URL-safe, at most 64 characters."""
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", REF)


def test_a_ref_of_another_organisation_or_secret_names_nothing() -> None:
    assert OTHER.read_ref(REF) is None
    assert Ids(b"t" * 32, "acme").read_ref(REF) is None


@pytest.mark.parametrize("position", range(len(REF)))
def test_a_ref_with_any_character_changed_names_nothing(position: int) -> None:
    for other in set(string.ascii_letters + string.digits + "-_") - {REF[position]}:
        assert ACME.read_ref(REF[:position] + other + REF[position + 1 :]) is None


@pytest.mark.parametrize(
    "ref", ["", "x", REF[:-1], REF + "A", REF + "=", " " + REF, REF[:-1] + "\n", "ü" * 50, "+/" * 25, "\ud800", "A" * 10_000]
)
def test_what_is_no_ref_names_nothing(ref: str) -> None:
    assert ACME.read_ref(ref) is None


def test_the_log_of_an_agent_is_its_organisation_and_name() -> None:
    assert agent_log("acme", "agent/a") == log_hash("acme", "agent/a") == log_hash("acme/agent/a")
