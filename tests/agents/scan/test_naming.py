"""Names and ids are text too: what identifies or opens becomes a keyed hash, the rest stays (SPEC 3.13)."""

import pytest

from agents.scan.naming import clean_name
from agents.scan.rules.rule import fill
from schemas.ids import ids_of

_IDS = ids_of(b"s" * 32, "acme")


@pytest.mark.parametrize(
    "name",
    [
        "agent/support-1",
        "prod/retail-desk",
        "orders.get",
        "claude/7b8/fetch",
        fill("{h8}-{h4}-{h4}-{h4}-{h12}"),
        "20260301-4711",
        "support/refunds/pattern-check-status",
        "risk-never-mark-may-read",
        "gpt-4o-airline/task-30/trial-0",
    ],
)
def test_a_plain_name_stays(name: str) -> None:
    assert clean_name(_IDS, name) == name


@pytest.mark.parametrize(
    ("name", "kept", "hidden"),
    [
        ("prod/mina@acme.io", "prod/", "mina@acme.io"),
        ("mina_okafor_4574-0", "", "mina_okafor_4574-0"),
        ("area/katarzyna-nowak/fetch", "area/", "katarzyna-nowak"),
        ("orders/pattern-ask-" + "sophia-martin", "orders/pattern-", "ask-sophia-martin"),
        ("runs/" + fill("ghp_{w36}"), "runs/", fill("ghp_{w36}")),
    ],
)
def test_a_segment_with_a_finding_is_hashed_and_prefixes_stay(name: str, kept: str, hidden: str) -> None:
    clean = clean_name(_IDS, name)
    assert clean.startswith(kept + _IDS.pseudonym(hidden))
    assert hidden not in clean
    assert clean_name(_IDS, clean) == clean


@pytest.mark.parametrize(
    "name", [f"aws_secret_access_key={'wJalrXUtnFEM'}I/K7MDENG/bPxRfiCYzzzzzzKEYq", "x/password=ab/cdEf99gh", "tel/020/7946/0958"]
)
def test_what_has_a_slash_in_it_is_hidden_whole(name: str) -> None:
    """SPEC 3.13: the segments that hold a part of it, each."""
    assert not [part for part in name.split("/")[1:] if part in clean_name(_IDS, name)]


def test_a_path_with_nothing_in_it_that_spans_segments_stays() -> None:
    for name in ("orders/2026/03/01/pattern-a", "src/app/components/Button/index", "a/b@c/d"):
        assert clean_name(_IDS, name) == name
