"""What the demo prints of the flow: how much came in, and what became of it, out of ClickHouse."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from clickhouse_connect.driver.client import Client
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

Rows = list[tuple[Any, ...]]

_SCRUBBED = "SELECT layer, count() FROM findings FINAL WHERE org = {org:String} GROUP BY layer ORDER BY 2 DESC"
_HELD = "SELECT hold, count() FROM learnings_now WHERE org = {org:String} AND state = 'held' GROUP BY hold ORDER BY 1"
_ENDS = """SELECT splitByChar(':', id)[1] AS topic, splitByChar(':', toString(part))[1] AS kind, end, toString(reason), count()
FROM receipts FINAL WHERE org = {org:String} GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC"""
_LEARNINGS = "SELECT count(), countIf(candidate), countIf(applied > 0) FROM v_learnings WHERE org = {org:String}"
_MISSES = "SELECT condition, count() FROM v_gate_misses WHERE org = {org:String} GROUP BY condition ORDER BY 2 DESC"
_DECISIONS = "SELECT decision, count() FROM v_decisions WHERE org = {org:String} GROUP BY decision"
_CAME_BACK = """SELECT countIf(crossing = 'promoted' AND before = 'withdrawn') FROM (
    SELECT toString(crossing) AS crossing, lagInFrame(toString(crossing)) OVER (PARTITION BY space, shared_id ORDER BY version) AS before
    FROM shared FINAL WHERE org = {org:String})"""
_POOLS = (
    "SELECT space, count(), max(validators) FROM v_pool WHERE org = {org:String} AND crossing = 'promoted' GROUP BY space ORDER BY space"
)

_MISSED = {
    "privacy": "private, or of a run that touched a secret or a person's own data",
    "state": "held, superseded or archived",
    "binding": "bound to a claim of its agent",
    "enabled": "of an agent that shares nothing",
    "trust": "no outcome that anybody verified",
    "applied": "applied fewer than three times",
    "ratio": "helped in less than 70 % of them",
}


def flow(console: Console, client: Client, org: str, sent: Mapping[str, int]) -> None:
    """The flow of an organisation as a table. `sent`: how many records went to each topic."""
    table = Table(title="What became of it", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    table.add_column("how many", justify="right")
    table.add_column("what")
    for stage, rows in _stages(lambda sql: _ask(client, org, sql), sent):
        table.add_section()
        for n, (number, what) in enumerate(rows):
            table.add_row(Text(stage if n == 0 else "", style="bold"), f"{number:,}", what)
    console.print(table)


def answers(console: Console, agent: str, question: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """The answer to a question of an agent's."""
    console.print(Text.assemble((f"{agent} asks: ", "bold"), question))
    for n, row in enumerate(rows, 1):
        console.print(Text(f"  {n}. {row['rule']}"), highlight=False)
        whose = f"pool of {row['space']}" if row["entry_key"] is None else f"its own {row['entry_key']}"
        figures = f"helped {row['helpful']} of {row['applied']} times, {row['evidence_status']}, {row['trust']}"
        console.print(Text(f"     {whose}; {figures}", style="dim"), highlight=False)


def _stages(ask: Callable[[str], Rows], sent: Mapping[str, int]) -> Iterable[tuple[str, list[tuple[int, str]]]]:
    ends = ask(_ENDS)
    kinds: Counter[tuple[str, str, str]] = Counter()
    for topic, kind, end, _, number in ends:
        kinds[topic, kind, end] += number
    yield "in", [(number, name) for name, number in sent.items()]
    yield "scrubbed", [(n, f"findings of the {layer} layer") for layer, n in ask(_SCRUBBED)]
    yield "held", [(n, f"with a secret in the wording: {hold}") for hold, n in ask(_HELD)] or [(0, "learnings")]
    credited = [
        (kinds["outcomes", "credit", "stored"], "credits counted, early ones when what they credit came"),
        (kinds["outcomes", "credit", "duplicate"], "credits of outcomes that came twice, not counted again"),
        (kinds["outcomes", "credit", "waiting"], "credits that wait for a learning nobody has written yet"),
    ]
    yield "counted", credited
    (learnings, candidates, applied) = ask(_LEARNINGS)[0]
    yield "kept", [(learnings, "learnings, each with every version"), (applied, "of them applied by somebody")]
    decisions: dict[str, int] = dict(ask(_DECISIONS))
    yield (
        "promoted",
        [
            (candidates, "learnings clear the gate"),
            (decisions.get("promoted", 0), "crossed into the pool of their department"),
            (decisions.get("corroborated", 0), "times another agent brought the same, or found it helpful"),
            (decisions.get("withdrawn", 0), "left the pool again: reworded, or of no use to others"),
            (ask(_CAME_BACK)[0][0], "of them came back: brought by another agent, or of use after all"),
            *((n, f"in the pool of {space} now, with up to {validators} agents behind one") for space, n, validators in ask(_POOLS)),
        ],
    )
    yield "not yet", [(n, _MISSED[condition]) for condition, n in ask(_MISSES)]
    refused = [(n, f"{kind}: {end.replace('_', '-')}, {reason}") for _, kind, end, reason, n in ends if end in ("refused", "dead_lettered")]
    yield "refused", refused or [(0, "parts")]


def _ask(client: Client, org: str, sql: str) -> Rows:
    return [tuple(row) for row in client.query(sql, parameters={"org": org}).result_rows]
