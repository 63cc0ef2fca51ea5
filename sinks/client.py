"""A ClickHouse client by DSN: a server or the engine's HTTP front (http, https, clickhouse), or chDB in this process (chdb)."""

import logging
from urllib.parse import unquote, urlsplit

import clickhouse_connect
from clickhouse_connect.driver.client import Client

# It logs what it raises as well; a command that set up no logging would print it, beside its own one line.
logging.getLogger("clickhouse_connect").addHandler(logging.NullHandler())

DATABASE = "tidegate"
"""Database where the DSN names none."""
_SECURE = {"http": False, "https": True, "clickhouse": False, "clickhouses": True}


def connect(dsn: str, token: str | None, create: bool = False) -> Client:
    """A client whose database is the DSN's (`http://host:8123/name`) or `tidegate`; `create` makes it where it is missing.

    Times come back with their zone. In process it asks as the operator (see `sinks.door`). `token` goes as a bearer token, unless the DSN
    holds a user. Raises ValueError where the DSN is none, and what clickhouse-connect raises
    (`clickhouse_connect.driver.exceptions.ClickHouseError`) where the engine can't be reached.
    """
    scheme, separator, rest = dsn.partition("://")
    if not separator or scheme not in {*_SECURE, "chdb"}:
        raise ValueError(f"not a ClickHouse DSN: its scheme must be one of {', '.join([*_SECURE, 'chdb'])}")
    if scheme == "chdb":
        client: Client = clickhouse_connect.get_client(interface="chdb", path=rest, tz_mode="aware", settings={"log_comment": "*"})
        client.command(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
        client.database = DATABASE
        return client
    parts = urlsplit(dsn)
    database = unquote(parts.path.strip("/")) or DATABASE

    def open_at(name: str) -> Client:
        made: Client = clickhouse_connect.get_client(
            interface="https" if _SECURE[scheme] else "http",
            host=parts.hostname or "localhost",
            port=parts.port or 0,
            username=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password) if parts.password else "",
            access_token=None if parts.username else token,
            database=name,
            autogenerate_session_id=False,
            tz_mode="aware",
        )
        return made

    if create:
        with open_at("default") as first:
            first.command("CREATE DATABASE IF NOT EXISTS {name:Identifier}", parameters={"name": database})
    return open_at(database)
