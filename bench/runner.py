"""A run of one engine: started, warmed up, given its outcomes, measured, and its answer checked."""

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import data, job
from bench.contenders import Engine, sqlite_states
from bench.kafka import Kafka
from bench.peers import java_environment
from bench.process import Process

WARM_UP = 400
_START_SECONDS, _RUN_SECONDS = 90.0, 180.0
_numbers = itertools.count(1)


class Failed(Exception):
    """An engine did not do its work; the text says how."""


@dataclass(slots=True)
class Rate:
    """What came of a run at full speed. `seconds` from the first to the last outcome counted, `cpu` in that time (s), `memory` peak (MB).

    `lost`, `extra`: counts that are missing or too many; `missing`, `wrong`: candidates; `repeated`: told more than once.
    """

    engine: str
    processes: int
    outcomes: int
    seconds: float
    cpu: float
    memory: float
    lost: int
    extra: int
    missing: int
    wrong: int
    repeated: int
    kind: str = field(default="rate")

    @property
    def right(self) -> bool:
        """Whether the answer is right."""
        return not (self.lost or self.extra or self.missing or self.wrong)


@dataclass(slots=True)
class Delay:
    """What came of a run at a steady rate: from the outcome's being sent to its candidate's being read, ms; `cpu`: share of a core."""

    engine: str
    candidates: int
    p50: float
    p99: float
    cpu: float
    kind: str = field(default="delay")


@contextmanager
def _engine(engine: Engine, kafka: Kafka, work: Path, processes: int) -> Iterator[tuple[str, list[Process]]]:
    command = engine.command(work)
    name = f"b{next(_numbers)}x{time.time_ns() // 1_000_000 % 10_000_000}"
    kafka.create(f"{name}-{topic}" for topic in engine.topics)
    running = []
    try:
        for number in range(processes):
            folder = work / "data" / name / str(number)
            folder.mkdir(parents=True)
            (work / "logs").mkdir(exist_ok=True)
            environment = {"BENCH_BROKERS": kafka.brokers, "BENCH_NAME": name, "BENCH_DATA": str(folder), **dict(engine.environment)}
            log = work / "logs" / f"{name}-{engine.name.replace(' ', '-')}-{number}.log"
            running.append(Process(command, environment | java_environment(), log))
        _wait(
            _START_SECONDS, running, lambda: kafka.settled((f"{name}-{g}" for g in engine.groups), processes), "its groups are not stable"
        )
        yield name, running
    finally:
        for process in running:
            process.stop()
        kafka.remove(name)


def rate(engine: Engine, kafka: Kafka, work: Path, given: Sequence[dict[str, Any]], processes: int = 1) -> Rate:
    """Let it work through outcomes that lie ready: stopped while they are sent, so that what is measured is its work alone."""
    given = given[: max(2_000, int(len(given) * engine.share))]
    right, warm = data.answer(given), data.answer(given[:WARM_UP]).credits
    messages = data.messages(given)
    with _engine(engine, kafka, work, processes) as (name, running):
        kafka.fill(f"{name}-outcomes", messages[:WARM_UP])
        _wait(_START_SECONDS, running, lambda: _counted(running) >= warm, "it does not begin")
        for process in running:
            process.hold()
        kafka.fill(f"{name}-outcomes", messages[WARM_UP:])
        cpu, begin = sum(p.cpu() for p in running), time.monotonic()
        for process in running:
            process.go()
        _wait(_RUN_SECONDS, running, lambda: _counted(running) >= right.credits, f"{right.credits} credits are not counted")
        seconds, cpu = time.monotonic() - begin, sum(p.cpu() for p in running) - cpu
        memory = sum(p.peak() for p in running)
        time.sleep(3)  # whoever keeps its state by the clock does so now
        for process in running:
            process.stop()
        found = _check(engine, kafka, name, work / "data" / name, right)
        return Rate(engine.name, processes, len(given) - WARM_UP, seconds, cpu, memory, **found)


