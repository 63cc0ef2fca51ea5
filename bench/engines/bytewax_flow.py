"""bytewax: keyed in process, so without a repartition topic; its state goes to SQLite by the clock, so without a changelog."""

from datetime import timedelta
from pathlib import Path

import bytewax.operators as op
from bytewax.connectors.kafka import KafkaSink, KafkaSinkMessage, KafkaSource
from bytewax.dataflow import Dataflow
from bytewax.recovery import RecoveryConfig, init_db_dir
from bytewax.run import cli_main

from bench import job

setting = job.Setting()
progress = job.Progress()


def split(message: object) -> list[tuple[str, bytes]]:
    """An outcome's credits by learning."""
    return [(learning.decode(), credit) for learning, credit in job.split(job.decode(message.value))]  # type: ignore[attr-defined]


def count(state: bytes | None, credit: bytes) -> tuple[bytes, list[tuple[bytes, int]]]:
    """A learning's state, and where it passes the gate, with which."""
    id_, flags, at = job.unpack_credit(credit)
    after, passes = job.count(state, id_, flags)
    progress.counted += 1
    return after, [(after, at)] if passes else []


def message(passed: tuple[str, tuple[bytes, int]]) -> KafkaSinkMessage[bytes, bytes]:
    """The message of a candidate."""
    learning, (state, at) = passed
    return KafkaSinkMessage(learning.encode(), job.candidate(learning.encode(), state, at))


flow = Dataflow("count_and_promote")
outcomes = op.input("outcomes", flow, KafkaSource([setting.brokers], [setting.topic("outcomes")], tail=True, batch_size=1_000))
credits = op.flat_map("split", outcomes, split)
passed = op.stateful_flat_map("count", credits, count)
op.output("candidates", op.map("message", passed, message), KafkaSink([setting.brokers], setting.topic("candidates")))

if __name__ == "__main__":
    folder = Path(setting.data)
    init_db_dir(folder, 1)
    cli_main(flow, epoch_interval=timedelta(seconds=1), recovery_config=RecoveryConfig(str(folder), timedelta(0)))
