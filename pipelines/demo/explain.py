"""The end of the demo: the journal is verified, and one learning is followed from its run to the pool."""

from collections.abc import Sequence
from typing import Any

from clickhouse_connect.driver.client import Client
from rich.console import Console
from rich.text import Text

from agents.journal.chain import CHAINS
from pipelines import journal, keyring
from pipelines.cli.engines import Engines
from pipelines.demo.office import ORG

# Of what stands in a pool now and was promoted by the gate: what most agents stand behind, and the first that brought it.
_CROSSED = """SELECT e.agent AS agent, e.entry_key AS entry_key, e.run_id AS run_id, e.version AS version, e.applied AS applied,
    e.helpful AS helpful, j.sequence AS sequence, j.figures AS figures, j.key AS key, p.rule AS rule, p.space AS space, p.trust AS trust,
    p.validators AS validators
FROM journal AS j FINAL
JOIN pool AS p FINAL ON p.org = j.org AND p.shared_id = j.subject
JOIN entries AS e FINAL ON e.org = p.org AND e.wording = p.wording AND e.home_space = p.space
WHERE j.org = {org:String} AND j.chain = 'public' AND j.decision = 'promoted' AND p.crossing = 'promoted' AND e.candidate
ORDER BY p.validators DESC, j.sequence, e.at, e.version LIMIT 1"""


def verified(asked: Engines) -> tuple[bool, str]:
    """Whether both chains of the office are whole, read from Kafka with the public key alone; and that in words."""
    own = keyring.public_file(asked.settings.data)
    pinned = keyring.read_public(own) if own.exists() else None
    chains = [(ORG, name) for name in CHAINS]
    found = journal.verify(journal.from_kafka(asked.kafka, asked.layout, ORG, None), pinned, {}, chains)
    told = [f"{v.verdict.entries} in the {name} chain" for (_, name), v in found.items()]
    broken = [
        f"the {name} chain breaks at {v.verdict.first_bad}: {v.verdict.problem}" for (_, name), v in found.items() if not v.verdict.ok
    ]
    return not broken, "; ".join(broken) or f"every decision is in the journal, signed and chained: {' and '.join(told)}"


def followed(console: Console, client: Client) -> bool:
    """Show one learning's way; False where none crossed."""
    row = next(iter(client.query(_CROSSED, parameters={"org": ORG}).named_results()), None)
    if row is None:
        return False
    console.print("One learning, from its run to the pool:", style="bold")
    for what, how in _way(row):
        console.print(Text.assemble((f"  {what:8} ", "bold"), how), highlight=False, soft_wrap=True)
    return True


def _way(row: dict[str, Any]) -> Sequence[tuple[str, str]]:
    figures = row["figures"]
    gate = ", ".join(
        f"{name} {figures[name]}" for name in ("privacy", "state", "binding", "enabled", "applied", "ratio") if name in figures
    )
    return [
        ("run", f"{row['run_id']} of {row['agent']} wrote {row['entry_key']}: {row['rule']}"),
        (
            "evidence",
            f"applied {row['applied']} times, helpful {row['helpful']} times, at version {row['version']} all seven conditions hold",
        ),
        ("journal", f"entry {row['sequence']} of the public chain, promoted ({gate}), signed by key {row['key']}"),
        ("pool", f"of {row['space']}: {row['trust']}, {row['validators']} agents behind it; who they are stays apart"),
    ]
