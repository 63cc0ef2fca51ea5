"""What commands ask: the settings, and clients of the engines that these name or that `tidegate up` runs. All is imported late."""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pipelines.cli import output
from pipelines.errors import SettingsError

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client
    from confluent_kafka import Producer

    from agents.scan.directory import Directory
    from pipelines.admin import Layout
    from pipelines.kafka import Config
    from pipelines.offsets import Offsets
    from pipelines.runtime import Endpoints
    from pipelines.settings import Settings
    from schemas.signing import Signer
    from schemas.vault import Vault


def read_settings() -> "Settings":
    """The settings of this environment; what is odd about them goes to stderr. Raises SettingsError."""
    from pipelines.settings import load

    settings = load(os.environ)
    for warning in settings.warnings:
        output.say(f"tidegate: {warning}")
    return settings


def org_of(settings: "Settings", org: str | None) -> str:
    """The organisation that is asked for. Raises SettingsError where nobody says which."""
    return _named(org, settings.org, "organisation", "--org", "TIDEGATE_ORG")


def agent_of(settings: "Settings", agent: str | None) -> str:
    """The agent that is asked for. Raises SettingsError where nobody says which."""
    return _named(agent, settings.agent, "agent", "--agent", "TIDEGATE_AGENT")


def vault_of(settings: "Settings") -> "Vault | None":
    """The store of the keys of claims, where it is on this machine."""
    from schemas.vault import Vault

    path = settings.vault_file
    return Vault(path) if path is not None and path.is_file() else None


def _named(option: str | None, setting: str | None, what: str, flag: str, variable: str) -> str:
    found = option or setting
    if not found:
        raise SettingsError(f"no {what} is named: give {flag}, or set {variable}")
    return found


@dataclass(frozen=True)
class Engines:
    """Clients of one deployment's engines, made when first asked for. Each raises Unreachable where its engine does not answer."""

    settings: "Settings"

    @cached_property
    def endpoints(self) -> "Endpoints":
        """Where the engines are."""
        from pipelines.runtime import resolve

        return resolve(self.settings)

    @cached_property
    def kafka(self) -> "Config":
        """What a librdkafka client needs to reach the broker, which was asked whether it is there."""
        from pipelines.kafka import client_config, reach, silent

        reach(self.settings, self.endpoints.brokers)
        # The commands say themselves what went wrong; librdkafka's log lines would stand beside it.
        return silent(client_config(self.settings, self.endpoints.brokers))

    @cached_property
    def offsets(self) -> "Offsets":
        """Where topics end and groups stand."""
        from pipelines.offsets import Offsets

        return Offsets(self.kafka, self.settings.prefix)

    @cached_property
    def layout(self) -> "Layout":
        """How the topics are made."""
        from pipelines.admin import Layout

        s = self.settings
        return Layout(s.prefix, s.partitions, s.replication, s.min_isr)

    def producer(self) -> "Producer":
        """An idempotent producer."""
        from confluent_kafka import Producer

        from pipelines.kafka import producer_config

        return Producer({**producer_config(self.settings, self.endpoints.brokers), **self.kafka})

    @cached_property
    def signer(self) -> "Signer | None":
        """What is sent is signed with. Raises SettingsError where there is nothing to sign with and a signature is needed."""
        from pipelines.principals import signer

        found = signer(self.settings)
        if found is None and not self.settings.open:
            raise SettingsError(
                "there is nothing to sign with: set TIDEGATE_KEY to a key of a principal (`tidegate key add` makes one), or point "
                "TIDEGATE_DATA or TIDEGATE_SECRET at the deployment's own"
            )
        return found

    def directory(self) -> "Directory":
        """Who there is now, with keys and roles."""
        from pipelines.principals import read

        return read(self.kafka, self.settings)

    def until_saved(self) -> None:
        """Wait until the broker has on disk what it was sent: the embedded one acknowledges a second or two before."""
        from pipelines.broker import until_saved

        if self.settings.brokers is None:
            until_saved(self.settings.data)

    @cached_property
    def clickhouse(self) -> "Client":
        """A client of ClickHouse."""
        from sinks.client import connect

        return connect(self.endpoints.clickhouse_dsn, self.endpoints.token)
