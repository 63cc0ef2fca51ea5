"""What can't be taken is put aside with a masked excerpt, and the rest goes on (SPEC 9.4)."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from agents.binding.batch import Incoming
from agents.scan.core import Scan
from schemas.codec import encode
from schemas.records import (
    Entity,
    Run,
    RunSeen,
    Step,
)
from tests.agents.scan.known import OPEN, SECRET
from tests.agents.scan.raw import AT, TOKEN, a_run, incoming, read, scanned


@pytest.mark.parametrize("value", [b"", b"junk", b"\xc3\x01" + b"0" * 20, encode(a_run())[:-1], encode(a_run()) + b"x"])
def test_what_cannot_be_read_is_put_aside_and_the_rest_goes_on(value: bytes) -> None:
    """SPEC 9.4."""
    good = incoming(a_run())
    bad = replace(good, offset=6, value=value)
    out = Scan(SECRET, OPEN).step(3, [bad, good], lambda _: None).out
    letter = read(out[0])
    assert (letter.id, letter.part, letter.excerpt) == ("runs:3:6", "message", None)
    assert letter.replayable_until == AT + timedelta(days=7)
    assert any(isinstance(read(o), RunSeen) for o in out)


def test_a_rule_that_is_broken_is_told_with_its_field_and_a_masked_excerpt() -> None:
    """SPEC 9.4."""
    sent = scanned(a_run(goal=f"use {TOKEN}", attempt=0))
    letter = next(r for t, r in sent if t == "dead-letters")
    assert (letter.reason, letter.field) == ("bad_value", "attempt")
    assert letter.excerpt is not None
    assert TOKEN not in letter.excerpt


@pytest.mark.parametrize(
    ("run", "field", "begins"),
    [
        (a_run(goal="x" * 5000, attempt=0), "attempt", '{"attempt":0,'),
        (a_run(goal="x" * 5000, steps=(Step(), Step(kind="tool", status="fine"))), "steps[1].status", '{"status":"fine","kind":"tool",'),
        (a_run(goal="x" * 5000, tools=("orders.get", "")), "tools[1]", '{"tools":["orders.get",""],'),
    ],
)
def test_an_excerpt_begins_with_the_field_at_fault(run: Run, field: str, begins: str) -> None:
    """SPEC 9.4: what there is to mend must be seen, however long the record."""
    letter = next(r for t, r in scanned(run) if t == "dead-letters")
    assert (letter.field, letter.excerpt[: len(begins)]) == (field, begins)


def test_an_excerpt_tells_neither_goal_nor_whom_the_run_met() -> None:
    """SPEC 3.12, 3.13, 9.4."""
    met = (Entity(kind="person", value="Xhrqz Qwobbl"),)
    steps = (Step(kind="nonsense", input=json.dumps("mail Xhrqz Qwobbl")),)
    for run in (
        a_run(agent="agent/mina-okafor", attempt=0, goal="the broken mug", entities=met),
        a_run(goal="the broken mug", entities=met, steps=steps),
    ):
        [letter] = [r for t, r in scanned(run) if t == "dead-letters"]
        assert letter.excerpt
        for told in ("mina-okafor", "broken mug", "Qwobbl"):
            assert told not in letter.excerpt


@pytest.mark.parametrize("where", ["agent", "org", "key"])
def test_a_name_without_end_is_put_aside_in_few_words(where: str) -> None:
    """Whatever tells of it must fit the topics it goes to: what can't be sent stops a worker, and the next one."""
    name = "x" * 3_000_000
    record = Incoming("runs", "e1", 3, 7, AT, f"acme/{name}".encode(), b"no avro")
    if where != "key":
        record = incoming(a_run(**{where: name}))
    out = Scan(SECRET, OPEN).step(3, [record], lambda _: None).out
    assert [o.topic for o in out] == ["dead-letters"]
    assert len(out[0].value or b"") < 2000
