"""Every setting, declared once: its name, how its text is read, what it is where nobody sets it, what it means."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from schemas.keys import Bearer, parse

PREFIX = "TIDEGATE_"

Value = str | int | float | bytes | Path | Bearer | None


@dataclass(frozen=True, slots=True)
class Declared:
    """One setting. `name` is its field and its key in tidegate.toml; `read` raises ValueError, saying what is wrong with a text.

    `default`: on the embedded engines; `cluster_default`: where `brokers` is set. `secret`: shown hidden, and may come from a file.
    """

    name: str
    read: Callable[[str], Value]
    default: Value
    meaning: str
    cluster_default: Value = None
    secret: bool = False

    @property
    def variable(self) -> str:
        """Environment variable that sets it."""
        return PREFIX + self.name.upper()


def text(value: str) -> str:
    """Any text."""
    return value


def whole(low: int, high: int) -> Callable[[str], int]:
    """A whole number from `low` to `high`."""

    def read(value: str) -> int:
        if not re.fullmatch(r"[+-]?\d{1,12}", value) or not low <= int(value) <= high:
            raise ValueError(f"is {value!r}: a whole number from {low} to {high:,} is needed")
        return int(value)

    return read


def ratio(value: str) -> float:
    """A number from 0 to 1."""
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:  # NaN fails this too
        raise ValueError(f"is {value!r}: a number from 0 to 1 is needed")
    return number


def days(value: str) -> float:
    """A time in days, above 0."""
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < inf:  # NaN fails this too
        raise ValueError(f"is {value!r}: a number of days above 0 is needed")
    return number


def one_of(*allowed: str) -> Callable[[str], str]:
    """One of some words, in any case."""

    def read(value: str) -> str:
        if value.upper() not in allowed:
            raise ValueError(f"is {value!r}: one of {', '.join(allowed)} is needed")
        return value.upper()

    return read


def word(*allowed: str) -> Callable[[str], str]:
    """One of some words, as they stand."""

    def read(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"is {value!r}: one of {', '.join(allowed)} is needed")
        return value

    return read


def brokers(value: str) -> str:
    """Bootstrap servers: host:port, separated by commas."""
    servers = [s.strip() for s in value.split(",")]
    for server in servers:
        host, _, port = server.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise ValueError(f"has {server!r}: host:port is needed, more than one separated by commas")
    return ",".join(servers)


def url(*schemes: str) -> Callable[[str], str]:
    """An address with one of some schemes and a host. What is wrong is said without the address: it may hold a password."""

    def read(value: str) -> str:
        try:
            parts = urlsplit(value)
            fits = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"is no address: {' or '.join(s + '://' for s in schemes)}, then host and port, are needed")
        return value

    return read


def topic_prefix(value: str) -> str:
    """What may stand before a topic's name."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{0,100}", value):
        raise ValueError(f"is {value!r}: at most 100 letters, digits, dots, dashes and underscores are needed")
    return value


def yes(value: str) -> bool:
    """yes or no."""
    if value.lower() not in ("yes", "no", "true", "false", "1", "0"):
        raise ValueError(f"is {value!r}: yes or no is needed")
    return value.lower() in ("yes", "true", "1")


def key(value: str) -> Bearer:
    """A key of a principal. What is wrong is said without it."""
    found = parse(value)
    if found is None:
        raise ValueError("is no key: tg_…, as `tidegate key add` printed it, is needed")
    return found


def file(value: str) -> Path:
    """A file that is there."""
    path = Path(value).expanduser().absolute()
    if not path.is_file():
        raise ValueError(f"is {value!r}: there is no such file")
    return path


def folder(value: str) -> Path:
    """A directory, which need not be there yet."""
    return Path(value).expanduser().absolute()


def shown(declared: Declared, value: Value) -> str | int | float | None:
    """A value as people may read it: secrets hidden, and a password within an address."""
    if value is None or isinstance(value, int | float):
        return value
    if declared.secret:
        return "(hidden)"
    shown = str(value)
    if "://" in shown and "@" in shown:
        parts = urlsplit(shown)
        shown = urlunsplit(parts._replace(netloc="(hidden)@" + parts.netloc.rpartition("@")[2]))
    return shown


