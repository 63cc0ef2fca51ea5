"""A worker: one process that runs agents, each as a Faust app in a group of its own."""

import asyncio
import gc
import logging
import signal
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import uvloop
from confluent_kafka import KafkaException

from agents.binding.agent import App, Cluster, run
from agents.binding.lease import EXIT_TOPIC_ANEW, die
from agents.binding.states import NewStates, in_memory
from pipelines import admin, principals, secret, worklog
from pipelines.errors import SettingsError, Unreachable
from pipelines.kafka import client_config, reach
from pipelines.seat import seat
from pipelines.security import credentials
from pipelines.settings import Settings
from schemas.vault import Vault

_log = logging.getLogger(__name__)

Bind = Callable[[Cluster, Settings], App]
Epochs = Mapping[str, str]
EPOCH_SECONDS = 10.0
"""How often a worker looks whether its topics are still those that it began with."""


def _scan(cluster: Cluster, settings: Settings) -> App:
    from agents.scan import agent

    if settings.open:
        _log.warning("TIDEGATE_OPEN is set: messages without a signature are taken for whoever they name")
    directory = principals.followed(client_config(settings, cluster.brokers), settings)
    if settings.vault_file is None:
        _log.warning("TIDEGATE_VAULT is not set: claims and episodes are not sealed, and what stands in backups stays readable")
    vault = Vault(settings.vault_file) if settings.vault_file is not None else None
    return agent.bind(cluster, settings.need_secret(), directory, settings.floor, vault)


def _aggregate(cluster: Cluster, settings: Settings) -> App:
    from agents.aggregate import agent
    from agents.aggregate.gate import GatePolicy

    policy = GatePolicy(settings.promotion_min_applied, settings.promotion_min_success_ratio)
    return agent.bind(cluster, settings.need_secret(), policy)


def _promote(cluster: Cluster, settings: Settings) -> App:
    from agents.promote import agent

    return agent.bind(cluster, settings.need_secret(), settings.similarity)


def _journal(cluster: Cluster, settings: Settings) -> App:
    from agents.journal import agent
    from pipelines import keyring

    layout = admin.Layout(settings.prefix, settings.partitions, settings.replication, settings.min_isr)
    return agent.bind(cluster, settings.need_secret(), keyring.take_up(settings.data, client_config(settings, cluster.brokers), layout))


AGENTS: dict[str, Bind] = {"scan": _scan, "aggregate": _aggregate, "promote": _promote, "journal": _journal}
"""Each agent is imported when it is asked for: a worker without scan loads no language model."""


def work(settings: Settings, brokers: str, agents: Sequence[str], ready: Callable[[], None]) -> None:
    """Run agents until TERM or Ctrl-C; `ready` is called once all can take work.

    Raises SettingsError where an agent is unknown or a topic is not as declared, Unreachable where no broker answers.
    """
    if unknown := [name for name in agents if name not in AGENTS]:
        raise SettingsError(f"there is no agent {unknown[0]!r}: choose from {', '.join(AGENTS)}")
    worklog.begin()
    reach(settings, brokers)
    config = client_config(settings, brokers)
    layout = admin.Layout(settings.prefix, settings.partitions, settings.replication, settings.min_isr)
    try:
        if wrong := next((state for state in admin.check(config, layout) if not state.ok), None):
            raise SettingsError(f"topic {wrong.topic} {wrong.problem}")
        alone = set(agents) == {"journal"}  # its user may read meta, and write none of it
        secret.agree(config, settings, "journal" if alone else "scan", found=not alone)
        epochs = admin.epochs(config, layout)
    except KafkaException as error:
        raise Unreachable(f"the topics at {brokers} can't be looked at: {error.args[0]}") from error
    with seat(settings.data, "worker") as name:
        home = settings.data / "faust" / name
        cluster = Cluster(
            brokers=brokers,
            prefix=settings.prefix,
            partitions=settings.partitions,
            data=home,
            epochs=epochs,
            member=name,
            new_states=_states(settings.store, home),
            transactions=settings.fence == "TRANSACTIONS",
            security=credentials(settings),
        )
        bound = [AGENTS[agent](cluster, settings) for agent in agents]
        # What was loaded stays: the collector need not look at it again and again.
        gc.collect()
        gc.freeze()
        uvloop.run(_until_stopped(bound, ready, partial(admin.epochs, config, layout)))


def _states(store: str, home: Path) -> NewStates:
    if store == "MEMORY":
        return in_memory
    from agents.binding.rocks import on_disk

    return on_disk(home)


async def _until_stopped(apps: Sequence[App], ready: Callable[[], None], epochs: Callable[[], Epochs]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    watch = asyncio.create_task(_made_anew(apps[0].cluster.epochs, epochs))
    watch.add_done_callback(lambda _: stop.set())
    await run(apps, stop, ready)
    if watch.done():
        die(EXIT_TOPIC_ANEW, f"topic {watch.result()} was deleted and made anew")
    watch.cancel()


async def _made_anew(known: Epochs, epochs: Callable[[], Epochs]) -> str:
    """Waits for a topic to be deleted and made anew: it begins at offset 0 again, so this process ends, and the next one reads it from its
    start. It ends in order, and leaves its groups: under its name the next one would be given what there was to read before."""
    while True:
        await asyncio.sleep(EPOCH_SECONDS)
        try:
            found = await asyncio.to_thread(epochs)
        except (KafkaException, TimeoutError):
            continue  # the broker is away, or a topic is, for the moment
        if anew := [topic for topic, epoch in found.items() if known[topic] != epoch]:
            return anew[0]
