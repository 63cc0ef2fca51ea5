"""Binds journal: puts every organisation's decisions in order."""

from datetime import timedelta

from agents.binding.agent import Agent, App, Cluster
from agents.binding.guard import Guarded
from agents.journal.core import Journal

SOURCES = ("decisions",)
_LOG_KEPT = timedelta(days=30)


def bind(cluster: Cluster) -> App:
    """journal as a Faust app."""
    return App(Agent("journal", SOURCES, Guarded(Journal(), _LOG_KEPT), stateful=True), cluster)
