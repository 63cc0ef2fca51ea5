"""The recount of the demo, by hand on a small sample (SPEC 5.1 to 5.3, 3.11, 6.1)."""

from typing import Any

import pytest

from pipelines.demo.office import Phase
from pipelines.demo.plant import Planted
from pipelines.demo.recount import Count, Recount, recount

AGENT = {"org": "acme", "agent": "a", "hosted": True}
KEY = ("acme", "a", "x/y")
PLANTED = [Planted("key", "s3cret", "sensitive"), Planted("phone", "12345", "agent_specific"), Planted("person", "Ann", None)]


def run(run_id: str = "r", rule: str = "rule", output: str = "", **learning: Any) -> dict[str, Any]:
    found = {"entry_key": "x/y", "rule": rule, **learning}
    return {"org": "acme", "agent": "a", "run_id": run_id, "steps": [{"output": {"text": output}}], "learnings": [found]}


def outcome(outcome_id: str, result: str = "success", verified_by: str | None = "ci", **credit: Any) -> dict[str, Any]:
    credits = [{"entry_key": "x/y", **credit}]
    return {"org": "acme", "agent": "a", "outcome_id": outcome_id, "result": result, "verified_by": verified_by, "credits": credits}


def counted(*records: dict[str, Any], agent: dict[str, Any] = AGENT) -> Recount:
    phases = [Phase("outcomes" if "outcome_id" in record else "runs", [record]) for record in records]
    return recount([agent], phases, PLANTED)


def test_by_hand() -> None:
    found = counted(
        outcome("early", helpful="no"),
        run(),
        outcome("o-1"),
        outcome("o-2", "failure"),
        outcome("o-3", "failure", helpful="yes"),
        outcome("o-4", helpful="unknown"),
        outcome("o-5", applied=False),
        outcome("o-1"),
        outcome("o-6", entry_key="x/other"),
    )
    count = found.counts[KEY]
    assert (count.applied, count.helpful) == (5, 2)
    assert set(found.counts) == {KEY}


def test_a_new_wording_starts_again_and_the_same_one_goes_on() -> None:
    found = counted(run("r-1"), outcome("o-1"), run("r-2"), outcome("o-2"))
    assert found.counts[KEY].applied == 2
    found = counted(run("r-1"), outcome("o-1"), run("r-2", rule="another"), outcome("o-2"))
    assert found.counts[KEY].applied == 1


def test_a_run_id_counts_once() -> None:
    assert counted(run("r-1"), run("r-1", rule="another")).counts[KEY].wording == ("rule", None)


@pytest.mark.parametrize(
    ("record", "privacy", "held"),
    [
        (run(), "shareable", False),
        (run(privacy="organisation"), "shareable", False),
        (run(privacy="agent_specific"), "agent_specific", False),
        (run(output="Ann called"), "shareable", False),
        (run(output="call 12345"), "agent_specific", False),
        (run(output="s3cret of 12345"), "sensitive", False),
        (run(rule="use s3cret"), "sensitive", True),
        (run(cue="call 12345"), "agent_specific", False),
        (run(privacy="sensitive", output="12345"), "sensitive", False),
    ],
)
def test_the_floor_of_a_run(record: dict[str, Any], privacy: str, held: bool) -> None:
    count = counted(record).counts[KEY]
    assert (count.privacy, count.held) == (privacy, held)


def test_a_restatement_keeps_the_stricter_floor() -> None:
    assert counted(run("r-1", output="12345"), run("r-2")).counts[KEY].privacy == "agent_specific"
    assert counted(run("r-1"), run("r-2", output="12345")).counts[KEY].privacy == "agent_specific"


@pytest.mark.parametrize(
    ("changed", "clears"),
    [
        ({}, True),
        ({"applied": 2, "helpful": 2}, False),
        ({"applied": 10, "helpful": 7}, True),
        ({"applied": 10, "helpful": 6}, False),
        ({"verified": False}, False),
        ({"privacy": "agent_specific"}, False),
        ({"bound": True}, False),
        ({"held": True}, False),
    ],
)
def test_the_gate(changed: dict[str, Any], clears: bool) -> None:
    """SPEC 6.1"""
    good: dict[str, Any] = {
        "wording": "w", "privacy": "shareable", "bound": False, "held": False, "applied": 3, "helpful": 3, "verified": True,
    }  # fmt: skip
    count = Count(**{**good, **changed})
    assert count.candidate(enabled=True) is clears
    assert not count.candidate(enabled=False)


@pytest.mark.parametrize(
    ("agent", "enabled"),
    [
        ({"hosted": True}, True),
        ({"hosted": False}, False),
        ({"hosted": True, "shared_learning": False}, False),
        ({"hosted": False, "shared_learning": True}, True),
    ],
)
def test_who_may_share(agent: dict[str, Any], enabled: bool) -> None:
    assert counted(agent={**AGENT, **agent}).enabled["acme", "a"] is enabled
