"""Recall beside other engines, and how long an answer takes: python -m bench.recall, by `make bench-recall`. Writes bench/RECALL.md.

The tables are filled by the sink's own writer, with rules of one pool, and kept under `--work`: a fill that was ended goes on where it was.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from threading import Event, Thread

from clickhouse_connect.driver.client import Client

from bench.peers import Missing, Peer, venv
from bench.recall_data import Query, queries, rule
from bench.results import machine
from schemas.codec import encode
from schemas.ids import ids_of
from schemas.records import AgentChanged, Cause, SharedLearning, Source
from sinks import migrate
from sinks.ask import Ask
from sinks.batch import Message
from sinks.client import connect
from sinks.processors import processors
from sinks.recall import Recall
from sinks.writer import Writer

HERE = Path(__file__).parent
ORG, SPACE, AGENT = "acme", "commons", "agent/asker"
BATCH = 20_000
"""Rules that a fill hands to the writer at once."""
_AT_ONCE = 100
"""Likewise, while answers are timed."""
AT = datetime(2026, 3, 1, tzinfo=UTC)
# SQLite comes with Python.
PEERS: dict[str, Peer | None] = {
    "SQLite FTS5": None,
    "tantivy": Peer("tantivy", ("tantivy==0.27.0",)),
    "bm25s": Peer("bm25s", ("bm25s==0.3.16", "PyStemmer==3.1.0")),
}
SECRET = bytes(32)
IDS = ids_of(SECRET, ORG)


@dataclass(frozen=True, slots=True)
class Quality:
    """MRR@10 and recall@10 over questions with one right answer each."""

    engine: str
    mrr: float
    recall: float


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of an answer, alone and while the sink writes; `processor` is the alone one's processor time in the mean."""

    rules: int
    alone: tuple[float, float]
    processor: float
    writing: tuple[float, float]
    written: float
    """Rules a second that the sink took meanwhile."""


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    parser.add_argument("--one", type=int, help="measure latency at so many rules, in this process, and print it as JSON")
    options = parser.parse_args(argv)
    options.work.mkdir(parents=True, exist_ok=True)
    if options.one:
        print(json.dumps(asdict(_latency(options.one, options.queries, options.work))))
        return
    engine = _filled(options.rules[0], options.work)
    asked = list(queries(options.queries, options.rules[0]))
    qualities, skipped = [_own(Recall(engine, SECRET), asked)], []
    engine.close()
    for name, peer in PEERS.items():
        try:
            qualities.append(_peer(name, peer, asked, options.rules[0], options.work))
        except Missing as error:
            skipped.append(f"{name}: {error}")
    latencies = [_alone(rules, options) for rules in options.rules]
    (HERE / "RECALL.md").write_text(_report(qualities, skipped, latencies, options))


def _alone(rules: int, options: argparse.Namespace) -> Latency:
    """chDB holds one path a process, so each number of rules has a process."""
    command = [sys.executable, "-m", "bench.recall", "--one", str(rules), "--queries", str(options.queries), "--work", str(options.work)]
    out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    print(out.decode(), file=sys.stderr)
    return Latency(**json.loads(out))


