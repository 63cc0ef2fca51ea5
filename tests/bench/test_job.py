"""The benchmark's job: its answer is right, and by column the same credits come out as one by one."""

from datetime import UTC, datetime

import pytest

from agents.binding.batch import Incoming
from bench import data, job
from bench.engines.tidegate import Split
from schemas import columns
from schemas.partition import murmur2, partition_of

AT = datetime(2026, 3, 1, tzinfo=UTC)


def split(messages: list[bytes]) -> dict[int, list[bytes]]:
    """Credits by partition, as Split packs them."""
    batch = [Incoming("outcomes", "bench", 0, n, AT, None, message) for n, message in enumerate(messages)]
    size = job.LEARNING_BYTES + job.CREDIT_BYTES
    packed = {o.log: o.value or b"" for o in Split().step(0, batch, lambda _: None).out}
    return {to: sorted(value[i : i + size] for i in range(0, len(value), size)) for to, value in packed.items()}


def test_by_column_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each credit once, in the partition that Kafka's partitioner gives its learning."""
    messages = [message for _, message in data.messages(list(data.outcomes(500)))]
    by_column = split(messages)
    monkeypatch.setattr(columns, "WORTH_IT", len(messages) + 1)
    assert by_column == split(messages)
    for to, credits in by_column.items():
        assert {partition_of(murmur2(credit[: job.LEARNING_BYTES]), job.PARTITIONS) for credit in credits} == {to}


def test_the_right_answer_counts_a_repeat_once() -> None:
    given = list(data.outcomes(2_000))
    assert len({o["outcome_id"] for o in given}) < len(given)
    states: dict[bytes, bytes] = {}
    for outcome in given:
        for learning, credit in job.split(outcome):
            id_, flags, _ = job.unpack_credit(credit)
            states[learning], _ = job.count(states.get(learning), id_, flags)
    assert {k.decode(): list(job.counts_of(v)[:2]) for k, v in states.items()} == data.answer(given).counts


def test_a_learning_passes_the_gate_once() -> None:
    """At the third application, when it helped often enough; its state keeps the latest outcomes and no more."""
    state, passed = None, []
    for number in range(2 * job.WINDOW):
        state, passes = job.count(state, number.to_bytes(8, "big"), 3)
        passed.append(passes)
    assert passed.index(True) == job.MIN_APPLIED - 1 and sum(passed) == 1
    assert state is not None and len(state) == 9 + 8 * job.WINDOW
