"""DESIGN, "The forms on the wire": what JSON is taken as a record, and what is said of JSON that is not."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from schemas.jsonform import NESTED, canonical, dump, loads, parse, parse_line
from schemas.problem import Problem
from schemas.records import Outcome, Principal, Run, Step

RUN = {"run_id": "r-1", "org": "acme", "agent": "agent/a"}
LEARNING = {"entry_key": "support/pattern-x", "rule": "Check the status first."}
OUTCOME = {"outcome_id": "o-1", "org": "acme", "agent": "agent/a", "result": "success", "credits": []}

# The examples of DESIGN.md and INTERFACES.md, whole.
DESIGN_RUN = """
{"run_id": "r-1", "parent_run_id": null, "recall_ids": [], "org": "acme", "agent": "agent/support-1", "session": "s-9",
 "work_area": "support/refunds", "space": null, "attempt": 1,
 "started_at": "2026-03-01T09:00:00Z", "ended_at": "2026-03-01T09:02:10Z", "producer": "agent", "model": "…", "runtime": "…",
 "environment": {"repo": "…", "branch": "main"},
 "goal": "…", "exit_status": "completed",
 "steps": [{"kind": "message", "role": "user", "output": "…"},
   {"kind": "tool", "at": "2026-03-01T09:00:04Z", "duration_ms": 310, "call_id": "c-1", "tool": "orders.get", "input": {"order": 7},
    "output": "…", "status": "ok", "exit_code": 0}],
 "tools": ["orders.get"], "entities": [{"kind": "person", "value": "…"}],
 "learnings": [{"entry_key": "support/refunds/pattern-check-status", "branch": "main", "rule": "…", "value": null, "cue": "…",
   "tools": ["orders.get"], "goal_phrases": [], "memory_type": "procedure", "kind": "memory", "privacy": "shareable", "environment": {},
   "confidence": 1.0, "importance": 0.5, "is_artifact": false, "ttl_at": null, "pattern_refs": [], "value_bindings": []}],
 "claims": [{"entity": "…", "key": "billing/invoice-terms", "value": {"any": "json"}, "privacy": "agent_specific"}]}
"""
DESIGN_OUTCOME = """
{"outcome_id": "o-1", "org": "acme", "agent": "agent/support-2", "run_id": "r-7", "at": "2026-03-01T10:00:00Z", "result": "success",
 "score": null, "scorer": null, "amends": null, "verified_by": "ci", "causal_confidence": 1.0, "recall_ids": [],
 "credits": [{"entry_key": "support/refunds/pattern-check-status", "version": null, "applied": true, "helpful": "yes"},
   {"ref": "…", "applied": true, "helpful": "no"}]}
"""
AGENT = """
{"org": "acme", "agent": "agent/a", "home_space": "department/x", "producer": "hook", "hosted": true, "shared_learning": null,
 "tools": ["orders.get"]}