def _filled(rules: int, work: Path) -> Client:
    """An engine that holds rules 0 to `rules` in the pool, and those that earlier measurements wrote beside them."""
    client = connect(f"chdb://{(work / f'recall-{rules}').resolve()}", None)
    migrate.forwards(client)
    writer = Writer(client, processors(SECRET))
    source = Source(topic="principals", epoch="e1", partition=0, offset=0, index=0)
    caller = AgentChanged(org=ORG, agent=AGENT, sender=0, source=source, received_at=AT, home_space=SPACE, producer="agent", hosted=False)
    writer.write([Message("learnings", 0, 0, 0, encode(caller))])
    there = client.query("SELECT uniqExact(id) FROM wordings WHERE audience = 'pool:commons'").result_rows[0][0]
    if there < rules:
        # A batch that was cut off is written again: that changes nothing.
        for first in range(there // BATCH * BATCH, rules, BATCH):
            writer.write(_messages(range(first, min(rules, first + BATCH))))
            print(f"{min(rules, first + BATCH)} rules", file=sys.stderr)
        for table in ("postings", "wordings", "pool", "pool_rows"):  # as time leaves a table
            client.command(f"OPTIMIZE TABLE {table} FINAL")
    return client


def _messages(numbers: range) -> list[Message]:
    return [Message("shared", 0, number, 0, encode(shared(number, rule(number)))) for number in numbers]


def shared(number: int, text: str) -> SharedLearning:
    """A rule of the pool, as promote sends it."""
    wording = IDS.wording(text, None)
    return SharedLearning(
        org=ORG,
        space=SPACE,
        shared_id=IDS.shared(SPACE, str(number), wording),
        version=1,
        revision=1,
        rule=text,
        tools=(),
        memory_type="fact",
        kind="memory",
        prior=0.9,
        confidence=0.9,
        evidence_status="validated",
        trust="agent_verified",
        applied=3,
        helpful=3,
        success_count=3,
        failure_count=0,
        validators=2,
        independent=2,
        state="active",
        crossing="promoted",
        visibility="shown",
        provisional=False,
        wording=wording,
        cause=Cause(what="created", confidence_after=0.9),
        at=AT,
    )


def _own(recall: Recall, asked: Sequence[Query]) -> Quality:
    found = [[row["rule"] for row in recall.answer(Ask(org=ORG, agent=AGENT, text=q.text)).rows] for q in asked]
    return _quality("Tidegate", asked, [[rule(q.rule) == text for text in texts] for q, texts in zip(asked, found, strict=True)])


def _peer(name: str, peer: Peer | None, asked: Sequence[Query], rules: int, work: Path) -> Quality:
    job = {"engine": name, "texts": [rule(number) for number in range(rules)], "queries": [q.text for q in asked]}
    python = venv(work, peer) if peer else Path(sys.executable)
    run = subprocess.run([python, "-P", HERE / "recall_peer.py"], input=json.dumps(job).encode(), capture_output=True, check=False)
    if run.returncode:
        raise Missing(run.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return _quality(name, asked, [[q.rule == number for number in ranked] for q, ranked in zip(asked, json.loads(run.stdout), strict=True)])


def _quality(engine: str, asked: Sequence[Query], right: Sequence[Sequence[bool]]) -> Quality:
    ranks = [hits.index(True) + 1 for hits in right if True in hits]
    return Quality(engine, sum(1 / rank for rank in ranks) / len(asked), len(ranks) / len(asked))


def _latency(rules: int, number: int, work: Path) -> Latency:
    client = _filled(rules, work)
    for thread in os.listdir("/proc/self/task"):  # chDB's too
        os.sched_setaffinity(int(thread), {min(os.sched_getaffinity(0))})
    recall = Recall(client, SECRET)
    asked = list(queries(number, rules))
    _times(recall, asked[: number // 10])
    before = time.process_time()
    alone = _times(recall, asked)
    processor = (time.process_time() - before) * 1000 / number
    with _writing(work / f"recall-{rules}", rules) as written:
        began = time.monotonic()
        writing = _times(recall, asked)
        rate = len(written) * _AT_ONCE / (time.monotonic() - began)
    return Latency(rules, percentiles(alone), processor, percentiles(writing), rate)


def _times(recall: Recall, asked: Sequence[Query]) -> list[float]:
    times = []
    for query in asked:
        began = time.perf_counter()
        recall.answer(Ask(org=ORG, agent=AGENT, text=query.text))
        times.append((time.perf_counter() - began) * 1000)
    return times


def percentiles(times: Sequence[float]) -> tuple[float, float]:
    """p50 and p95."""
    cuts = quantiles(times, n=20)
    return cuts[9], cuts[18]


@contextmanager
def _writing(path: Path, first: int) -> Iterator[list[int]]:
    """A sink that writes new rules, a batch every half second, until the end; what it yields grows by one a batch."""
    stop, written = Event(), list[int]()
    client = connect(f"chdb://{path.resolve()}", None)
    writer = Writer(client, processors(SECRET))
    start = first + int(time.time()) % 1_000_000 * _AT_ONCE  # not those of an earlier measurement

    def run() -> None:
        while not stop.wait(0.5):
            writer.write(_messages(range(start + len(written) * _AT_ONCE, start + (len(written) + 1) * _AT_ONCE)))
            written.append(1)

    thread = Thread(target=run)
    thread.start()
    try:
        yield written
    finally:
        stop.set()
        thread.join()
        client.close()


def _command(options: argparse.Namespace) -> str:
    rules = " ".join(map(str, options.rules))
    return f"python -m bench.recall --rules {rules} --queries {options.queries} ({time.strftime('%H:%M', time.gmtime())} UTC)"


def _shown(percentiles: tuple[float, float]) -> str:
    return " / ".join(f"{ms:.1f}" for ms in percentiles)


def _report(qualities: Sequence[Quality], skipped: Sequence[str], latencies: Sequence[Latency], options: argparse.Namespace) -> str:
    found = "\n".join(f"| {q.engine} | {q.mrr:.3f} | {q.recall:.3f} |" for q in qualities)
    times = "\n".join(f"| {t.rules:,} | {_shown(t.alone)} | {t.processor:.1f} | {_shown(t.writing)} | {t.written:.0f} |" for t in latencies)
    left = "\nLeft out: " + "; ".join(skipped) + ".\n" if skipped else ""
    return f"""# How well recall finds, and how fast

{machine(_command(options))}
Rules and questions are made up by `bench/recall_data.py`: no text is anybody's, and each question is about one rule.

## What is found

Among {options.rules[0]:,} rules, through the whole of `recall`, beside engines that rank the same texts by BM25.

| engine | MRR@10 | recall@10 |
|---|---|---|
{found}
{left}
## How long an answer takes

One pool of one organisation holds all rules. A process on one core asks one question after the other, from who asks to the rows and the
exposure; then again while a sink in the same process, on the same core, writes new rules. Milliseconds, p50 / p95.

| rules | alone | processor time, mean | while the sink writes | rules written a second |
|---|---|---|---|---|
{times}
"""


if __name__ == "__main__":
    main()
