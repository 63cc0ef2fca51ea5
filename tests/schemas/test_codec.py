"""The strict codec: what is encoded comes back whole, and what is not exactly one record of ours is refused."""

import io
import os
import struct
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import fastavro
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas import codec
from schemas.problem import Problem
from schemas.records import AgentChanged, CreditDraft, LearningDraft, Outcome, Run, Source, Step, Tick
from schemas.store import HERE, SCHEMAS, Schema
from tests.schemas.strategies import values

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
RUN = Run(run_id="r-1", org="acme", agent="agent/a", steps=(Step(output='"x"', at=AT),))
OUTCOME = Outcome(outcome_id="o-1", org="acme", agent="agent/a", result="success", credits=(CreditDraft(entry_key="a/b"),))
CHANGED = AgentChanged(
    source=Source(topic="principals", epoch="e", partition=0, offset=0),
    sender=0,
    org="acme",
    agent="a",
    received_at=AT,
    home_space="x",
    producer="agent",
    hosted=True,
)


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=lambda s: s.name)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_every_record_comes_back_whole(schema: Schema, data: st.DataObject) -> None:
    record = data.draw(values(schema.tree))
    message = codec.encode(record)
    assert codec.decode(message) == record
    assert codec.check(record) is None
    assert codec.load(type(record), message) == record


def test_a_message_is_marker_fingerprint_and_body() -> None:
    message = codec.encode(Tick(at=AT))
    assert message[:2] == b"\xc3\x01"
    assert message[2:10] == SCHEMAS["Tick"].fingerprint
    assert len(message) == 10 + 6  # the milliseconds of a time in 2026 are six bytes of variable length


def test_another_writer_of_avro_is_read() -> None:
    # As any library writes it from the .avsc alone.
    parsed = fastavro.parse_schema(fastavro.schema.load_schema(str(HERE / "avsc" / "tick.avsc")))
    body = struct.pack("<2s8s", b"\xc3\x01", SCHEMAS["Tick"].fingerprint) + _body(parsed, {"at": 1772355600000})
    assert codec.decode(body) == Tick(at=datetime(2026, 3, 1, 9, tzinfo=UTC))


def _body(schema: Any, plain: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, plain)
    return out.getvalue()


def _message(record: Any, **plain: Any) -> bytes:
    """The message of a record with values that fastavro writes and our codec does not."""
    schema = SCHEMAS[type(record).__name__]
    return codec.MARKER + schema.fingerprint + _body(schema.parsed, {**codec._writer(schema.name)(record), **plain})


def changed(record: Any, **values: Any) -> Any:
    return replace(record, **values)


NAIVE = datetime(2026, 3, 1, 9)  # noqa: DTZ001 - that is the case


class _NoOffset(timezone.__base__):  # type: ignore[misc, name-defined]
    def utcoffset(self, _: Any) -> None:
        return None


@pytest.mark.parametrize(
    ("record", "path", "detail"),
    [
        (Tick(at=NAIVE), "at", "offset"),
        (Tick(at=NAIVE.replace(tzinfo=_NoOffset())), "at", "offset"),
        (Tick(at=1772355600000), "at", "time"),  # type: ignore[arg-type]
        (Tick(at=datetime(1969, 12, 31, tzinfo=UTC)), "at", "1970"),
        (Tick(at=datetime.max.replace(tzinfo=UTC)), "at", "9999"),
        (changed(RUN, attempt=2**40), "attempt", "32 bits"),
        (changed(RUN, attempt=1.7), "attempt", "whole"),
        (changed(RUN, attempt=True), "attempt", "whole"),
        (changed(RUN, org=None), "org", "string"),
        (changed(RUN, org=b"acme"), "org", "string"),
        (changed(RUN, goal="a\ud800b"), "goal", "surrogate"),
        (changed(RUN, tools=["a"]), "tools", "tuple"),
        (changed(RUN, tools=("a", 1)), "tools[1]", "string"),
        (changed(RUN, environment={"k": 1}), "environment", "string"),
        (changed(RUN, environment={"\udfff": "v"}), "environment", "surrogate"),
        (changed(RUN, environment=()), "environment", "map"),
        (changed(RUN, steps=(Step(), Step(duration_ms=2**63))), "steps[1].duration_ms", "64 bits"),
        (changed(RUN, steps=({"kind": "tool"},)), "steps[0]", "Step"),
        (changed(RUN, steps=(Step(at=NAIVE),)), "steps[0].at", "offset"),
        (changed(RUN, learnings=(LearningDraft(entry_key="a/b", rule="r", confidence=float("nan")),)), "learnings[0].confidence", "finite"),
        (changed(RUN, learnings=(LearningDraft(entry_key="a/b", rule="r", confidence=1),)), "learnings[0].confidence", "float"),
        (changed(OUTCOME, score=float("inf")), "score", "finite"),
        (changed(OUTCOME, credits=(CreditDraft(applied=1),)), "credits[0].applied", "true or false"),  # type: ignore[arg-type]
        (changed(CHANGED, source=RUN), "source", "Source"),
        (changed(CHANGED, source=Source(topic="t", epoch="e", partition=2**31, offset=0)), "source.partition", "32 bits"),
    ],
)  # fmt: skip
def test_what_its_schema_does_not_hold_is_not_encoded(record: Any, path: str, detail: str) -> None:
    problem = codec.check(record)
    assert problem is not None
    assert (problem.code, problem.field) == ("bad_value", path)
    assert detail in problem.detail
    with pytest.raises(ValueError) as raised:
        codec.encode(record)
    assert f".{path}: " in str(raised.value)


