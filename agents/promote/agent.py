"""Binds promote: the only writer of a pool."""

from datetime import timedelta

from agents.binding.agent import Agent, App, Cluster
from agents.binding.guard import Guarded
from agents.promote.core import Promote

SOURCES = ("candidates",)
_LOG_KEPT = timedelta(days=30)


def bind(cluster: Cluster, secret: bytes, similarity: float) -> App:
    """promote as a Faust app."""
    core = Guarded(Promote(secret, similarity), _LOG_KEPT)
    return App(Agent("promote", SOURCES, core, stateful=True, ticks=True), cluster)
