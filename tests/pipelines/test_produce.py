"""Lines become messages or refusals, and nothing else."""

import base64
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from confluent_kafka import Consumer, Message, TopicPartition

from pipelines.produce import Record, Refusal, Report, parts_of, produce
from schemas import codec
from schemas.jsonform import parse
from schemas.partition import log_hash, partition_of
from schemas.records import Outcome, Run
from schemas.signing import Signer
from tests.pipelines.conftest import Deployment

pytestmark = pytest.mark.broker

RUN = {"run_id": "r-1", "org": "acme", "agent": "agent/a"}
LEARNING = {"entry_key": "support/refunds/pattern-check", "rule": "Check first."}
OUTCOME = {"outcome_id": "o-1", "org": "acme", "agent": "agent/a", "result": "success", "credits": []}
SECRET = "swordfish"
SIGNER = Signer.operator(b"s" * 32)


def sent_from(deployment: Deployment, topic: str, lines: Sequence[Any], defaults: dict[str, str] | None = None) -> Report:
    """What becomes of some lines, each JSON or text."""
    numbered = ((n, (line if isinstance(line, str) else json.dumps(line)).encode()) for n, line in enumerate(lines, 1))
    return produce(numbered, topic, deployment.producer, deployment.layout.prefix, SIGNER, defaults or {}, lambda *_: None)


def messages(deployment: Deployment, report: Report) -> Iterator[Message]:
    """The messages that a report says were sent, as they stand on the topic."""
    consumer = Consumer(dict(deployment.config) | {"group.id": "none", "enable.auto.commit": False})
    try:
        for sent in report.sent:
            consumer.assign([TopicPartition(deployment.layout.prefix + sent.topic, sent.partition, sent.offset)])
            message = consumer.poll(20)
            assert message is not None and message.error() is None and message.offset() == sent.offset
            yield message
    finally:
        consumer.close()


@pytest.mark.parametrize(
    ("topic", "line", "field", "error"),
    [
        ("runs", "{", None, "not JSON"),
        ("runs", "[]", None, "not an object"),
        ("runs", '{"run_id": NaN}', None, "not JSON"),
        ("runs", {"org": "acme", "agent": "agent/a"}, "run_id", "is needed"),
        ("runs", RUN | {"password": SECRET}, "password", "is not a field of it"),
        ("runs", RUN | {"started_at": "2026-03-01T09:00:00"}, "started_at", "offset from UTC"),
        ("runs", RUN | {"learnings": [LEARNING, {"entry_key": "a/b"}]}, "learnings[1].rule", "is needed"),
        ("runs", RUN | {"learnings": [LEARNING | {"entry_key": SECRET}]}, "learnings[0].entry_key", "entity_path/key"),
        ("runs", RUN | {"steps": [{"kind": SECRET}]}, "steps[0].kind", "not one of"),
        ("outcomes", {**OUTCOME, "result": None}, "result", "result or score"),
        ("outcomes", OUTCOME | {"score": 0.5}, "score", "give one of them"),
        ("outcomes", {k: v for k, v in OUTCOME.items() if k != "credits"}, "credits", "is needed"),
        ("outcomes", OUTCOME | {"credits": [{"applied": True}]}, "credits[0].entry_key", "entry_key or ref"),
        ("outcomes", OUTCOME | {"outcome_id": "x" * 2000}, "outcome_id", "characters long"),
        ("outcomes", OUTCOME | {"recall_ids": [f"{n}{SECRET}" for n in range(80_000)]}, None, "the limit is"),
    ],
)
def test_a_broken_line_is_refused_with_its_number_field_and_reason_and_the_rest_goes_on(
    deployment: Deployment, topic: str, line: Any, field: str | None, error: str
) -> None:
    """INTERFACES, produce: what is wrong is said, never the value."""
    good = RUN if topic == "runs" else OUTCOME
    report = sent_from(deployment, topic, [good, line, good])
    assert (report.read, [sent.line for sent in report.sent]) == (3, [1, 3])
    (refusal,) = report.refused
    assert (refusal.line, refusal.field) == (2, field)
    assert error in refusal.error
    assert SECRET not in refusal.error


@pytest.mark.parametrize(("topic", "line"), [("runs", RUN | {"learnings": [LEARNING]}), ("outcomes", OUTCOME)])
def test_a_message_is_the_record_under_its_agents_key(deployment: Deployment, topic: str, line: dict[str, Any]) -> None:
    """DESIGN, topics: key org/agent; partitioned as Kafka's own clients do it."""
    report = sent_from(deployment, topic, [line])
    (message,) = messages(deployment, report)
    assert message.key() == b"acme/agent/a"
    assert codec.decode(message.value()) == parse(Run if topic == "runs" else Outcome, line)
    assert message.partition() == partition_of(log_hash("acme", "agent/a"), deployment.layout.partitions)
    assert report.sent[0].receipt == f"{topic}:{message.partition()}:{message.offset()}"


def test_org_and_agent_stand_in_where_a_line_names_none(deployment: Deployment) -> None:
    defaults = {"org": "acme", "agent": "agent/default"}
    report = sent_from(deployment, "runs", [{"run_id": "r-1"}, {"run_id": "r-2", "agent": "agent/own"}, "[]"], defaults)
    assert [message.key() for message in messages(deployment, report)] == [b"acme/agent/default", b"acme/agent/own"]
    assert [refusal.line for refusal in report.refused] == [3]


def test_a_run_that_does_not_compress_below_the_topics_limit_is_refused_and_the_rest_goes_on(deployment: Deployment) -> None:
    """DESIGN: a run of up to 32 MB, a message of up to 8 MB compressed."""
    noise = base64.b64encode(random.Random(1).randbytes(9 * 1024 * 1024)).decode()
    large = [RUN | {"steps": [{"output": text}]} for text in (noise, "a" * 20 * 1024 * 1024)]
    report = sent_from(deployment, "runs", [*large, RUN])
    assert [sent.line for sent in report.sent] == [2, 3]
    (refusal,) = report.refused
    assert refusal.line == 1 and "more than the topic takes" in refusal.error


def test_each_line_is_told_as_it_is_taken(deployment: Deployment) -> None:
    told: list[tuple[int, bool]] = []

    def taken(report: Report, line: int, record: Record | Refusal) -> None:
        told.append((report.read, isinstance(record, Refusal)))

    lines = [(1, json.dumps(RUN).encode()), (2, b"{")]
    produce(lines, "runs", deployment.producer, deployment.layout.prefix, SIGNER, {}, taken)
    assert told == [(1, False), (2, True)]


@pytest.mark.parametrize(
    ("kind", "line", "parts"),
    [
        (Run, RUN, ("episode",)),
        (
            Run,
            RUN | {"learnings": [LEARNING] * 2, "claims": [{"entity": "e", "key": "k", "value": 1}]},
            ("episode", "learning:0", "learning:1", "claim:0"),
        ),
        (Outcome, OUTCOME, ("outcome",)),
        (Outcome, OUTCOME | {"credits": [{"entry_key": "a/b"}] * 2}, ("credit:0", "credit:1")),
    ],
)
def test_parts_of_a_receipt(kind: type[Run | Outcome], line: dict[str, Any], parts: tuple[str, ...]) -> None:
    """INTERFACES, produce --wait: a run's episode, learnings and claims; an outcome's credits, one part where there are none."""
    record = parse(kind, line)
    assert isinstance(record, Run | Outcome)
    assert parts_of(record) == parts