GOOD = codec.encode(RUN)


@pytest.mark.parametrize(
    ("message", "code", "path"),
    [
        (None, "not_avro", None),
        (b"", "not_avro", None),
        (b"\xc3\x01", "not_avro", None),
        (GOOD[:9], "not_avro", None),
        (b"\x00\x00\x00\x00\x07" + GOOD[10:], "not_avro", None),
        (b"\xc3\x02" + GOOD[2:], "not_avro", None),
        (b'{"run_id": "r-1"}', "not_avro", None),
        (b"\xc3\x01" + b"\x00" * 8 + GOOD[10:], "unknown_schema", None),
        (GOOD[:10], "damaged", None),
        (GOOD[:-1], "damaged", None),
        (GOOD + b"\x00", "damaged", None),
        (GOOD + GOOD, "damaged", None),
        (GOOD[:10] + b"\xff" * 40, "damaged", None),
        (GOOD[:10] + b"\x06\xff\xff\xff" + GOOD[14:], "damaged", None),
        (_message(Tick(at=AT), at=-1), "bad_value", "at"),
        (_message(Tick(at=AT), at=2**62), "damaged", None),
        (_message(RUN, attempt=2**40), "bad_value", "attempt"),
        (_message(OUTCOME, causal_confidence=float("nan")), "bad_value", "causal_confidence"),
        (_message(OUTCOME, score=float("-inf")), "bad_value", "score"),
    ],
)
def test_a_message_that_is_not_exactly_one_record_is_a_problem(message: bytes | None, code: str, path: str | None) -> None:
    problem = codec.decode(message)
    assert isinstance(problem, Problem)
    assert (problem.code, problem.field) == (code, path)


@settings(max_examples=300, deadline=None)
@given(cut=st.integers(10, len(GOOD) - 1))
def test_every_truncation_is_a_problem(cut: int) -> None:
    assert isinstance(codec.decode(GOOD[:cut]), Problem)


@settings(max_examples=300, deadline=None)
@given(junk=st.binary(max_size=200))
def test_no_body_makes_the_codec_raise(junk: bytes) -> None:
    for message in (junk, GOOD[:10] + junk):
        found = codec.decode(message)
        assert isinstance(found, Problem | Run)


def test_a_problem_says_no_value() -> None:
    secret = "correct-horse-battery-staple"
    for message in (secret.encode(), GOOD[:10] + secret.encode(), GOOD + secret.encode()):
        problem = codec.decode(message)
        assert isinstance(problem, Problem)
        assert secret not in problem.detail


def test_the_wrong_record_is_a_problem() -> None:
    problem = codec.decode_as(Outcome, GOOD)
    assert isinstance(problem, Problem)
    assert problem.code == "wrong_record"
    assert codec.decode_as(Run, GOOD) == RUN
    with pytest.raises(ValueError, match="wrong_record"):
        codec.load(Outcome, GOOD)


def test_times_do_not_depend_on_where_the_process_runs() -> None:
    elsewhere = datetime(2026, 3, 1, 18, tzinfo=timezone(timedelta(hours=9)))
    assert codec.encode(Tick(at=elsewhere)) == codec.encode(Tick(at=AT))
    program = f"""
from datetime import UTC, datetime
from schemas import codec, jsonform
from schemas.records import Run, Tick
message = bytes.fromhex({codec.encode(Tick(at=AT)).hex()!r})
assert codec.decode(message) == Tick(at=datetime(2026, 3, 1, 9, tzinfo=UTC))
assert codec.encode(Tick(at=datetime(2026, 3, 1, 9, tzinfo=UTC))) == message
run = jsonform.parse(Run, {{"run_id": "r", "org": "o", "agent": "a", "started_at": "2026-03-01T18:00:00+09:00"}})
assert jsonform.dump(run)["started_at"] == "2026-03-01T09:00:00.000Z"
"""
    environment = {**os.environ, "TZ": "Asia/Tokyo", "PYTHONPATH": str(HERE.parent)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
