"""Binds scan: from the raw side to the logs of agents, keeping no state."""

from datetime import timedelta

from agents.binding.agent import Agent, App, Cluster
from agents.binding.guard import Guarded
from agents.scan.core import Scan
from agents.scan.directory import Directory
from agents.scan.findings import FloorRule
from schemas.vault import Vault

SOURCES = ("runs", "outcomes", "writes", "reviews", "principals", "recalls", "erasures", "claim-writes")
_RAW_KEPT = timedelta(days=7)
_RUNS_A_BATCH = 500


def bind(cluster: Cluster, secret: bytes, directory: Directory, floors: FloorRule, vault: Vault | None) -> App:
    """scan as a Faust app."""
    core = Guarded(Scan(secret, directory, floors, vault), _RAW_KEPT)
    return App(Agent("scan", SOURCES, core, max_poll_records=_RUNS_A_BATCH), cluster)