"""


@pytest.mark.parametrize(("kind", "text"), [(Run, DESIGN_RUN), (Outcome, DESIGN_OUTCOME), (Principal, AGENT)])
def test_the_forms_of_the_design_are_taken_and_come_back(kind: type[Any], text: str) -> None:
    record = parse_line(kind, text)
    assert isinstance(record, kind)
    dumped = dump(record)
    assert parse(kind, dumped) == record
    assert set(json.loads(text)) <= set(dumped)


def test_a_dumped_agent_has_the_fields_of_the_interface_alone() -> None:
    assert dump(parse(Principal, {"org": "acme", "agent": "a"})) == {
        "org": "acme", "agent": "a", "home_space": "personal", "producer": "agent", "hosted": False, "shared_learning": None, "tools": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"b": 1, "a": [True, None, 2.5]}, '{"a":[true,null,2.5],"b":1}'),
        ("text", '"text"'),
        ("ü\u2028", '"ü\u2028"'),
        (0, "0"),
        (False, "false"),
        ([], "[]"),
        (None, None),
    ],
)
def test_any_json_is_kept_as_canonical_text(given: object, text: str | None) -> None:
    record = parse(Run, {**RUN, "steps": [{"output": given}], "learnings": [{**LEARNING, "value": given}]})
    assert isinstance(record, Run)
    assert record.steps[0].output == record.learnings[0].value == text
    assert dump(record)["steps"][0]["output"] == given


@pytest.mark.parametrize("name", ["attempt", "tools", "environment", "session", "started_at", "producer", "learnings", "claims"])
def test_null_reads_as_left_out(name: str) -> None:
    assert parse(Run, {**RUN, name: None}) == parse(Run, RUN)


@pytest.mark.parametrize(
    ("told", "utc"),
    [
        ("2026-03-01T09:00:00Z", datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("2026-03-01t09:00:00z", datetime(2026, 3, 1, 9, tzinfo=UTC)),
        ("2026-03-01 09:00:00+09:00", datetime(2026, 3, 1, 0, tzinfo=UTC)),
        ("2026-03-01T09:00:00.5-00:30", datetime(2026, 3, 1, 9, 30, 0, 500_000, tzinfo=UTC)),
        ("2026-03-01T09:00:00.123456789Z", datetime(2026, 3, 1, 9, 0, 0, 123_000, tzinfo=UTC)),
    ],
)
def test_times_are_kept_in_utc_to_the_millisecond(told: str, utc: datetime) -> None:
    record = parse(Run, {**RUN, "started_at": told})
    assert isinstance(record, Run)
    assert record.started_at == utc
    assert dump(record)["started_at"] == utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize(
    ("confidence", "duration"),
    [(1, 310), (1.0, 310.0)],
)
def test_numbers_are_taken_in_either_form(confidence: float, duration: float) -> None:
    record = parse(Run, {**RUN, "steps": [{"duration_ms": duration}], "learnings": [{**LEARNING, "confidence": confidence}]})
    assert isinstance(record, Run)
    assert repr(record.learnings[0].confidence) == "1.0"
    assert repr(record.steps[0].duration_ms) == "310"


@pytest.mark.parametrize(
    ("kind", "obj", "code", "path"),
    [
        (Run, [], "bad_value", None),
        (Run, "text", "bad_value", None),
        (Run, None, "bad_value", None),
        (Run, {"org": "acme", "agent": "a"}, "missing", "run_id"),
        (Run, {**RUN, "org": None}, "missing", "org"),
        (Run, {**RUN, "org": 7}, "bad_value", "org"),
        (Run, {**RUN, "surprise": 1}, "unknown_field", "surprise"),
        (Run, {**RUN, "sk-4aB9": 1}, "unknown_field", None),
        (Run, {**RUN, "learnings": [{**LEARNING, "AKIA1234": 1}]}, "unknown_field", "learnings[0]"),
        (Run, {**RUN, "attempt": 1.7}, "bad_value", "attempt"),
        (Run, {**RUN, "attempt": True}, "bad_value", "attempt"),
        (Run, {**RUN, "attempt": "1"}, "bad_value", "attempt"),
        (Run, {**RUN, "attempt": 2**40}, "bad_value", "attempt"),
        (Run, {**RUN, "attempt": float("inf")}, "bad_value", "attempt"),
        (Run, {**RUN, "steps": {}}, "bad_value", "steps"),
        (Run, {**RUN, "steps": [{}, 1]}, "bad_value", "steps[1]"),
        (Run, {**RUN, "steps": [None]}, "bad_value", "steps[0]"),
        (Run, {**RUN, "steps": [{"duration_ms": 2**63}]}, "bad_value", "steps[0].duration_ms"),
        (Run, {**RUN, "steps": [{"output": float("nan")}]}, "bad_value", "steps[0].output"),
        (Run, {**RUN, "steps": [{"output": "\ud800"}]}, "bad_value", "steps[0].output"),
        (Run, {**RUN, "steps": [{"at": "2026-03-01T09:00:00"}]}, "bad_value", "steps[0].at"),
        (Run, {**RUN, "tools": [None]}, "bad_value", "tools[0]"),
        (Run, {**RUN, "tools": "orders.get"}, "bad_value", "tools"),
        (Run, {**RUN, "environment": {"k": 1}}, "bad_value", "environment"),
        (Run, {**RUN, "environment": {"\ud800": "x"}}, "bad_value", "environment"),
        (Run, {**RUN, "goal": "\udfff"}, "bad_value", "goal"),
        (Run, {**RUN, "learnings": [LEARNING, LEARNING, {"entry_key": "a/b"}]}, "missing", "learnings[2].rule"),
        (Run, {**RUN, "learnings": [LEARNING, LEARNING, {**LEARNING, "rule": 7}]}, "bad_value", "learnings[2].rule"),
        (Run, {**RUN, "learnings": [{**LEARNING, "confidence": "1"}]}, "bad_value", "learnings[0].confidence"),
        (Run, {**RUN, "learnings": [{**LEARNING, "confidence": False}]}, "bad_value", "learnings[0].confidence"),
        (Run, {**RUN, "learnings": [{**LEARNING, "confidence": float("nan")}]}, "bad_value", "learnings[0].confidence"),
        (Run, {**RUN, "learnings": [{**LEARNING, "confidence": 10**400}]}, "bad_value", "learnings[0].confidence"),
        (Run, {**RUN, "learnings": [{**LEARNING, "is_artifact": 1}]}, "bad_value", "learnings[0].is_artifact"),
        (Outcome, {k: v for k, v in OUTCOME.items() if k != "credits"}, "missing", "credits"),
        (Outcome, {**OUTCOME, "credits": None}, "missing", "credits"),
        (Outcome, {**OUTCOME, "credits": [{"applied": "yes"}]}, "bad_value", "credits[0].applied"),
        (Outcome, {"outcome_id": "o-1", "org": "acme", "agent": "a", "credit": []}, "unknown_field", "credit"),
        (Principal, {"org": "acme"}, "missing", "agent"),
        (Principal, {"org": "acme", "principal": "a"}, "unknown_field", "principal"),
        (Principal, {"org": "acme", "agent": "a", "kind": "person"}, "unknown_field", "kind"),
    ],
)
def test_what_is_refused_names_its_field(kind: type[Any], obj: object, code: str, path: str | None) -> None:
    problem = parse(kind, obj)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.field) == (code, path)
    assert problem.detail


@pytest.mark.parametrize(
    "told",
    [
        "2026-03-01", "2026-03-01T09:00:00", "2026-03-01T09:00Z", "20260301T090000Z", "2026-W09-7T09:00:00Z", "2026-02-30T09:00:00Z",
        "2026-03-01T24:00:00Z", "2026-03-01T09:00:60Z", "2026-03-01T09:00:00+0900", "1969-12-31T23:59:59Z", "0001-01-01T00:00:00+09:00",
        "9999-12-31T23:59:59-09:00", "٢٠٢٦-03-01T09:00:00Z", "", "now", 1772355600, True,
    ],
)  # fmt: skip
def test_times_that_are_not_rfc_3339_with_an_offset_are_refused(told: object) -> None:
    problem = parse(Run, {**RUN, "ended_at": told})
    assert isinstance(problem, Problem)
    assert problem.field == "ended_at"


@pytest.mark.parametrize(
    ("text", "code", "path"),
    [
        ("", "not_json", None),
        ("{", "not_json", None),
        ("{} {}", "not_json", None),
        ('{"run_id": NaN}', "not_json", None),
        ('{"run_id": -Infinity}', "not_json", None),
        ("[" * 100_000, "not_json", None),
        ("1" * 10_000, "not_json", None),
        (b"\xff", "not_json", None),
        (b"\xef\xbb\xbf{}", "not_json", None),
        ('{"run_id": "r", "run_id": "s", "org": "o", "agent": "a"}', "bad_value", None),
        ('{"run_id": "r", "org": "o", "agent": "a", "environment": {"k": "1", "k": "2"}}', "bad_value", "environment"),
        ('{"run_id": "r", "org": "o", "agent": "a", "steps": [{}, {"kind": "tool", "kind": "tool"}]}', "bad_value", "steps[1]"),
        ('{"run_id": "r", "org": "o", "agent": "a", "steps": [{"input": [{"k": 1, "k": 1}]}]}', "bad_value", "steps[0].input"),
        ('{"run_id": "r", "org": "o", "agent": "a", "steps": [{"input": [1e999]}]}', "bad_value", "steps[0].input"),
        ('{"run_id": "r", "org": "o", "agent": "a", "steps": [{"input": {"\\ud800": 1}}]}', "bad_value", "steps[0].input"),
    ],
)
def test_lines_that_are_no_record_are_refused(text: str | bytes, code: str, path: str | None) -> None:
    problem = parse_line(Run, text)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.field) == (code, path)


def test_a_refusal_never_says_a_value() -> None:
    value = "correct-horse-battery-staple"
    wrong = [
        {**RUN, "attempt": value},
        {**RUN, "started_at": value},
        {**RUN, "steps": value},
        {**RUN, "steps": [value]},
        {**RUN, "environment": {value: 1}},
        {**RUN, value + "7": 1},
        {**RUN, "learnings": [{**LEARNING, "confidence": value}]},
    ]
    for obj in wrong:
        problem = parse(Run, obj)
        assert isinstance(problem, Problem)
        assert value not in f"{problem.field} {problem.detail}"


def nested(levels: int, open_: str = "[", close: str = "]") -> str:
    return open_ * levels + "1" + close * levels


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        (nested(NESTED), True),
        (nested(NESTED + 1), False),
        (nested(NESTED, '{"a":', "}"), True),
        (nested(NESTED + 1, '{"a":', "}"), False),
        ("[" + "[]," * 1000 + "{}]", True),
        (canonical("[" * 1000), True),
        (nested(900), False),
        (nested(100_000), False),
    ],
)
def test_how_deep_json_may_be(text: str, taken: bool) -> None:
    assert isinstance(loads(text), Problem) is not taken
    run = parse_line(Run, json.dumps(RUN)[:-1] + ', "steps": [{"output": ' + text + "}]}")
    assert isinstance(run, Problem) is not taken


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', "[NaN]", '["\\ud83d"]', "[1e999]", "nope", '{"a": [{"b": {"c": 1, "c": 2}}]}'])
def test_strict_reading_of_a_json_text(text: str) -> None:
    assert isinstance(loads(text), Problem)


@pytest.mark.parametrize("value", [{"b": [1, 2.5, None, True, "\U0001f600"], "a": {}}, "text", 7, None, []])
def test_canonical_text_reads_back(value: object) -> None:
    assert loads(canonical(value)) == value
    assert canonical(loads(canonical(value))) == canonical(value)


def test_canonical_refuses_what_is_no_json() -> None:
    with pytest.raises(ValueError):
        canonical([float("nan")])


@pytest.mark.parametrize("text", ["not json", "{", "[" * 100_000, "", "[NaN]", "[-1e999]"])
def test_a_record_whose_json_is_none_is_dumped_all_the_same(text: str) -> None:
    record = Run(run_id="r", org="o", agent="a", steps=(Step(output=text),))
    assert dump(record)["steps"][0]["output"] == text
    assert canonical(dump(record))


def test_a_retraction_needs_no_credits() -> None:
    """SPEC 5.10: there is nothing left to credit."""
    taken = parse(Outcome, {"outcome_id": "o-2", "org": "acme", "agent": "a", "result": "retracted", "amends": "o-1"})
    assert isinstance(taken, Outcome)
    assert taken.credits == ()


@pytest.mark.parametrize(("key", "said"), [("credit", "is not a field of it; did you mean credits?"), ("weather", "is not a field of it")])
def test_a_misspelt_field_is_told_before_what_it_leaves_missing(key: str, said: str) -> None:
    problem = parse(Outcome, {"outcome_id": "o-2", "org": "acme", "agent": "a", "result": "success", key: []})
    assert isinstance(problem, Problem)
    assert (problem.field, problem.detail) == (key, said)
