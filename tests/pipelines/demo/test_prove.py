"""The search for planted values finds them however another layer wrote them."""

import base64
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from pipelines.demo.office import office
from pipelines.demo.plant import Planted
from pipelines.demo.prove import Finder, kinds_of

PLANTED = [
    Planted("person", "Zofia Thornwick", None),
    Planted("password", 'pa"ss\\wörd/+ 1', "sensitive"),
    Planted("card", "4111111111111111", "agent_specific"),
]
FINDER = Finder(PLANTED)
FORMS: dict[str, Callable[[str], bytes]] = {
    "as it is": str.encode,
    "lower case": lambda v: v.lower().encode(),
    "JSON": lambda v: json.dumps({"a": v}).encode(),
    "JSON in UTF-8": lambda v: json.dumps({"a": v}, ensure_ascii=False).encode(),
    "URL": lambda v: quote(v, safe="").encode(),
    "form": lambda v: quote_plus(v).encode(),
    "base64": lambda v: base64.b64encode(v.encode()),
    "base64 behind one byte": lambda v: base64.b64encode(b"x" + v.encode() + b"tail"),
    "base64 behind two bytes": lambda v: base64.b64encode(b"xy" + v.encode() + b"tail"),
    "base64 for URLs": lambda v: base64.urlsafe_b64encode(b"xyz" + v.encode() + b"tail"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", range(len(PLANTED)))
def test_a_value_is_found_in_each_form(number: int, form: str) -> None:
    assert FINDER.look(b"\x00before " + FORMS[form](PLANTED[number].value) + b" behind\xff") == {number}


@pytest.mark.parametrize("data", [b"", b"nothing", b"Zofia", b"Thornwick, Zofia", b"411111111111111", bytes(range(256)) * 100])
def test_nothing_is_found_where_nothing_is(data: bytes) -> None:
    assert FINDER.look(data) == set()


def test_all_values_of_an_office_are_found_at_once() -> None:
    planted = office().planted
    finder = Finder(planted)
    found = finder.look(b"\0".join(value.value.encode() for value in planted))
    assert found == set(range(len(planted)))
    assert sum(kinds_of(planted, found).values()) == len(planted)
