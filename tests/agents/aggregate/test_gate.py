"""SPEC 6.1-6.3: the seven conditions, and what goes to the pool when all hold."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from agents.aggregate.evidence import NOTHING
from agents.aggregate.gate import CHECKS, GatePolicy, Standing, crossing_fields, crossing_names, judge, promotable
from schemas.records import CandidateCleared, CandidateWithdrawn
from schemas.store import SCHEMAS
from tests.agents.aggregate.log import AGENT, IDS, Log, Table, known

CLEAR = Standing("shareable", "active", "shown", 0, True, replace(NOTHING, applied=10, helpful=7, verified=1))


def misses(standing: Standing, policy: GatePolicy | None = None) -> list[str]:
    return [c.condition for c in judge(standing, policy or GatePolicy()) if not c.holds]


@pytest.mark.parametrize(
    ("changes", "missed"),
    [
        ({}, []),
        ({"privacy": "agent_specific"}, ["privacy"]),
        ({"privacy": "sensitive"}, ["privacy"]),
        ({"state": "held"}, ["state"]),
        ({"state": "archived"}, ["state"]),
        ({"visibility": "hidden"}, ["state"]),
        ({"visibility": "demoted"}, ["state"]),
        ({"bindings": 1}, ["binding"]),
        ({"enabled": False}, ["enabled"]),
        ({"figures": replace(CLEAR.figures, verified=0)}, ["trust"]),
        ({"figures": replace(CLEAR.figures, applied=2, helpful=2)}, ["applied"]),
        ({"figures": replace(CLEAR.figures, applied=3, helpful=3)}, []),
        ({"figures": replace(CLEAR.figures, applied=100, helpful=69)}, ["ratio"]),
        ({"figures": replace(CLEAR.figures, applied=100, helpful=70)}, []),
        ({"figures": replace(CLEAR.figures, applied=10_000_000, helpful=7_000_001)}, []),
        ({"figures": replace(CLEAR.figures, applied=10_000_000, helpful=6_999_999)}, ["ratio"]),
        ({"figures": NOTHING}, ["trust", "applied", "ratio"]),
    ],
)
def test_conditions(changes: dict[str, Any], missed: list[str]) -> None:
    assert misses(replace(CLEAR, **changes)) == missed


@pytest.mark.parametrize(("ratio", "missed"), [(0.69, []), (0.70, []), (0.7000001, ["ratio"]), (0.0, []), (1.0, ["ratio"])])
def test_the_ratio_is_inclusive(ratio: float, missed: list[str]) -> None:
    assert misses(CLEAR, GatePolicy(min_success_ratio=ratio)) == missed
    for applied in range(10, 1000, 10):
        figures = replace(NOTHING, applied=applied, helpful=applied * 7 // 10, verified=1)
        assert ("ratio" in misses(replace(CLEAR, figures=figures))) is False


def test_conditions_are_named_and_have_figures() -> None:
    judged = judge(replace(CLEAR, figures=replace(CLEAR.figures, applied=4, helpful=3)), GatePolicy())
    assert [c.condition for c in judged] == ["privacy", "state", "binding", "enabled", "trust", "applied", "ratio"] == list(CHECKS)
    assert [(c.figure, c.needed) for c in judged][-2:] == [("4", "3"), ("0.75", "0.7")]


def three(log: Log) -> list[Any]:
    return [log.outcome(f"o-{n}") for n in range(3)]


def test_a_candidate_crosses_with_its_figures() -> None:
    """SPEC 6.2, 6.3."""
    log = Log()
    table = known(log, memory_type="procedure", value='{"goal":"x"}', tools=("orders.get",), cue="private cue").take(*three(log))
    assert [v.crossing for v in table.versions()] == ["none", "none", "none", "candidate"]
    (cleared,) = table.sent("candidates")
    assert isinstance(cleared, CandidateCleared)
    newest = table.newest()
    assert (cleared.space, cleared.version, cleared.rule, cleared.value) == ("commons", 4, newest.rule, '{"goal":"x"}')
    assert cleared.shared_id == IDS.shared("commons", log.learning(), newest.wording)
    assert cleared.donor == IDS.agent(AGENT)
    assert cleared.gate == newest.gate and all(c.holds for c in cleared.gate)
    assert b"private cue" not in b"".join(o.value or b"" for o in table.out if o.topic == "candidates")


def test_only_a_procedure_takes_its_value_along() -> None:
    log = Log()
    table = known(log, value='"case"').take(*three(log))
    assert table.sent("candidates")[0].value is None


def test_a_new_private_field_stays_behind() -> None:
    """SPEC 2.11: what crosses is read from the schema, so a field that is declared private stays without another line of code."""
    schema = copy.deepcopy(SCHEMAS["Learning"].tree)
    schema["fields"].append({"name": "case", "type": "string", "crossing": "private"})
    next(f for f in schema["fields"] if f["name"] == "tools")["crossing"] = "private"
    assert "case" not in promotable(schema)
    names = crossing_names(schema)
    assert "rule" in names and "tools" not in names
    assert "tools" not in crossing_fields(known(Log(), tools=("t",)).newest(), names)
    with pytest.raises(KeyError):
        promotable({"fields": [{"name": "undeclared"}]})


def test_home_personal_lands_nowhere() -> None:
    """SPEC 6.3; INTERFACES `v_learnings.candidate`."""
    log = Log()
    table = Table().take(log.loaded(home_space="personal"), log.run("r-1", {}), *three(log))
    assert table.newest().crossing == "candidate" and all(c.holds for c in table.newest().gate)
    assert table.sent("candidates") == []
    table.take(log.loaded(home_space="personal", hosted=False))
    assert table.newest().crossing == "withdrawn"
    assert table.sent("candidates") == []


@pytest.mark.parametrize(
    ("hosted", "shared_learning", "enabled"),
    [(True, None, True), (False, None, False), (True, False, False), (False, True, True)],
)
def test_enabled_follows_the_agent(hosted: bool, shared_learning: bool | None, enabled: bool) -> None:
    log = Log()
    table = Table().take(log.loaded(hosted=hosted, shared_learning=shared_learning), log.run("r-1", {}), *three(log))
    assert (table.newest().crossing == "candidate") is enabled


def test_an_agent_never_loaded_is_known_and_shares_nothing() -> None:
    log = Log()
    table = Table().take(log.run("r-1", {}), *three(log))
    assert (table.newest().home_space, table.newest().crossing) == ("personal", "none")
    assert [c.condition for c in table.newest().gate if not c.holds] == ["enabled"]


def test_a_change_of_the_agent_judges_each_gate_anew() -> None:
    log = Log()
    table = Table().take(log.run("r-1", {}, {"entry_key": "other"}), *three(log), log.loaded(home_space="department/x"))
    assert (table.newest().cause.what, table.newest().crossing) == ("agent", "candidate")
    assert [c.space for c in table.sent("candidates")] == ["department/x"]
    assert [c.condition for c in table.newest("other").gate if not c.holds] == ["trust", "applied", "ratio"]
    many = len(table.versions())
    table.take(log.loaded(home_space="department/y"))
    assert len(table.versions()) == many  # it stays where it landed


def test_what_loses_the_gate_is_withdrawn_at_once_and_rests_a_day() -> None:
    """SPEC 2.12."""
    log = Log()
    table = known(log).take(*three(log), log.outcome("o-4", "failure"), log.outcome("o-5", "failure"))
    cleared, withdrawn = table.sent("candidates")
    assert isinstance(withdrawn, CandidateWithdrawn)
    assert (withdrawn.reason, withdrawn.shared_id, withdrawn.space) == ("ratio", cleared.shared_id, cleared.space)
    assert table.newest().crossing == "withdrawn"
    table.take(*(log.outcome(f"o-{n}") for n in range(6, 12)))
    assert all(c.holds for c in table.newest().gate) and table.newest().crossing == "withdrawn"
    table.wait(hours=23)
    assert len(table.sent("candidates")) == 2
    table.wait(hours=1)
    assert table.newest().crossing == "candidate"
    assert [type(c).__name__ for c in table.sent("candidates")] == ["CandidateCleared", "CandidateWithdrawn", "CandidateCleared"]


def test_a_new_wording_supersedes_what_crossed() -> None:
    """SPEC 6.7."""
    log = Log()
    table = known(log).take(*three(log), log.run("r-2", {"rule": "another"}))
    cleared, withdrawn = table.sent("candidates")
    assert (withdrawn.reason, withdrawn.shared_id) == ("superseded", cleared.shared_id)
    assert (table.newest().crossing, table.newest().evidence_status) == ("none", "untested")
    table.take(*(log.outcome(f"p-{n}") for n in range(3)))
    assert table.newest().crossing == "candidate"
    assert table.sent("candidates")[2].shared_id == IDS.shared("commons", log.learning(), IDS.wording("another", None))


def test_sources_of_what_one_event_sends_to_pools_differ_and_rise() -> None:
    """DESIGN "Exactly once": promote tells them apart by source, in order."""
    log = Log()
    table = known(log).take(*three(log), log.outcome("o-4", "failure"))
    table.take(log.outcome("o-5", "failure", log.credit(helpful="no"), log.pool_credit(part=1), log.pool_credit("ef" * 16, part=2)))
    sources = [c.source for c in table.sent("candidates")]
    assert [s.topic for s in sources] == ["outcomes"] * 4
    marks = [(s.offset, s.index) for s in sources]
    assert marks == sorted(set(marks))
    assert {c.sender for c in table.sent("candidates")} == {3}
