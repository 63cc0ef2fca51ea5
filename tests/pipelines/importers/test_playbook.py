"""Bullets of a playbook become learnings; what it says of their use proves nothing (SPEC 5.7, 6.1)."""

import json

import pytest

from pipelines.importers.parsed import Author
from pipelines.importers.playbook import read
from tests.pipelines.importers.told import imported, skipped, told

ACE = """# Playbook
## STRATEGIES & INSIGHTS
[str-00001] helpful=5 harmful=0 :: Always verify data types before processing
- [str-00002] helpful=0 harmful=3 :: Trust the cache

## OTHERS
[oth-00003] helpful=0 harmful=0 :: NPV = Σ(Cash Flow / (1+r)^t)
"""


def kayba(**more: object) -> dict[str, object]:
    return {
        "id": "testing-00003",
        "section": "testing_strategy",
        "content": "Run the tests",
        "helpful": 1,
        "harmful": 0,
        "neutral": 2,
    } | more


def test_bullets_are_learnings_with_a_prior_and_no_outcome() -> None:
    """SPEC 5.4: the counts give the confidence as written; they are no applications."""
    (run,) = (run.run for run in imported(read, ACE.encode(), author=Author("acme", "agent/a", area="shop/books")).runs)
    assert [(d.entry_key, d.rule, round(d.confidence, 3)) for d in run.learnings] == [
        ("shop/books/strategies-and-insights/pattern-str-00001", "Always verify data types before processing", 0.857),
        ("shop/books/strategies-and-insights/pattern-str-00002", "Trust the cache", 0.2),
        ("shop/books/others/pattern-oth-00003", "NPV = Σ(Cash Flow / (1+r)^t)", 0.5),
    ]
    assert told(run)[0] == ("other", {"bullet": "str-00001", "stated": {"helpful": 5, "harmful": 0, "neutral": 0}})


@pytest.mark.parametrize("name", ["bullets", "skills"])
def test_kaybas_form(name: str) -> None:
    held = {name: {"testing-00003": kayba(), "gone-1": kayba(status="removed")}, "sections": {}, "next_id": 3}
    (run,) = (run.run for run in imported(read, json.dumps(held).encode()).runs)
    assert [d.entry_key for d in run.learnings] == ["playbook/0/testing-strategy/pattern-testing-00003"]
    assert told(run) == [("other", {"bullet": "testing-00003", "stated": {"helpful": 1, "harmful": 0, "neutral": 2}})]


def test_counts_that_moved_make_another_run_of_the_same_wordings() -> None:
    """SPEC 2.9: an identical restatement inherits evidence, and another rule or value would not."""
    first, second = (imported(read, text.encode()).runs[0].run for text in (ACE, ACE.replace("helpful=5", "helpful=6")))
    assert first.run_id != second.run_id
    assert [(d.entry_key, d.rule, d.value) for d in first.learnings] == [(d.entry_key, d.rule, d.value) for d in second.learnings]


def test_no_run_has_more_learnings_than_one_may() -> None:
    text = "".join(f"[str-{n:05}] helpful=1 harmful=0 :: Rule {n}\n" for n in range(300))
    assert [len(run.run.learnings) for run in imported(read, text.encode()).runs] == [256, 44]


def test_a_malformed_bullet_is_named_and_the_rest_goes_on() -> None:
    broken = (
        "[x-1] helpful=many harmful=0 :: No",
        "[oth-00003] helpful=1 harmful=0 :: Twice",
        f"[big-1] helpful=1 harmful=0 :: {'x' * 300_000}",
    )
    found = imported(read, (ACE + "\n".join(broken)).encode(), b"# nothing\n", b"{")
    assert skipped(found) == [("0", 8, None), ("0", 9, "oth-00003"), ("0", 10, "big-1"), ("1", 1, None), ("2", 1, None)]
    bullets = {"a-1": kayba(), "b-2": kayba(content=" "), "c-3": kayba(helpful=-1), "d-4": 7}
    found = imported(read, json.dumps({"bullets": bullets}).encode())
    assert [s[2] for s in skipped(found)] == ["bullets.b-2.content", "bullets.c-3.helpful", "bullets.d-4"]
    assert len(found.runs[0].run.learnings) == 1
