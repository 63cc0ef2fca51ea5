"""Who takes part: how each engine is started, what it needs, and where its state can be read afterwards."""

import json
import pickle
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench import job
from bench.peers import Peer, java_classes, venv

Counts = tuple[int, int]
State = Iterator[tuple[str, Counts]]
FAUST = ("worker", "-l", "error", "--without-web")


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine. `command` makes what it needs, and raises peers.Missing where that can't be had; `topics`: what is made for it, in full
    after the run's name; `changelog`: topic of its state, likewise, or None where it keeps files; `read`: what a record there says;
    `groups`: its consumer groups; `share`: of the outcomes that it is given, where it is too slow for all."""

    name: str
    command: Callable[[Path], list[str]]
    groups: tuple[str, ...]
    changelog: str | None
    read: Callable[[bytes, bytes], tuple[str, Counts]]
    topics: tuple[str, ...] = ("outcomes", "credits", "candidates")
    share: float = 1.0
    python: bool = True
    environment: tuple[tuple[str, str], ...] = ()


def _plain(key: bytes, value: bytes) -> tuple[str, Counts]:
    return key.decode(), job.counts_of(value)[:2]


def _faust_record(key: bytes, value: bytes) -> tuple[str, Counts]:
    learning = json.loads(value)
    return json.loads(key), (learning["applied"], learning["helpful"])


def _quix(key: bytes, value: bytes) -> tuple[str, Counts]:
    return _plain(key[: job.LEARNING_BYTES], value)


def _own(*arguments: str) -> Callable[[Path], list[str]]:
    return lambda _: [sys.executable, *arguments]


def _peer(peer: Peer, *arguments: str) -> Callable[[Path], list[str]]:
    return lambda work: [str(venv(work, peer)), *arguments]


def _java(work: Path) -> list[str]:
    classes = java_classes(work)
    return [shutil.which("java") or "java", "-Xmx1g", "-cp", classes, "KafkaStreams"]


QUIX = Peer("quixstreams", ("quixstreams==3.28.1", "fastavro", "orjson"))
BYTEWAX = Peer("bytewax", ("bytewax[kafka]==0.21.1", "fastavro", "orjson"))
_STREAMS_LOG = "streams-learnings-changelog"

ENGINES = (
    Engine(
        "tidegate",
        _own("-m", "bench.engines.tidegate"),
        ("split", "count"),
        "count-state-changelog",
        _plain,
        topics=("outcomes", "credits", "candidates", "count-state-changelog", "dead-letters"),
    ),
    Engine(
        "tidegate, a transaction a batch",
        _own("-m", "bench.engines.tidegate"),
        ("split", "count"),
        "count-state-changelog",
        _plain,
        topics=("outcomes", "credits", "candidates", "count-state-changelog", "dead-letters"),
        environment=(("FENCE", "transactions"),),
    ),
    Engine(
        "faust, as its guide writes it",
        _own("-m", "bench.engines.faust_guide", *FAUST),
        ("faust",),
        "faust-learnings-changelog",
        _faust_record,
        share=1 / 100,
    ),
    Engine(
        "confluent-kafka by hand",
        _own("-m", "bench.engines.confluent_hand"),
        ("hand",),
        "changelog",
        _plain,
        topics=("outcomes", "credits", "candidates", "changelog"),
    ),
    Engine(
        "aiokafka by hand",
        _own("-m", "bench.engines.aiokafka_hand"),
        ("hand",),
        "changelog",
        _plain,
        topics=("outcomes", "credits", "candidates", "changelog"),
    ),
    Engine("quixstreams", _peer(QUIX, "-m", "bench.engines.quix_app"), ("quix",), "quix", _quix, topics=("outcomes", "candidates")),
    Engine("bytewax", _peer(BYTEWAX, "-m", "bench.engines.bytewax_flow"), (), None, _plain, topics=("outcomes", "candidates")),
    Engine("Kafka Streams", _java, ("streams",), _STREAMS_LOG, _plain, topics=("outcomes", "candidates"), python=False),
    Engine(
        "Kafka Streams, exactly once",
        _java,
        ("streams",),
        _STREAMS_LOG,
        _plain,
        topics=("outcomes", "candidates"),
        python=False,
        environment=(("BENCH_EXACTLY_ONCE", "1"),),
    ),
)


def sqlite_states(folder: Path) -> State:
    """What bytewax's recovery store holds."""
    for file in folder.glob("*.sqlite3"):
        rows = sqlite3.connect(file).execute(
            "SELECT state_key, ser_change FROM snaps WHERE step_id LIKE '%.count.%' AND ser_change IS NOT NULL ORDER BY snap_epoch"
        )
        for learning, change in rows:
            yield learning, job.counts_of(pickle.loads(change))[:2]
