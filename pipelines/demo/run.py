"""The demo: a made-up office through the whole pipeline, questions to it, and the proof of what did not come through."""

import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from clickhouse_connect.driver.client import Client
from rich.console import Console
from rich.text import Text

from pipelines.cli.engines import Engines
from pipelines.declared import PREFIX
from pipelines.demo import decide, explain, show
from pipelines.demo.commands import Commands, Json, up
from pipelines.demo.lore import read_lore
from pipelines.demo.office import STAFF, Office, Phase, free_org, office, verdicts
from pipelines.demo.prove import Search, kinds_of, search
from pipelines.demo.recount import Key, recount
from pipelines.errors import Failure
from pipelines.settings import Settings, load

_AT_ONCE = 2
_IDLE_SECONDS = 30.0
_COUNTED = """SELECT org, agent, entry_key, applied, helpful, candidate FROM v_learnings
WHERE org = {org:String} AND branch = 'main'"""


def run(settings: Settings | None, console: Console) -> bool:
    """Show it all; whether all proofs hold. `settings`: of engines that run, where its data then stays; None: of its own, for a minute.

    Raises Failure where a part of it can't be run.
    """
    started = time.monotonic()
    console.print(Text("Tidegate with a made-up office: twelve agents, two departments, six weeks.", style="bold"))
    with _engines(settings, console) as (commands, asked):
        made = office(org=free_org({agent["org"] for agent in commands.run("agents", "list")}))
        sent = _take_in(commands, made, console)
        _others_verdicts(commands, made.org, sent, console)
        _wait_idle(commands)
        console.print()
        show.flow(console, asked.clickhouse, made.org, sent)
        console.print()
        _ask(commands, made.org, console)
        holds = _prove(asked, made, console)
        console.print()
        holds &= explain.followed(console, asked.clickhouse)
        console.print()
        _verdict(console, done := decide.decided(console, commands, made), "what was rejected, signed and erased is so for everybody")
        holds &= done
    console.print(f"\n{time.monotonic() - started:.0f} s from start to end.", highlight=False)
    _what_next(settings, made.org, console)
    return holds


@contextmanager
def _engines(settings: Settings | None, console: Console) -> Iterator[tuple[Commands, Engines]]:
    """The engines to run on, with commands that ask them."""
    if settings is not None:
        yield Commands(os.environ | {f"{PREFIX}DATA": str(settings.data)}), Engines(settings)
        return
    others = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with tempfile.TemporaryDirectory(prefix="tidegate-demo-") as data:
        environ = others | {f"{PREFIX}DATA": data}
        with console.status("starting broker, ClickHouse and a worker"), up(environ) as ready:
            console.print(f"Up: a broker at {ready['brokers']}, ClickHouse at {ready['clickhouse']}, a worker.", highlight=False)
            yield Commands(environ), Engines(load(environ))


def _take_in(commands: Commands, made: Office, console: Console) -> Counter[str]:
    sent: Counter[str] = Counter(agents=len(made.agents))
    with console.status("loading agents"):
        commands.run("agents", "load", "-", lines=made.agents)
    for phase in made.phases:
        sent += _produce(commands, phase, console)
    return sent


def _produce(commands: Commands, phase: Phase, console: Console) -> Counter[str]:
    with console.status(f"{len(phase.records)} {phase.topic} on their way"):
        (report,) = commands.run("produce", phase.topic, "-", "--wait", lines=phase.records)
    ended = ", ".join(f"{number} {end.replace('_', '-')}" for end, number in report["ended"].items() if number)
    console.print(f"{report['sent']:4} {phase.topic:9} sent; their parts: {ended}", highlight=False)
    return Counter({phase.topic: report["sent"]})


def _others_verdicts(commands: Commands, org: str, sent: Counter[str], console: Console) -> None:
    """Agents of the departments read their pools, and say by `ref` what was of use."""
    departments = read_lore()
    # Every second one: enough to lift a learning or to pull it back.
    shared = [(f"agent/{name}-{n}", name) for name, size in STAFF.items() for n in range(1, size + 1, 2) if name != "personal"]

    def read(agent: str, name: str) -> Mapping[str, str]:
        question = ", ".join(lore.cue for lore in departments[name].lore)
        rows = commands.run("recall", question, "--org", org, "--agent", agent, "--scope", "org", "--limit", "20")
        return {row["ref"]: row["rule"] for row in rows}

    with console.status("agents read the pools of their departments"), ThreadPoolExecutor(_AT_ONCE) as pool:
        shown = dict(zip((agent for agent, _ in shared), pool.map(read, *zip(*shared, strict=True)), strict=True))
    sent.update(_produce(commands, verdicts(shown, org=org), console))


