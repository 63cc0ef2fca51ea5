"""SPEC 6.4: near-duplicates, contradictions, and wordings that only read alike."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.promote import lexicon
from agents.promote.similarity import Form, form, relation, spare
from agents.promote.stems import OPPOSITES, folded, opposite, stem

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


LEXICON = sorted(lexicon.LIGHT | {w for line in lexicon.OPPOSITE for w in line.split() if w.islower()} | {"install", "uninstall"})
edits = st.tuples(st.integers(0, 12), st.integers(0, 1), st.lists(st.sampled_from(LEXICON), max_size=1))
thresholds = st.sampled_from([0.5, 0.7, 0.85, 1.0])


def edited(rule: str, changes: list[tuple[int, int, list[str]]]) -> str:
    """A rule with words put in, left out or replaced."""
    words = rule.split()
    for at, gone, put in changes:
        words[at : at + gone] = put
    return " ".join(words)


@given(a=rules, b=rules, threshold=thresholds)
def test_any_two_texts_compare_the_same_either_way_round(a: str, b: str, threshold: float) -> None:
    x, y = of(a), of(b)
    found = relation(x, y, threshold)
    assert relation(y, x, threshold) == found
    assert 0.0 <= found.similarity <= 1.0
    assert relation(x, x, threshold).relation == "duplicate"


def test_words_that_oppose_each_other_fold_to_one() -> None:
    """Each with each beginning as well, once and twice."""
    words = {stem(w) for w in (*LEXICON, *WORDS)}
    words |= {p + w for p in lexicon.PREFIXES for w in words}
    prefixed = {(p + w, w) for p in lexicon.PREFIXES for w in words if opposite(p + w, w)}
    assert {(a, b) for a, b in prefixed | OPPOSITES if folded(a) != folded(b)} == set()


@given(a=rules, changes=st.lists(edits, max_size=3), more=st.lists(edits, max_size=3), threshold=thresholds)
def test_what_is_not_distinct_the_index_finds(
    a: str, changes: list[tuple[int, int, list[str]]], more: list[tuple[int, int, list[str]]], threshold: float
) -> None:
    """The words of the one are among those of the other, with few to spare."""
    x, y = of(edited(a, changes)), of(edited(a, more))
    if relation(x, y, threshold).relation != "distinct":
        assert x.words <= y.words or x.words >= y.words
        assert len(x.words ^ y.words) <= min(spare(x, threshold), spare(y, threshold))


@given(rule=st.sampled_from(RULES), seed=st.integers(0, 2**32))
def test_another_word_in_a_place_makes_another_rule(rule: str, seed: int) -> None:
    """SPEC 6.4: never one learning, whatever the word is."""
    rng = random.Random(seed)
    words = rule.split()
    known = [i for i, w in enumerate(words) if w.isalpha() and w.islower() and len(w) > 4 and of(w).words]
    at = rng.choice(known) if known else 0
    changed = [*words[:at], "zeppelin", *words[at + 1 :]]
    if known and len(of(rule).words - of(" ".join(changed)).words) == 1:
        assert relation(of(rule), of(" ".join(changed)), THRESHOLD).relation == "distinct"
