"""RESULTS.md, from what the runs left."""

import json
import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from math import log
from pathlib import Path
from statistics import median
from typing import Any

Row = dict[str, Any]
INTRO = """# How fast it goes

The job of `bench/job.py` by each engine, on one Apache Kafka 4.4 on the same machine. Outcomes (Avro, about 200 bytes, 2 % of them repeats)
credit 1 to 4 of 20,000 learnings; credits go by learning through a topic, each learning keeps its counts and its latest 100 outcomes,
and goes to another topic when it passes the gate. The state outlives the process. Tidegate runs it on its own binding (`agents/binding`),
as its agents run; each peer runs it as its users would (`bench/engines`), with the same function of a learning's state.

Engines take turns within a round. Outcomes lie ready in the topic, the engine is warm. Median of the rounds, least and most behind it.
Every answer is checked: counts of every learning, and candidates. Broker, engine and runner share the machine, so compare within a table.

How fast the scan is, beside other scanners: [SCAN.md](SCAN.md). Recall: [RECALL.md](RECALL.md).
"""


def write(results: Iterable[str], skipped: Iterable[str], path: Path, command: str) -> None:
    """Write RESULTS.md. `results`: a JSON object a line, as the runs leave them; `skipped`: who could not take part, and why."""
    rows = [json.loads(line) for line in results if line.strip()]
    parts = [INTRO, machine(command)]
    for kind, section in SECTIONS.items():
        mine = [row for row in rows if row["kind"] == kind]
        if mine:
            parts.append(section(mine))
    if reasons := list(skipped):
        parts.append("## Left out\n\n" + "\n".join(f"- {reason}" for reason in reasons) + "\n")
    path.write_text("\n".join(parts))


def machine(command: str) -> str:
    """What was measured on: a list in Markdown."""
    model = next((line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    root = Path(__file__).parents[1]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=False).stdout.strip()
    return (
        f"- Machine: {model}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.release()}\n"
        f"- Python {platform.python_version()}; commit {commit or 'unknown'}; {datetime.now(UTC):%Y-%m-%d}\n"
        f"- Command: `{command}`\n"
    )


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def _grouped(rows: Iterable[Row]) -> dict[tuple[str, int], list[Row]]:
    out: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        out.setdefault((row["engine"], row.get("processes", 1)), []).append(row)
    return out


def _rate(row: Row) -> float:
    return float(row["outcomes"] / row["seconds"])


def _rates(rows: list[Row]) -> str:
    groups = _grouped(rows)
    ours = median(map(_rate, groups.get(("tidegate", 1), rows)))
    lines = []
    for (engine, processes), runs in sorted(groups.items(), key=lambda item: -median(map(_rate, item[1]))):
        rates = [_rate(r) for r in runs]
        lines.append(
            [
                engine if processes == 1 else f"{engine}, {processes} processes",
                f"{len(runs)} × {runs[0]['outcomes']:,}",
                f"{median(rates):,.0f} ({min(rates):,.0f}–{max(rates):,.0f})",
                f"{ours / median(rates):.2f}",
                f"{median(r['cpu'] / r['outcomes'] * 1e6 for r in runs):.0f}",
                f"{max(r['memory'] for r in runs):.0f}",
                _answer(runs),
            ]
        )
    head = ("engine", "runs × outcomes", "outcomes/s", "Tidegate is × as fast", "CPU s a million", "peak MB", "answers")
    return "## At full speed\n\n" + _table(head, lines)


def _answer(runs: list[Row]) -> str:
    if all(not (r["lost"] or r["extra"] or r["missing"] or r["wrong"]) for r in runs):
        return "right"
    return ", ".join(f"{name} {sum(r[name] for r in runs)}" for name in ("lost", "extra", "missing", "wrong") if any(r[name] for r in runs))


def _delays(rows: list[Row]) -> str:
    lines = [
        [
            engine,
            str(len(runs)),
            f"{median(r['p50'] for r in runs):.0f}",
            f"{median(r['p99'] for r in runs):.0f}",
            f"{median(r['cpu'] for r in runs):.0%}",
        ]
        for (engine, _), runs in sorted(_grouped(rows).items(), key=lambda item: median(r["p99"] for r in item[1]))
    ]
    said = "From an outcome's being sent to its candidate's being read, while 500 outcomes a second are sent.\n\n"
    return "## Delay at 500 outcomes/s\n\n" + said + _table(("engine", "runs", "p50 ms", "p99 ms", "share of a core"), lines)


def _table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    ruled = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in ruled) + "\n"


def _aggregate(rows: list[Row]) -> str:
    sizes: dict[int, list[Row]] = {}
    for row in rows:
        sizes.setdefault(row["learnings"], []).append(row)
    costs = {size: median(r["warm"] / r["outcomes"] for r in runs) for size, runs in sorted(sizes.items())}
    lines = []
    for size, cost in costs.items():
        cold = [r["outcomes"] / r["cold"] for r in sizes[size] if r["cold"]]
        lines.append([f"{size:,}", f"{1 / cost:,.0f}", f"{cost * 1e6:,.0f}", f"{median(cold):,.0f}" if cold else "–"])
    said = (
        "The product's own core on its own records: outcomes of 1 to 3 credits, each giving a version of a learning, receipts and\n"
        "states; decoding and encoding are in it. Agents have 100 learnings each, 100 of them are at work, a batch has 1,000 outcomes.\n"
        "Cold: in each batch other agents, whose values are read anew.\n\n"
    )
    (small, cheap), (large, dear) = min(costs.items()), max(costs.items())
    slope = (
        f"\nSlope of the cost in the learnings that are kept: {1 + log(dear / cheap) / log(large / small):.3f}.\n" if large > small else ""
    )
    return "## `aggregate`\n\n" + said + _table(("learnings", "outcomes a CPU second", "CPU s a million", "cold"), lines) + slope


def _sink(rows: list[Row]) -> str:
    ways: dict[str, list[Row]] = {}
    for row in rows:
        ways.setdefault(row["way"], []).append(row)
    rates = {way: median(r["rows"] / r["seconds"] for r in runs) for way, runs in ways.items()}
    lines = [
        [way, f"{rates[way]:,.0f}", f"{median(r['rows'] / r['cpu'] for r in runs):,.0f}", f"{rates[way] / min(rates.values()):.1f}"]
        for way, runs in ways.items()
    ]
    said = "Receipts in batches of 50,000 into chDB; every row is there afterwards.\n\n"
    return "## Into ClickHouse\n\n" + said + _table(("way", "rows/s", "rows a CPU second", "×"), lines)


SECTIONS: dict[str, Callable[[list[Row]], str]] = {"rate": _rates, "delay": _delays, "aggregate": _aggregate, "sink": _sink}
"""What makes a section of the results of one kind."""
