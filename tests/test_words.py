"""docs/words.md has every word that the code knows, and no other."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from agents.acts import DONE
from agents.posterior import untested, update
from agents.promote.pool import RUNGS, TRANSITIONS
from schemas import validate
from sinks.ranking import STANDING

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "words.md").read_text()
CODE = {package: "\n".join(path.read_text() for path in (ROOT / "agents" / package).rglob("*.py")) for package in ("aggregate", "promote")}


def words(field: str) -> set[str]:
    """What the table of a field lists."""
    table = re.search(rf"^\| `{field}` \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert table, field
    return set(re.findall(r"^\| `(\w+)`", table[1], re.MULTILINE))


def said(package: str, field: str) -> set[str]:
    """Words that a package of agents puts into a field."""
    return set(re.findall(rf'\b{field}="(\w+)"', CODE[package]))


@pytest.mark.parametrize(
    ("field", "known"),
    [
        ("evidence_status", STANDING.keys()),
        ("trust", {"recorded", *RUNGS}),
        ("privacy", validate.PRIVACIES),
        (
            "decision",
            {d for d in TRANSITIONS.values() if d}
            | set(re.findall(r'return "(\w+)"', CODE["promote"])) & {"demoted", "returned"}
            | {"corroborated"}
            | set(re.findall(r'"gate", "(\w+)"', CODE["aggregate"]))
            | {"refused", "text_erased", "erasure_requested", "entity_erased"}
            | {*DONE.values()} - {"approved"},
        ),
    ],
)
def test_every_word_is_explained(field: str, known: Iterable[str]) -> None:
    assert words(field) == set(known)


@pytest.mark.parametrize("field", ["state", "crossing", "visibility"])
def test_words_of_standing_are_explained(field: str) -> None:
    """SPEC 2.12"""
    assert said("aggregate", field) | said("promote", field) <= words(field)


def test_the_example_of_a_first_failure_holds() -> None:
    """SPEC 5.4: what the page says of a learning that was written at 1."""
    proven = untested(1.0)
    for _ in range(5):
        proven = update(proven, "success", 1.0)
    told = [f"{update(evidence, 'failure', 1.0).confidence:.2f}" for evidence in (untested(1.0), proven)]
    assert re.search("to ({}), and a first failure after five successes to ({})".format(*told), PAGE)