def _wait_idle(commands: Commands) -> None:
    until = time.monotonic() + _IDLE_SECONDS
    while not commands.run("status")[-1]["idle"]:
        if time.monotonic() > until:
            raise Failure(f"not idle after {_IDLE_SECONDS:.0f} s: `tidegate status` says who is behind")
        time.sleep(0.2)


def _ask(commands: Commands, org: str, console: Console) -> None:
    questions = [(f"agent/{name}-{STAFF[name]}", question) for name, department in read_lore().items() for question in department.questions]

    def ask(asked: tuple[str, str]) -> list[Json]:
        return commands.run("recall", asked[1], "--org", org, "--agent", asked[0], "--scope", "org", "--limit", "3")

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for (agent, question), rows in zip(questions, pool.map(ask, questions), strict=True):
            show.answers(console, agent, question, rows)
    console.print()


def _prove(asked: Engines, made: Office, console: Console) -> bool:
    wrong = _miscounted(asked.clickhouse, made)
    for key, (counted, expected) in sorted(wrong.items()):
        console.print(f"  {'|'.join(key)}: counted {counted}, recounted {expected}", highlight=False)
    with console.status("looking for what was planted"):
        looked = search(made.planted, asked.kafka, asked.settings.prefix, asked.clickhouse, asked.settings.data / "logs")
    for place, found in looked.leaks.items():
        kinds = ", ".join(f"{number} {kind}" for kind, number in kinds_of(made.planted, found).items())
        console.print(f"  {place}: {kinds}", style="red", highlight=False)
    _verdict(console, not wrong, "applied, helpful and the gate of every learning equal a plain recount of the input")
    everything = looked.raw == set(range(len(made.planted)))
    _verdict(console, everything and not looked.leaks, _looked_at(looked, len(made.planted)))
    whole, said = explain.verified(asked)
    _verdict(console, whole, said)
    return not wrong and everything and not looked.leaks and whole


def _miscounted(client: Client, made: Office) -> dict[Key, tuple[object, object]]:
    """Learnings that ClickHouse has other figures of than the recount: applied, helpful, clears the gate."""
    found = {tuple(row[:3]): tuple(map(int, row[3:])) for row in client.query(_COUNTED, parameters={"org": made.org}).result_rows}
    expected = recount(made.agents, made.phases, made.planted)
    clears = expected.candidates()
    counts = {key: (c.applied, c.helpful, int(key in clears)) for key, c in expected.counts.items() if not c.held}
    return {key: (found.get(key), counts.get(key)) for key in counts.keys() | found.keys() if found.get(key) != counts.get(key)}


def _looked_at(looked: Search, planted: int) -> str:
    leaked = len(set().union(*looked.leaks.values()))
    return (
        f"of {planted:,} planted secrets, people, cards and accounts {len(looked.raw):,} stand on the raw side and {leaked} anywhere else: "
        f"not in {looked.messages:,} messages of {looked.topics} topics, {looked.tables} tables of ClickHouse and {looked.files} logs"
    )


def _verdict(console: Console, holds: bool, claim: str) -> None:
    console.print(Text.assemble(("holds  " if holds else "FAILS  ", "bold green" if holds else "bold red"), claim))


def _what_next(settings: Settings | None, org: str, console: Console) -> None:
    tidegate = "tidegate" if shutil.which("tidegate") else sys.argv[0]
    learning = f"support/refunds/pattern-partial-refund --org {org} --agent agent/support-2"
    lines = [
        f"recall 'a refund of an order' --org {org} --agent agent/support-2",
        f"history {learning}",
        f"why {learning}",
        "sql 'SELECT condition, count() FROM v_gate_misses GROUP BY condition'",
    ]
    if settings is None:
        lines = ["up             # in one terminal", "demo --here    # in another: this again, and its data stays", *lines]
    console.print("\nWhat to try next:", style="bold")
    for line in lines:
        console.print(f"  {tidegate} {line}", highlight=False, soft_wrap=True)
