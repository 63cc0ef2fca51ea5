"""Every credential rule of the table catches its example and leaves its near miss alone (SPEC 3.2)."""

import re

import pytest

from agents.scan.credentials import width
from agents.scan.rules import RULES, Rule
from agents.scan.rules.rule import fill
from agents.scan.rules.sources import source
from agents.scan.text import scan_text

_IDS = [f"{i}-{r.kind}" for i, r in enumerate(RULES)]


@pytest.mark.parametrize("rule", RULES, ids=_IDS)
@pytest.mark.parametrize("around", ["{}", "x = '{}'", "see {}, then go on", "<t>{}</t>"])
def test_the_example_is_caught(rule: Rule, around: str) -> None:
    for seed in range(3):
        value = fill(rule.shown, seed)
        done = scan_text(around.format(value))
        assert any(f.layer == "credential" and f.hard for f in done.findings), value
        assert value not in done.masked


@pytest.mark.parametrize("rule", RULES, ids=_IDS)
def test_the_near_miss_is_not(rule: Rule) -> None:
    near = fill(rule.near)
    assert not rule.pattern.search(near), near


@pytest.mark.parametrize("rule", RULES, ids=_IDS)
def test_a_start_has_one_width(rule: Rule) -> None:
    assert width(rule.start) > 0


@pytest.mark.parametrize("rule", RULES, ids=_IDS)
def test_a_rule_says_where_its_format_is_told(rule: Rule) -> None:
    assert (rule.source or source(rule.vendor)).startswith("https://")
    assert rule.severity in ("medium", "high")
    assert rule.shown and rule.near and rule.shown != rule.near


def test_there_are_enough_kinds() -> None:
    assert len({r.kind for r in RULES}) >= 60


def test_examples_are_made_not_written() -> None:
    # No literal of the table may look like a secret to other scanners: long random runs come from `fill` alone.
    assert all(not re.search(r"[0-9A-Za-z]{45}", re.sub(r"\{\w\d+\}", " ", r.shown)) for r in RULES)
