"""The benchmark: one job by every engine, in turns, on one Apache Kafka; and what the product's own parts take. `make bench`.

Results are added to results.jsonl in the work folder, so that rounds may run at different times; `--new` begins anew.
"""

import argparse
import json
import shlex
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import aggregate, data, results, sink
from bench.contenders import ENGINES, Engine
from bench.kafka import Kafka
from bench.peers import Missing
from bench.runner import Failed, delay, rate
from tests import brokers

TWO = ("tidegate", "confluent-kafka by hand", "Kafka Streams")
"""Engines that are measured with two processes too."""
HERE = Path(__file__).parent
ENGINE_PARTS = ("rate", "two", "delay")
SIZES = (10_000, 100_000, 1_000_000)
OWN_PARTS: dict[str, Callable[[int, Path], Iterable[Any]]] = {
    "aggregate": lambda outcomes, _: (aggregate.cost(size) for size in SIZES if size <= outcomes * 4),
    "sink": lambda outcomes, work: sink.loads(outcomes, work),
}
"""What is measured of the product alone: by how many outcomes, and the work folder."""


def main() -> None:
    """Run rounds, then write RESULTS.md."""
    given = _arguments()
    work: Path = given.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    if given.new:
        for name in ("results.jsonl", "skipped.txt"):
            (work / name).unlink(missing_ok=True)
    chosen = [e for e in ENGINES if not given.engines or e.name in given.engines]
    parts = given.parts.split(",")
    if engine_parts := [part for part in parts if part in ENGINE_PARTS]:
        _rounds(given.rounds, engine_parts, chosen, list(data.outcomes(given.outcomes)), work)
    for _ in range(given.rounds):
        for part in parts:
            for result in OWN_PARTS[part](given.outcomes, work) if part in OWN_PARTS else ():
                _keep(result, work)
    results.write(_lines(work / "results.jsonl"), dict.fromkeys(_lines(work / "skipped.txt")), given.report, given.command)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outcomes", type=int, default=300_000, help="how many outcomes an engine gets (a slow one gets fewer)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engines", nargs="*", choices=[e.name for e in ENGINES], help="which; left out: all")
    parser.add_argument("--parts", default=",".join([*ENGINE_PARTS, *OWN_PARTS]), help="what is measured, separated by commas")
    parser.add_argument("--work", type=Path, default=Path(".bench"), help="where peers are installed and results kept")
    parser.add_argument("--report", type=Path, default=HERE / "RESULTS.md")
    parser.add_argument(
        "--command", default=shlex.join(["python", "-m", "bench.pipeline", *sys.argv[1:]]), help="what the report says was run"
    )
    parser.add_argument("--new", action="store_true", help="forget earlier results")
    return parser.parse_args()


def _rounds(number: int, parts: Sequence[str], engines: Sequence[Engine], outcomes: Sequence[dict[str, Any]], work: Path) -> None:
    with tempfile.TemporaryDirectory(dir=work) as folder, brokers.kafka(Path(folder)) as broker:
        kafka = Kafka(broker.bootstrap)
        for _ in range(number):
            for part in parts:
                for engine in engines:
                    if part != "two" or engine.name in TWO:
                        _one(part, engine, kafka, work, outcomes)
        del kafka  # its client would wait for a broker that has gone


def _one(part: str, engine: Engine, kafka: Kafka, work: Path, outcomes: Sequence[dict[str, Any]]) -> None:
    try:
        result = delay(engine, kafka, work) if part == "delay" else rate(engine, kafka, work, outcomes, 2 if part == "two" else 1)
    except Missing as missing:
        _note(work, f"{engine.name}: {missing}")
    except Failed as failed:
        _note(work, f"{engine.name}, a run of `{part}`: {failed}")
    except Exception:
        traceback.print_exc()
    else:
        _keep(result, work)


def _keep(result: Any, work: Path) -> None:
    line = json.dumps(asdict(result))
    print(line, flush=True)
    _add(work / "results.jsonl", line)


def _note(work: Path, reason: str) -> None:
    reason = " ".join(reason.split())
    print(reason, file=sys.stderr, flush=True)
    _add(work / "skipped.txt", reason)


def _add(path: Path, line: str) -> None:
    with path.open("a") as file:
        file.write(line + "\n")


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


if __name__ == "__main__":
    main()
