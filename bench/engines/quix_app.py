"""quixstreams: expand, group by learning (its repartition topic), count with state, send. Its settings as they come, values as bytes."""

from typing import Any

from quixstreams import Application

from bench import job

setting = job.Setting()
app = Application(
    broker_address=setting.brokers,
    consumer_group=f"{setting.name}-quix",
    auto_offset_reset="earliest",
    state_dir=setting.data,
    loglevel="WARNING",
)
progress = job.Progress()


def split(message: bytes) -> list[bytes]:
    """An outcome's credits, each behind its learning."""
    return [learning + credit for learning, credit in job.split(job.decode(message))]


def learning_of(credit: bytes) -> bytes:
    """What credits are grouped by."""
    return credit[: job.LEARNING_BYTES]


def count(credit: bytes, state: Any) -> bytes | None:
    """A candidate, where the credit makes one."""
    id_, flags, at = job.unpack_credit(credit[job.LEARNING_BYTES :])
    before = state.get_bytes("state")
    after, passes = job.count(before, id_, flags)
    if after is not before:
        state.set_bytes("state", after)
    progress.counted += 1
    return job.candidate(learning_of(credit), after, at) if passes else None


if __name__ == "__main__":
    as_bytes = {"value_serializer": "bytes", "value_deserializer": "bytes", "key_serializer": "bytes", "key_deserializer": "bytes"}
    outcomes = app.dataframe(app.topic(setting.topic("outcomes"), value_deserializer="bytes"))
    credits = outcomes.apply(split, expand=True).group_by(learning_of, name="credits", **as_bytes)
    passed = credits.apply(count, stateful=True).filter(lambda candidate: candidate is not None)
    passed.to_topic(app.topic(setting.topic("candidates"), value_serializer="bytes"))
    app.run()
