"""Binds aggregate: the only writer of what is known of an agent."""

from datetime import timedelta

from agents.aggregate.core import Aggregate
from agents.aggregate.gate import GatePolicy
from agents.binding.agent import Agent, App, Cluster
from agents.binding.guard import Guarded

SOURCES = ("learnings",)
_LOG_KEPT = timedelta(days=30)


def bind(cluster: Cluster, secret: bytes, policy: GatePolicy) -> App:
    """aggregate as a Faust app."""
    core = Guarded(Aggregate(secret, policy), _LOG_KEPT)
    return App(Agent("aggregate", SOURCES, core, stateful=True, ticks=True), cluster)