DECLARED: tuple[Declared, ...] = (
    Declared("data", folder, Path(".tidegate"), "data directory: embedded broker and ClickHouse, keys, the agents' tables"),
    Declared("brokers", brokers, None, "Kafka bootstrap servers; unset: the embedded broker"),
    Declared("security_protocol", one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"), "PLAINTEXT", "how to talk to the brokers"),
    Declared("sasl_mechanism", one_of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"), "SCRAM-SHA-512", "how to sign in to the brokers"),
    Declared("sasl_username", text, None, "user of the brokers"),
    Declared("sasl_password", text, None, "password of that user", secret=True),
    Declared("ssl_cafile", file, None, "CA certificates (PEM) that the brokers' are checked against; unset: the system's"),
    Declared("ssl_certfile", file, None, "client certificate (PEM)"),
    Declared("ssl_keyfile", file, None, "key of the client certificate (PEM)"),
    Declared("ssl_password", text, None, "password of that key", secret=True),
    Declared(
        "clickhouse",
        url("http", "https", "clickhouse", "clickhouses"),
        None,
        "DSN of a ClickHouse server; unset: chDB in the data directory",
    ),
    Declared("org", text, None, "organisation where --org is not given"),
    Declared("agent", text, None, "agent where --agent is not given"),
    Declared("prefix", topic_prefix, "tidegate.", "before every topic, group and changelog"),
    Declared("partitions", whole(1, 10_000), 8, "partitions of each topic when it is made", cluster_default=32),
    Declared("replication", whole(1, 100), 1, "replicas of each topic when it is made", cluster_default=3),
    Declared("min_isr", whole(1, 100), 1, "replicas that must have a record before it counts as sent", cluster_default=2),
    Declared(
        "fence",
        one_of("LEASE", "TRANSACTIONS"),
        "LEASE",
        "what keeps a worker out that lost its partitions: its own clock, or the broker too by a transaction a batch",
    ),
    Declared("store", one_of("MEMORY", "ROCKSDB"), "MEMORY", "where a worker holds its agents' states"),
    Declared("secret", lambda value: value.encode(), None, "what every id is made with; the same for all workers", secret=True),
    Declared("key", key, None, "key of a principal that signs what is sent; unset: the operator's, made of the secret", secret=True),
    Declared("open", yes, False, "yes: messages without a signature are taken for whoever they name; for brokers on loopback alone"),
    Declared("schema_registry", url("http", "https"), None, "schema registry; set: Confluent's framing is read too"),
    Declared("promotion_min_applied", whole(1, 1_000_000), 3, "gate: how often a learning must have been applied"),
    Declared("promotion_min_success_ratio", ratio, 0.70, "gate: helpful / applied, at least"),
    Declared("similarity", ratio, 0.85, "two wordings at least this alike are one in the pool"),
    Declared(
        "floor", word("standard", "strict", "narrow"), "standard", "what pulls learnings down: their run; strict, narrow: docs/scanning.md"
    ),
    Declared("api_host", text, "127.0.0.1", "address that the HTTP interface listens on; 0.0.0.0: all, behind what does TLS"),
    Declared("api_port", whole(1, 65_535), None, "port of the HTTP interface; unset: 8080, under `up` the last one, else a free one"),
    Declared("max_held", whole(1, 1_000_000), 10_000, "HTTP: learnings that may be held at once, before runs and learnings are refused"),
    Declared("max_held_org", whole(1, 1_000_000), 5_000, "the same of one organisation"),
    Declared("max_held_author", whole(1, 1_000_000), 500, "the same of one author"),
    Declared("rate_limit", whole(1, 1_000_000), 500, "HTTP: requests a second that one key may send"),
    Declared("body_limit", whole(1024, 96 * 1024 * 1024), 32 * 1024 * 1024, "HTTP: largest request body, in bytes"),
    Declared("meaning", one_of("wordllama"), None, "model by which recall ranks meaning too (extra `meaning`); unset: words alone"),
    Declared(
        "vault",
        folder,
        None,
        "file with the keys of claims and episodes, one for all workers; unset: vault.db in the data directory, with `brokers` none",
    ),
    Declared("half_life_days", days, None, "days after which an untested, unused fact reads half as sure; unset: no decay"),
)
