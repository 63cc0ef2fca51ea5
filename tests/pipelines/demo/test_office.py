"""The office of the demo (issue A, 8): the same from a seed, taken whole by `produce`, and with everything in it that it is to show."""

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from pipelines.demo.office import ORG, RUNS_EACH, STAFF, Office, free_org, office, verdicts
from pipelines.demo.recount import recount
from schemas import validate
from schemas.jsonform import parse_line
from schemas.problem import Problem
from schemas.records import Outcome, Principal, Run


@pytest.fixture(scope="module")
def made() -> Office:
    return office()


def records(made: Office, topic: str) -> list[dict[str, Any]]:
    return [record for phase in made.phases if phase.topic == topic for record in phase.records]


def test_a_seed_makes_one_office(made: Office) -> None:
    assert office() == made
    assert office(8) != made


def test_each_office_has_an_organisation_of_its_own(made: Office) -> None:
    """Sent to engines that hold others' records, or another demo's, it meets none of them."""
    assert [free_org(taken) for taken in ((), ("acme",), ("demo",), ("demo", "demo-2"))] == ["demo", "demo", "demo-2", "demo-3"]
    again = office(org="demo-2")
    for one, other in ((made.agents, again.agents), *((a.records, b.records) for a, b in zip(made.phases, again.phases, strict=True))):
        assert [{**record, "org": "demo-2"} for record in one] == other
    assert {o["org"] for o in verdicts({"agent/support-1": {"ref-a": "x"}}, org="demo-2").records} == {"demo-2"}


def test_every_line_is_taken(made: Office) -> None:
    kinds: dict[str, type[Any]] = {"runs": Run, "outcomes": Outcome}
    lines = [(kinds[phase.topic], record) for phase in made.phases for record in phase.records]
    lines += [(Principal, agent) for agent in made.agents]
    for kind, record in lines:
        parsed = parse_line(kind, json.dumps(record))
        assert not isinstance(parsed, Problem), parsed
        assert validate.problem(parsed) is None


def test_twelve_agents_with_forty_runs_each_over_six_weeks(made: Office) -> None:
    runs = {run["run_id"]: run for run in records(made, "runs")}
    assert len(made.agents) == sum(STAFF.values()) == 12
    assert set(Counter(run["agent"] for run in runs.values()).values()) == {RUNS_EACH}
    assert {agent["home_space"] for agent in made.agents} == {"department/support", "department/platform", "personal"}
    assert {run["session"] for run in runs.values()} == {f"week-{n}" for n in range(1, 7)}


def test_learnings_are_restated_reworded_and_found_by_several(made: Office) -> None:
    said: dict[tuple[str, str], list[str]] = {}
    for run in records(made, "runs"):
        for learning in run.get("learnings", ()):
            said.setdefault((run["agent"], learning["entry_key"]), []).append(learning["rule"])
    assert any(one == other for rules in said.values() for one, other in pairwise(rules))
    assert any(one != other for rules in said.values() for one, other in pairwise(rules))
    first = Counter((key.split("/")[0], rules[0]) for (_, key), rules in said.items())
    assert max(first.values()) > 1


def test_outcomes_come_early_late_and_twice(made: Office) -> None:
    assert made.phases[0].topic == "outcomes"
    assert made.phases[0].records
    outcomes = records(made, "outcomes")
    ids = Counter((o["agent"], o["outcome_id"]) for o in outcomes)
    assert sum(n - 1 for n in ids.values()) == 30
    assert any(later["at"] < earlier["at"] for earlier, later in pairwise(o for o in outcomes if o["agent"] == "agent/support-1"))
    assert {o["result"] for o in outcomes} >= {"success", "failure", "minor_failure"}


def test_what_is_planted_stands_in_the_runs_and_everywhere_that_it_could(made: Office) -> None:
    runs = records(made, "runs")
    kinds = {planted.kind for planted in made.planted}
    assert kinds >= {"person", "email", "phone", "address", "card", "iban", "birth_date", "password", "dsn_password", "jwt", "aws_key_id"}
    text = json.dumps(runs, ensure_ascii=False)
    assert all(planted.value in text for planted in made.planted)
    learnings = [learning for run in runs for learning in run.get("learnings", ())]
    for place in ("rule", "cue", "value"):
        shown = json.dumps([learning.get(place) for learning in learnings])
        assert any(planted.value in shown for planted in made.planted), place


def test_some_clear_the_gate_and_some_miss_each_of_its_conditions(made: Office) -> None:
    counts = recount(made.agents, made.phases, made.planted)
    assert len(counts.candidates()) > 10
    figures = [(count, counts.enabled[key[:2]]) for key, count in counts.counts.items()]
    assert any(count.privacy == "agent_specific" for count, _ in figures)
    assert any(count.privacy == "sensitive" for count, _ in figures)
    assert any(count.held for count, _ in figures)
    assert any(count.bound for count, _ in figures)
    assert any(not enabled for _, enabled in figures)
    assert any(not count.verified for count, _ in figures)
    assert any(count.applied < 3 for count, _ in figures)
    assert any(count.helpful < 0.7 * count.applied for count, _ in figures)


def test_verdicts_follow_what_a_learning_is_worth_to_others() -> None:
    local = "Book groups through the old form, which still takes more than nine travellers at once."
    shown = {"agent/support-1": {"ref-a": local}, "agent/support-2": {"ref-a": local, "ref-b": "something else"}}
    phase = verdicts(shown)
    assert phase == verdicts(shown)
    said = {(o["agent"], o["credits"][0]["ref"]): o["credits"][0]["helpful"] for o in phase.records[:-1]}
    assert said["agent/support-1", "ref-a"] == said["agent/support-2", "ref-a"] == "no"
    assert phase.records[-1]["outcome_id"] == "forged-1"
    assert all(o["org"] == ORG for o in phase.records)
    assert verdicts({}).records == []
