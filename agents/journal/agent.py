"""Binds journal: puts every organisation's decisions in order, and signs them."""

from datetime import timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agents.binding.agent import Agent, App, Cluster
from agents.binding.guard import Guarded
from agents.journal.core import Journal

SOURCES = ("decisions",)
_LOG_KEPT = timedelta(days=30)


def bind(cluster: Cluster, secret: bytes, key: Ed25519PrivateKey) -> App:
    """journal as a Faust app. `key` signs."""
    return App(Agent("journal", SOURCES, Guarded(Journal(secret, key), _LOG_KEPT), stateful=True), cluster)
