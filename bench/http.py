"""How long recall takes over HTTP, alone and while others write: python -m bench.http, by `make bench-http`. Writes bench/HTTP.md.

It runs `tidegate up` in a directory of its own, fills a pool by the broker and the sink, and asks one question after the other.
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import httpx
from confluent_kafka import Producer

from bench.recall import AGENT, ORG, SPACE, percentiles, shared
from bench.recall_data import queries, rule
from bench.results import machine
from schemas.codec import encode

HERE = Path(__file__).parent
PREFIX = "tidegate."
PATIENCE = 120.0
RATES = (200,)
INTRO = """# How long recall takes over HTTP

`tidegate up` on one machine: broker, engine (ClickHouse, its sink and HTTP in one process) and worker. One pool holds the rules. One client
asks `POST /learnings/search`, one question after the other on one connection. "The sink writes": so many new rules a second come by the
broker. "Runs come in": eight clients send `POST /runs`, each with a learning, as fast as they are answered. Milliseconds.
"""


class Deployment:
    """A running `tidegate up`."""

    def __init__(self, data: Path) -> None:
        self.environ = {k: v for k, v in os.environ.items() if not k.startswith("TIDEGATE_")} | {"TIDEGATE_DATA": str(data)}
        self.process = subprocess.Popen(self.tidegate("up", "--json"), stdout=subprocess.PIPE, env=self.environ, text=True)
        assert self.process.stdout is not None
        told = json.loads(self.process.stdout.readline())
        self.brokers, self.http = told["brokers"], told["http"]
        self.headers = {
            "Authorization": f"Bearer {(data / 'operator.token').read_text().strip()}",
            "Tidegate-Org": ORG,
            "Tidegate-Agent": AGENT,
        }

    def tidegate(self, *arguments: str) -> list[str]:
        """A command of ours."""
        return [sys.executable, "-m", "pipelines.cli.main", *arguments]

    def client(self) -> httpx.Client:
        """Asks as the agent."""
        return httpx.Client(base_url=self.http, headers=self.headers, timeout=60)

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(60)


def main() -> None:
    """Measure, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        up = Deployment(Path(folder))
        try:
            rows = list(_measured(up, options.rules, options.queries))
        finally:
            up.stop()
    head = "| | p50 | p95 | p99 | longest | meanwhile |\n|---|---|---|---|---|---|\n"
    said = f"{options.rules:,} rules, {options.queries} questions.\n\n"
    command = f"python -m bench.http --rules {options.rules} --queries {options.queries}"
    (HERE / "HTTP.md").write_text("\n".join([INTRO, machine(command), said + head + "".join(rows)]))


def _measured(up: Deployment, rules: int, number: int) -> Iterator[str]:
    agent = json.dumps({"org": ORG, "agent": AGENT, "home_space": SPACE})
    subprocess.run(up.tidegate("agents", "load", "-"), input=agent, env=up.environ, text=True, check=True)
    producer = Producer({"bootstrap.servers": up.brokers, "partitioner": "murmur2_random"})
    for n in range(rules):
        _put(producer, n)
    producer.flush()
    with up.client() as client:
        until = time.monotonic() + PATIENCE
        while not any(row["rule"] == rule(rules - 1) for row in _ask(client, rule(rules - 1))):
            if time.monotonic() > until:
                raise TimeoutError("the sink did not write the rules")
            time.sleep(0.5)
        asked = [q.text for q in queries(number, rules)]
        _times(client, asked[: number // 10])
        yield _row("alone", _times(client, asked), "")
        first = rules
        for rate in RATES:
            with _meanwhile(_writer(producer, first, rate)):
                yield _row(f"the sink writes, {rate:,} rules/s", _times(client, asked), "")
            first += 10**6
        answered: list[int] = []
        with _meanwhile(*[_sender(up, n, answered) for n in range(8)]):
            began, first = time.monotonic(), len(answered)
            times = _times(client, asked)
            rate = (len(answered) - first) / (time.monotonic() - began)
        yield _row("runs come in", times, f"{rate:,.1f} runs/s, each kept before it is answered")


def _writer(producer: Producer, first: int, rate: int) -> Callable[[], None]:
    numbers = itertools.count(first)

    def write() -> None:
        began = time.monotonic()
        for _ in range(rate // 10):
            _put(producer, next(numbers))
        time.sleep(max(0.0, 0.1 - (time.monotonic() - began)))

    return write


def _put(producer: Producer, number: int) -> None:
    record = shared(number, rule(number))
    while True:
        try:
            producer.produce(PREFIX + "shared", encode(record), f"{record.shared_id}/1")
            break
        except BufferError:
            producer.poll(0.1)
    producer.poll(0)


def _sender(up: Deployment, number: int, answered: list[int]) -> Callable[[], None]:
    client = up.client()
    rng = random.Random(number)

    def send() -> None:
        learning = {"entry_key": f"bench/pattern-{rng.random()}", "rule": rule(rng.randrange(10**6))}
        run = {"run_id": f"{number}-{rng.random()}", "learnings": [learning]}
        if client.post("/runs", json=run).status_code == 202:
            answered.append(number)

    return send


@contextmanager
def _meanwhile(*acts: Callable[[], None]) -> Iterator[None]:
    """Do each over and over, on a thread of its own, until the block ends."""
    stop = Event()

    def run(act: Callable[[], None]) -> None:
        while not stop.is_set():
            act()

    threads = [Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    time.sleep(2)  # until it has begun
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _ask(client: httpx.Client, text: str) -> list[dict[str, object]]:
    answer = client.post("/learnings/search", json={"text": text})
    answer.raise_for_status()
    rows: list[dict[str, object]] = answer.json()["rows"]
    return rows


def _times(client: httpx.Client, asked: list[str]) -> list[float]:
    times = []
    for text in asked:
        began = time.perf_counter()
        _ask(client, text)
        times.append((time.perf_counter() - began) * 1000)
    return times


def _row(what: str, times: list[float], meanwhile: str) -> str:
    p50, p95 = percentiles(times)
    p99, longest = sorted(times)[int(len(times) * 0.99)], max(times)
    line = f"| {what} | {p50:.1f} | {p95:.1f} | {p99:.1f} | {longest:.1f} | {meanwhile} |\n"
    print(line, end="", file=sys.stderr)
    return line


if __name__ == "__main__":
    main()
