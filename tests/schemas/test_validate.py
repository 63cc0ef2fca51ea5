"""What a record from outside must keep beyond its schema (SPEC 2.1, 5.1; DESIGN, "The forms on the wire")."""

from dataclasses import replace
from typing import Any

import pytest

from schemas.records import ClaimDraft, CreditDraft, Exposure, LearningDraft, Outcome, Principal, Run, Step, Tick, Write
from schemas.validate import NAME_CHARS, RUN_BYTES, TEXT_BYTES, problem, unheeded

RUN = Run(run_id="r-1", org="acme", agent="agent/a")
LEARNING = LearningDraft(entry_key="support/pattern-x", rule="Check the status first.")
OUTCOME = Outcome(outcome_id="o-1", org="acme", agent="agent/a", result="success")
CREDIT = CreditDraft(entry_key="support/pattern-x")
WRITE = Write(org="acme", agent="agent/a", work_area="support", learning=LearningDraft(entry_key="a/b", rule="Look."))
AGENT = Principal(org="acme", principal="agent/a")


def learning(**changed: object) -> Run:
    return replace(RUN, learnings=(LEARNING, replace(LEARNING, **changed)))  # type: ignore[arg-type]


def step(**changed: object) -> Run:
    return replace(RUN, steps=(Step(**changed),))  # type: ignore[arg-type]


def claim(**changed: str | None) -> Run:
    return replace(RUN, claims=(ClaimDraft(**{"entity": "e", "key": "k", **changed}),))  # type: ignore[arg-type]


def outcome(**changed: object) -> Outcome:
    return replace(OUTCOME, **changed)  # type: ignore[arg-type]


