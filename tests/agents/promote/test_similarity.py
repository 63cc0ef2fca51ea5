"""SPEC 6.4: near-duplicates, contradictions, and wordings that only read alike."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.promote.similarity import Form, form, relation

THRESHOLD = 0.85

PAIRS = [json.loads(line) for line in (Path(__file__).parent / "wordings.jsonl").read_text().splitlines()]
RULES = sorted({pair[name] for pair in PAIRS for name in "ab"})


def of(rule: str, *tools: str) -> Form:
    return form(rule, None, tools)


@pytest.mark.parametrize(("a", "b", "expected"), [(p["a"], p["b"], p["expect"]) for p in PAIRS])
def test_relation(a: str, b: str, expected: str) -> None:
    """SPEC 6.4, either way round."""
    found = relation(of(a), of(b), THRESHOLD)
    assert found.relation == expected
    assert relation(of(b), of(a), THRESHOLD) == found


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (("http.get",), ("http.get",), "duplicate"),
        (("http.get", "db.read"), ("db.read", "http.get"), "duplicate"),
        (("http.get",), (), "duplicate"),
        (("http.get",), ("browser.open",), "distinct"),
        (("http.get",), ("http.get", "db.read"), "distinct"),
    ],
)
def test_tools(a: tuple[str, ...], b: tuple[str, ...], expected: str) -> None:
    """SPEC 6.4: same tools or none."""
    rule = "Read the status page before the incident call."
    assert relation(of(rule, *a), of(rule, *b), THRESHOLD).relation == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ('{"steps":["Open the ticket.","Check the order."]}', '{"steps":["Open a ticket","Check the order"]}', "duplicate"),
        ('{"steps":["Open the ticket.","Check the order."]}', '{"steps":["Check the order.","Open the ticket."]}', "distinct"),
        ('{"steps":["Open the ticket."]}', '{"steps":["Open the ticket.","Check the order."]}', "distinct"),
        ('{"steps":["Open the ticket."],"retries":3}', '{"retries":4,"steps":["Open the ticket."]}', "distinct"),
        (
            '{"steps":["Open the ticket."],"on_failure":"Retry."}',
            '{"steps":["Open the ticket."],"on_failure":"Never retry."}',
            "contradict",
        ),
        ('{"steps":["Open the ticket."]}', None, "distinct"),
    ],
)
def test_steps(a: str, b: str | None, expected: str) -> None:
    """SPEC 6.4: for a procedure the steps are compared too, in their order."""
    rule = "How to answer a refund request."
    assert relation(form(rule, a, ()), form(rule, b, ()), THRESHOLD).relation == expected


def test_the_threshold_decides_what_more_words_may_say() -> None:
    """TIDEGATE_SIMILARITY: 12 words and one more read as 0.857."""
    rule = "Check the price, stock, weight, colour, size, brand, tax, label, seller, region, warranty of the item."
    longer = rule.replace("of the item", "of the refurbished item")
    found = relation(of(rule), of(longer), 0.5)
    assert 0.85 < found.similarity < 0.88
    assert found.relation == "duplicate"
    assert relation(of(rule), of(longer), 0.9).relation == "distinct"


WORDS = sorted({w for rule in RULES[:40] for w in rule.split()})
rules = st.one_of(
    st.sampled_from(RULES),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join),
    st.text(max_size=40),
)


@given(a=rules, b=rules, threshold=st.sampled_from([0.5, 0.7, 0.85, 1.0]))
def test_any_two_texts_compare_the_same_either_way_round(a: str, b: str, threshold: float) -> None:
    """And what is no distinct pair, the index of rare words finds: their words' Dice coefficient reaches the threshold."""
    x, y = of(a), of(b)
    found = relation(x, y, threshold)
    assert relation(y, x, threshold) == found
    assert 0.0 <= found.similarity <= 1.0
    assert relation(x, x, threshold).relation == "duplicate"
    if found.relation != "distinct":
        assert 2 * len(x.words & y.words) >= threshold * (len(x.words) + len(y.words)) - 1e-9


@given(rule=st.sampled_from(RULES), seed=st.integers(0, 2**32))
def test_another_word_in_a_place_makes_another_rule(rule: str, seed: int) -> None:
    """SPEC 6.4: never one learning, whatever the word is."""
    rng = random.Random(seed)
    words = rule.split()
    known = [i for i, w in enumerate(words) if w.isalpha() and w.islower() and len(w) > 4 and of(w).words - of("use").words]
    at = rng.choice(known) if known else 0
    changed = [*words[:at], "zeppelin", *words[at + 1 :]]
    if known and len(of(rule).words - of(" ".join(changed)).words) == 1:
        assert relation(of(rule), of(" ".join(changed)), THRESHOLD).relation == "distinct"
