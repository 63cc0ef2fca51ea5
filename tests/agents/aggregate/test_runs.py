"""SPEC 3.11, 5.10: runs are known by id and content, and their floors reach the runs that started them."""

from typing import Any

import pytest

from tests.agents.aggregate.log import KEY, Log, Table, known


def test_a_run_leaves_its_episode_its_claims_and_its_learnings() -> None:
    log = Log()
    table = Table().take(log.run("r-1", {}, {"entry_key": "b"}, claims=2))
    assert [e.run_id for e in table.sent("episodes")] == ["r-1"]
    assert [c.key for c in table.sent("claims")] == ["0", "1"]
    parts = ("episode", "claim:0", "claim:1", "learning:0", "learning:1")
    assert table.ends() == {("runs:0", part): ("stored", None) for part in parts}
    assert {o.key for o in table.out if o.topic == "episodes"} == {b"acme/agent/a/r-1"}


def test_a_repeat_is_a_duplicate_in_every_part() -> None:
    log = Log()
    table = Table().take(log.run("r-1", {}, claims=1), log.run("r-1", {}, claims=1))
    assert {end for (id_, _), end in table.ends().items() if id_ == "runs:1"} == {("duplicate", "duplicate")}
    assert len(table.sent("episodes")) == len(table.sent("claims")) == len(table.sent("entries")) == 1
    assert table.dead() == []


def test_another_content_under_the_same_id_is_a_conflict() -> None:
    log = Log()
    table = Table().take(log.run("r-1", {}), log.run("r-1", {"rule": "another"}, content="another"))
    assert {end for (id_, _), end in table.ends().items() if id_ == "runs:1"} == {("dead_lettered", "conflict")}
    assert [v.rule for v in table.versions()] == ["check the status first"]
    assert ("runs:1", "message", "conflict") in table.dead()


def test_a_proposal_whose_run_nobody_saw_is_dead_lettered() -> None:
    log = Log()
    table = Table().take(log.run("r-1", {})[1:])
    assert table.ends()["runs:0", "learning:0"] == ("dead_lettered", "unknown_run")


@pytest.mark.parametrize(
    ("runs", "privacy"),
    [
        ([("p", None, "none")], "shareable"),
        ([("p", None, "sensitive")], "sensitive"),
        ([("p", None, "none"), ("c", "p", "agent_specific")], "agent_specific"),
        ([("c", "p", "sensitive"), ("p", None, "agent_specific")], "sensitive"),
        ([("p", None, "none"), ("c", "p", "none"), ("g", "c", "sensitive")], "sensitive"),
        ([("g", "c", "sensitive"), ("c", "p", "none"), ("p", None, "none")], "sensitive"),
        ([("p", "c", "none"), ("c", "p", "sensitive")], "sensitive"),
        ([("p", None, "none"), ("c", "another", "sensitive")], "shareable"),
        ([("p", "c", "none"), ("c", None, "sensitive")], "shareable"),
    ],
)
def test_the_floor_is_that_of_the_run_and_its_child_runs(runs: list[tuple[str, str | None, str]], privacy: str) -> None:
    """Whichever comes first; a child's own learnings are not floored by its parent."""
    log = Log()
    table = Table().take(log.loaded())
    for run_id, parent, floor in runs:
        reason = None if floor == "none" else "credential"
        learnings: list[dict[str, Any]] = [{"floor": floor}] if run_id == "p" else []
        table.take(log.run(run_id, *learnings, parent_run_id=parent, floor=floor, floor_reason=reason))
    assert table.newest().privacy == privacy
    if privacy == "shareable":
        assert table.newest().floor is None
    else:
        floored = table.newest().floor
        assert floored and (floored.stated, floored.floored_to, floored.reason) == ("shareable", privacy, "credential")


def test_a_late_child_takes_a_candidate_back() -> None:
    log = Log()
    table = known(log).take(*(log.outcome(f"o-{n}") for n in range(3)))
    table.take(log.run("r-2", parent_run_id="r-1", floor="sensitive", floor_reason="credential"))
    assert (table.newest().cause.what, table.newest().cause.id, table.newest().crossing) == ("floor", "r-2", "withdrawn")
    assert [type(c).__name__ for c in table.sent("candidates")] == ["CandidateCleared", "CandidateWithdrawn"]
    assert table.sent("candidates")[1].reason == "privacy"


def test_a_late_child_leaves_a_wording_of_another_run_alone() -> None:
    log = Log()
    table = known(log).take(log.run("r-2", {"rule": "another"}), log.run("r-3", parent_run_id="r-1", floor="sensitive"))
    assert table.newest().privacy == "shareable"
    assert len(table.versions(KEY)) == 2