def delay(engine: Engine, kafka: Kafka, work: Path, per_second: int = 500, seconds: int = 15) -> Delay:
    """Give it outcomes at a steady rate."""
    given = list(data.outcomes(per_second * seconds + WARM_UP, learnings=3_000, seed=11))
    warm = data.answer(given[:WARM_UP]).credits
    read: list[tuple[float, float]] = []
    stop = threading.Event()
    with _engine(engine, kafka, work, 1) as (name, running):
        kafka.fill(f"{name}-outcomes", data.messages(given[:WARM_UP]))
        _wait(_START_SECONDS, running, lambda: _counted(running) >= warm, "it does not begin")
        listener = threading.Thread(target=_listen, args=(kafka, f"{name}-candidates", read, stop))
        listener.start()
        time.sleep(1)
        producer = kafka.producer(**{"linger.ms": 0})
        cpu, begin = running[0].cpu(), time.time()
        for number, outcome in enumerate(given[WARM_UP:]):
            time.sleep(max(0.0, begin + number / per_second - time.time()))
            outcome["at"] = int(time.time() * 1000)
            producer.produce(f"{name}-outcomes", job.encode(outcome), key=data.key(outcome))
            producer.poll(0)
        share = (running[0].cpu() - cpu) / (time.time() - begin)
        producer.flush(10)
        time.sleep(2)
        stop.set()
        listener.join()
    delays = sorted(at - sent for at, sent in read if sent > (begin + 3) * 1000)
    if not delays:
        raise Failed("no candidate came")
    return Delay(engine.name, len(delays), delays[len(delays) // 2], delays[len(delays) * 99 // 100], share)


def _listen(kafka: Kafka, topic: str, read: list[tuple[float, float]], stop: threading.Event) -> None:
    consumer = kafka.reader(topic, **{"fetch.wait.max.ms": 5})
    while not stop.is_set():
        for message in consumer.consume(500, 0.005):
            if not message.error():
                read.append((time.time() * 1000, json.loads(message.value() or b"")["at"]))
    consumer.close()


def _counted(running: Sequence[Process]) -> int:
    return sum(p.counted for p in running)


def _wait(seconds: float, running: Sequence[Process], done: Callable[[], bool], otherwise: str) -> None:
    end = time.monotonic() + seconds
    while not done():
        for process in running:
            if said := process.ended():
                raise Failed(said)
        if time.monotonic() > end:
            raise Failed(f"{otherwise} after {seconds:.0f} s ({_counted(running)} credits counted)")
        time.sleep(0.01)


def _check(engine: Engine, kafka: Kafka, name: str, folder: Path, right: data.Answer) -> dict[str, Any]:
    if engine.changelog is None:
        states = sqlite_states(folder / "0")
    else:
        topic = next(t for t in kafka.topics("") if name in t and engine.changelog in t and (t.endswith("changelog") or "changelog__" in t))
        states = (engine.read(key, value) for key, value in kafka.read(topic) if value is not None)
    found = dict(states)
    told = [json.loads(value)["learning"] for _, value in kafka.read(f"{name}-candidates") if value is not None]
    must = {k for k, (applied, helpful) in right.counts.items() if applied >= job.MIN_APPLIED and helpful >= job.MIN_RATIO * applied}
    may = {k for k, (_, helpful) in right.counts.items() if helpful >= job.MIN_APPLIED * job.MIN_RATIO}
    pairs = [(count, found.get(k, (0, 0))[i]) for k, counts in right.counts.items() for i, count in enumerate(counts)]
    return {
        "lost": sum(max(0, count - have) for count, have in pairs),
        "extra": sum(max(0, have - count) for count, have in pairs) + sum(sum(found[k]) for k in found.keys() - right.counts.keys()),
        "missing": len(must - set(told)),
        "wrong": len(set(told) - may),
        "repeated": len(told) - len(set(told)),
    }
