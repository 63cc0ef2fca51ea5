"""How long a worker takes to be ready again, and how much memory it has then: `python -m bench.restart --learnings 100000`.

The changelog of `aggregate` on an Apache Kafka of its own is filled with as many learnings as asked for, two values each, of the sizes that
docs/evidence.md gives. Then a worker is started and stopped, with its states in memory and in RocksDB: the first start with RocksDB makes
the copy on disk, the next ones read what came since.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from confluent_kafka import Producer

from tests import brokers

PARTITIONS = 8
STARTS = 3
STATE_BYTES = {b"L:": 281, b"E:": 313}
"""Of a value, by the prefix of its key: what it says, and what is known of it."""


def main() -> None:
    """Measure, and print a line a store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learnings", type=int, default=100_000)
    learnings: int = parser.parse_args().learnings
    with tempfile.TemporaryDirectory() as folder, brokers.kafka(Path(folder)) as broker:
        environ = os.environ | {
            "TIDEGATE_BROKERS": broker.bootstrap,
            "TIDEGATE_PARTITIONS": str(PARTITIONS),
            "TIDEGATE_REPLICATION": "1",
            "TIDEGATE_MIN_ISR": "1",
            "TIDEGATE_SECRET": "0" * 32,
            "TIDEGATE_DATA": str(Path(folder) / "data"),
        }
        tidegate = [sys.executable, "-m", "pipelines.cli.main"]
        subprocess.run([*tidegate, "topics", "--create"], env=environ, check=True, stdout=subprocess.DEVNULL)
        worker = [*tidegate, "worker", "--agents", "aggregate"]
        _print("memory, nothing kept", _starts(worker, environ))
        size = _fill(broker.bootstrap, learnings)
        print(f"{learnings:,} learnings: {2 * learnings:,} values, {size / 1e6:.0f} MB")
        for store in ("memory", "rocksdb"):
            _print(store, _starts(worker, environ | {"TIDEGATE_STORE": store}))


def _fill(bootstrap: str, learnings: int) -> int:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 50, "queue.buffering.max.messages": 1_000_000})
    random_, size = random.Random(7), 0
    for number in range(learnings):
        for prefix, length in STATE_BYTES.items():
            key, value = prefix + number.to_bytes(16, "big"), random_.randbytes(length)
            producer.produce("tidegate.aggregate-state-changelog", value, key, number % PARTITIONS)
            size += len(key) + len(value)
        if number % 1_000 == 0:
            producer.poll(0)
    producer.flush()
    return size


def _starts(worker: list[str], environ: dict[str, str]) -> Iterator[tuple[float, int]]:
    """Seconds until it is ready, and resident bytes then, of each start."""
    for _ in range(STARTS):
        began = time.monotonic()
        with subprocess.Popen(worker, env=environ, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            if not process.stdout.readline().startswith("ready"):
                raise SystemExit("the worker was never ready: its log above says why")
            yield time.monotonic() - began, psutil.Process(process.pid).memory_info().rss
            process.terminate()


def _print(what: str, starts: Iterator[tuple[float, int]]) -> None:
    print(what + ":", ", ".join(f"{seconds:.1f} s and {resident / 1e6:.0f} MB" for seconds, resident in starts), flush=True)


if __name__ == "__main__":
    main()