def credit(**changed: object) -> Outcome:
    return replace(OUTCOME, credits=(CREDIT, replace(CREDIT, **changed)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "record",
    [
        RUN,
        learning(),
        learning(confidence=0.0, importance=1.0, privacy="organisation", kind="skill", memory_type="procedure"),
        learning(value='{"steps":["a"]}'),
        learning(value="null"),
        step(),
        step(kind="tool", status="running", input='{"a":1}', output='"text"', duration_ms=0),
        claim(value="7"),
        OUTCOME,
        credit(),
        credit(entry_key=None, ref="r" * 50, helpful="unknown", version=1),
        outcome(result=None, score=0.0),
        outcome(result="retracted", amends="o-0", verified_by="ci"),
        AGENT,
        replace(AGENT, home_space="commons"),
        replace(AGENT, home_space="department"),
        replace(AGENT, home_space="department/support"),
        replace(AGENT, home_space="department/support/returns"),
        WRITE,
        replace(WRITE, work_area=None, rollback_to=1),
        Exposure(org="acme", agent="a", process="p", sequence=0),
    ],
)
def test_good_records_pass(record: object) -> None:
    assert problem(record) is None


@pytest.mark.parametrize(
    ("record", "code", "path"),
    [
        (replace(RUN, run_id=""), "missing", "run_id"),
        (replace(RUN, org=" "), "missing", "org"),
        (replace(RUN, org="a/b"), "bad_value", "org"),
        (replace(RUN, org="*"), "bad_value", "org"),
        (replace(RUN, org="acme\nx"), "bad_value", "org"),
        (replace(RUN, agent="agent/a\x7f"), "bad_value", "agent"),
        (replace(AGENT, principal="person/a\tb"), "bad_value", "principal"),
        (replace(RUN, agent="\t"), "missing", "agent"),
        (replace(RUN, agent="a" * (NAME_CHARS + 1)), "too_large", "agent"),
        (replace(RUN, session=""), "bad_value", "session"),
        (replace(RUN, attempt=0), "bad_value", "attempt"),
        (replace(RUN, producer="robot"), "bad_value", "producer"),
        (replace(RUN, tools=("a", "")), "bad_value", "tools[1]"),
        (step(kind="call"), "bad_value", "steps[0].kind"),
        (step(status="fine"), "bad_value", "steps[0].status"),
        (step(duration_ms=-1), "bad_value", "steps[0].duration_ms"),
        (step(input="not json"), "not_json", "steps[0].input"),
        (step(output="[NaN]"), "not_json", "steps[0].output"),
        (step(output='{"a":1,"a":2}'), "bad_value", "steps[0].output"),
        (learning(entry_key=""), "missing", "learnings[1].entry_key"),
        (learning(entry_key="no-path"), "bad_value", "learnings[1].entry_key"),
        (learning(entry_key="path/"), "bad_value", "learnings[1].entry_key"),
        (learning(entry_key="/key"), "bad_value", "learnings[1].entry_key"),
        (learning(branch=""), "missing", "learnings[1].branch"),
        (learning(rule="  "), "missing", "learnings[1].rule"),
        (learning(memory_type="hunch"), "bad_value", "learnings[1].memory_type"),
        (learning(kind="memo"), "bad_value", "learnings[1].kind"),
        (learning(confidence=1.01), "bad_value", "learnings[1].confidence"),
        (learning(importance=-0.1), "bad_value", "learnings[1].importance"),
        (learning(value="{"), "not_json", "learnings[1].value"),
        (learning(value='["\\ud800"]'), "bad_value", "learnings[1].value"),
        (learning(rule="ü" * (TEXT_BYTES // 2 + 1)), "too_large", "learnings[1]"),
        (learning(tools=("",)), "bad_value", "learnings[1].tools[0]"),
        (learning(value_bindings=("x" * (NAME_CHARS + 1),)), "too_large", "learnings[1].value_bindings[0]"),
        (claim(entity=""), "missing", "claims[0].entity"),
        (claim(key=" "), "missing", "claims[0].key"),
        (claim(value="x"), "not_json", "claims[0].value"),
        (replace(WRITE, work_area=None), "missing", "work_area"),
        (replace(WRITE, rollback_to=0), "bad_value", "rollback_to"),
        (replace(WRITE, producer="robot"), "bad_value", "producer"),
        (replace(WRITE, learning=replace(WRITE.learning, rule="")), "missing", "learning.rule"),
        (outcome(outcome_id=""), "missing", "outcome_id"),
        (outcome(result=None), "missing", "result"),
        (outcome(score=0.5), "bad_value", "score"),
        (outcome(result=None, score=1.5), "bad_value", "score"),
        (outcome(result="meh"), "bad_value", "result"),
        (outcome(result="retracted"), "missing", "amends"),
        (outcome(verified_by="me"), "bad_value", "verified_by"),
        (outcome(causal_confidence=2.0), "bad_value", "causal_confidence"),
        (credit(entry_key=None), "missing", "credits[1].entry_key"),
        (credit(ref="r"), "bad_value", "credits[1].ref"),
        (credit(entry_key="flat"), "bad_value", "credits[1].entry_key"),
        (credit(version=0), "bad_value", "credits[1].version"),
        (credit(helpful="very"), "bad_value", "credits[1].helpful"),
        (outcome(recall_ids=("x" * 1000,) * 1001), "too_large", None),
        (replace(AGENT, home_space=""), "missing", "home_space"),
        *(
            (replace(AGENT, home_space=space), "bad_value", "home_space")
            for space in (
                "departmnt/ops",
                "organisation",
                "Commons",
                "commons/x",
                "personal/x",
                "department/",
                "department//x",
                "/department",
            )
        ),
        (replace(AGENT, producer="x"), "bad_value", "producer"),
        (replace(RUN, goal="x" * (RUN_BYTES + 1)), "too_large", None),
    ],
)
def test_what_is_wrong_is_named(record: object, code: str, path: str | None) -> None:
    found = problem(record)
    assert found is not None
    assert (found.code, found.field) == (code, path)


def test_a_record_of_ours_is_no_record_from_outside() -> None:
    with pytest.raises(TypeError):
        problem(Tick.__new__(Tick))


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (learning(), []),
        (learning(privacy="sensitive"), []),
        (learning(privacy="private"), [("learnings[1].privacy", "shareable")]),
        (learning(privacy="private", shared=False), [("learnings[1].privacy", "agent_specific")]),
        (claim(privacy="public"), [("claims[0].privacy", "agent_specific")]),
        (replace(WRITE, learning=replace(LEARNING, privacy="")), [("learning.privacy", "shareable")]),
        (OUTCOME, []),
    ],
)
def test_a_privacy_that_nobody_knows_is_told_and_how_it_reads(record: object, found: list[tuple[str, str]]) -> None:
    """SPEC 2.6: it is taken, so whoever sends it must hear what it comes to."""
    assert problem(record) is None
    told = [(odd.field, odd.detail) for odd in unheeded(record)]
    assert told == [(path, f"not one of shareable, agent_specific, sensitive: it reads {reads}") for path, reads in found]


def test_a_message_has_no_more_parts_than_can_be_kept() -> None:
    """docs/wire.md, "Limits"."""
    learning, claim = LearningDraft(entry_key="a/b", rule="c"), ClaimDraft(entity="e", key="k")
    run, outcome = Run(run_id="r", org="o", agent="a"), Outcome(outcome_id="o", org="o", agent="a", result="success")
    parts: list[tuple[Any, str, Any]] = [
        (run, "learnings", learning),
        (run, "claims", claim),
        (outcome, "credits", CreditDraft(entry_key="a/b")),
    ]
    for record, field, part in parts:
        assert problem(replace(record, **{field: (part,) * 256})) is None
        found = problem(replace(record, **{field: (part,) * 257}))
        assert found is not None
        assert (found.code, found.field) == ("too_large", field)


def test_keys_of_an_environment_count_as_text() -> None:
    draft = LearningDraft(entry_key="a/b", rule="c", environment={"k" * 300_000: "v"})
    found = problem(Run(run_id="r", org="o", agent="a", learnings=(draft,)))
    assert found is not None
    assert found.code == "too_large"
