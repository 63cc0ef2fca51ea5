"""Settings: environment variables `TIDEGATE_*`, over `tidegate.toml` in the data directory, over defaults."""

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal

from pipelines.declared import DECLARED, PREFIX, Declared, Value, shown
from pipelines.errors import SettingsError
from schemas.keys import Bearer

__all__ = ["Entry", "Settings", "SettingsError", "entries", "load"]

TOML = "tidegate.toml"
SECRET_FILE = "secret"
"""In the data directory, made by `up`: the secret where no setting gives one."""
VAULT_FILE = "vault.db"
WEAK_BYTES = 16


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting's value. `origins`: where each came from; `warnings`: what was found beside them, one line each."""

    data: Path
    brokers: str | None
    security_protocol: str
    sasl_mechanism: str
    sasl_username: str | None
    sasl_password: str | None
    ssl_cafile: Path | None
    ssl_certfile: Path | None
    ssl_keyfile: Path | None
    ssl_password: str | None
    clickhouse: str | None
    org: str | None
    agent: str | None
    prefix: str
    partitions: int
    replication: int
    min_isr: int
    fence: str
    store: str
    secret: bytes | None
    key: Bearer | None
    open: bool
    schema_registry: str | None
    promotion_min_applied: int
    promotion_min_success_ratio: float
    similarity: float
    floor: Literal["standard", "strict", "narrow"]
    api_host: str
    api_port: int | None
    rate_limit: int
    max_held: int
    max_held_org: int
    max_held_author: int
    body_limit: int
    half_life_days: float | None
    meaning: str | None
    vault: Path | None
    origins: Mapping[str, str]
    warnings: tuple[str, ...]

    @property
    def vault_file(self) -> Path | None:
        """The store of the keys of what is private; None: on a cluster, where none is named, there is none."""
        return self.vault or (self.data / VAULT_FILE if self.brokers is None else None)

    def need_secret(self) -> bytes:
        """The secret. Raises SettingsError where there is none: outside of `up` nobody makes one."""
        if self.secret is None:
            raise SettingsError(
                f"{PREFIX}SECRET is not set and {self.data / SECRET_FILE} is not there: give every worker the same secret by "
                f"{PREFIX}SECRET or {PREFIX}SECRET_FILE (`tidegate up` makes one for its own)"
            )
        return self.secret


@dataclass(frozen=True, slots=True)
class Entry:
    """A setting as `tidegate config` prints it; a secret's value reads "(hidden)"."""

    name: str
    value: str | int | float | None
    origin: str
    meaning: str


def load(environ: Mapping[str, str]) -> Settings:
    """The settings that an environment asks for. Raises SettingsError: which setting, what is wrong with it, who set it."""
    by_name = {d.name: d for d in DECLARED}
    data = _from_environment(by_name["data"], environ) or (str(by_name["data"].default), "default")
    folder = Path(data[0]).expanduser().absolute()
    toml = folder / TOML
    written = _read_toml(toml)
    found: dict[str, tuple[str, str]] = {"data": data}
    for declared in DECLARED[1:]:
        given = _from_environment(declared, environ) or _from_toml(declared, written, toml)
        if given:
            found[declared.name] = given
    secret = folder / SECRET_FILE
    if "secret" not in found and secret.is_file():
        found["secret"] = (_file_text(secret, str(secret)), str(secret))

    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for declared in DECLARED:
        values[declared.name], origins[declared.name] = _value(declared, found, cluster="brokers" in found)
    warnings = [*_unknown_variables(environ)]
    if values["secret"] is not None and len(values["secret"]) < WEAK_BYTES:
        warnings.append(f"{PREFIX}SECRET ({origins['secret']}) is shorter than {WEAK_BYTES} bytes: ids made with it can be guessed")
    settings = Settings(**values, origins=origins, warnings=tuple(warnings))
    _check_together(settings)
    return settings


def entries(settings: Settings) -> Iterator[Entry]:
    """Every setting, in the order of their declaration."""
    for declared in DECLARED:
        value: Value = getattr(settings, declared.name)
        yield Entry(declared.variable, shown(declared, value), settings.origins[declared.name], declared.meaning)


def _value(declared: Declared, found: Mapping[str, tuple[str, str]], *, cluster: bool) -> tuple[Value, str]:
    if declared.name not in found:
        on_cluster = cluster and declared.cluster_default is not None
        return (declared.cluster_default if on_cluster else declared.default), "default"
    text, origin = found[declared.name]
    try:
        return declared.read(text), origin
    except ValueError as error:
        raise SettingsError(f"{declared.variable} ({origin}) {error}") from error


def _from_environment(declared: Declared, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Text and origin. An empty variable is an unset one, as docker-compose passes what nobody set."""
    text, path = environ.get(declared.variable), environ.get(declared.variable + "_FILE")
    if text and path and declared.secret:
        raise SettingsError(f"{declared.variable} and {declared.variable}_FILE are both set: leave one of them out")
    if text:
        return text, "environment"
    if path and declared.secret:
        return _file_text(Path(path), f"{declared.variable}_FILE"), f"{declared.variable}_FILE: {path}"
    return None


def _from_toml(declared: Declared, written: Mapping[str, object], toml: Path) -> tuple[str, str] | None:
    if declared.secret and isinstance(path := written.get(declared.name + "_file"), str):
        # Where the file stands is said from the data directory, like everything in this one.
        return _file_text(toml.parent / path, f"{declared.name}_file in {toml}"), f"{toml}: {declared.name}_file"
    value = written.get(declared.name)
    if value is None:
        return None
    if not isinstance(value, str | int | float):
        raise SettingsError(f"{declared.name} in {toml} is no text and no number")
    return str(value), str(toml)


def _read_toml(toml: Path) -> dict[str, object]:
    try:
        written: dict[str, object] = tomllib.loads(toml.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{toml} can't be read: {error}") from error
    known = [d.name for d in DECLARED[1:]] + [d.name + "_file" for d in DECLARED if d.secret]
    for key in written:
        if key == "data":
            raise SettingsError(f"data in {toml}: this file is found by it, so only {PREFIX}DATA can set it")
        if key not in known:
            raise SettingsError(f"{key} in {toml} is no setting{_nearest(key, known)}")
    return written


def _unknown_variables(environ: Mapping[str, str]) -> Iterator[str]:
    """Variables that look like settings and are none. Not an error: container platforms add some of their own."""
    known = [d.variable for d in DECLARED] + [d.variable + "_FILE" for d in DECLARED if d.secret]
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in known and not variable.startswith(PREFIX + "TEST_"):
            yield f"{variable} is set, but is no setting{_nearest(variable, known)}"


def _nearest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else "; `tidegate config` lists them all"


def _file_text(path: Path, said_by: str) -> str:
    try:
        text = path.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{said_by}: {path} can't be read: {error}") from error
    if not text:
        raise SettingsError(f"{said_by}: {path} is empty")
    return text


def _check_together(settings: Settings) -> None:
    """What no single setting shows. Raises SettingsError."""
    if settings.min_isr > settings.replication:
        raise SettingsError(
            f"{PREFIX}MIN_ISR is {settings.min_isr} ({settings.origins['min_isr']}), more than {PREFIX}REPLICATION, "
            f"{settings.replication} ({settings.origins['replication']}): nothing could ever be sent"
        )
    if settings.open and not all(_on_loopback(server) for server in (settings.brokers or "").split(",") if server):
        raise SettingsError(
            f"{PREFIX}OPEN is set ({settings.origins['open']}), and {PREFIX}BROKERS names more than this machine: others could write in "
            "anybody's name; unset it, and give your runtimes keys (`tidegate key add`)"
        )
    if settings.meaning is not None and find_spec(settings.meaning) is None:
        raise SettingsError(
            f"{PREFIX}MEANING is {settings.meaning} ({settings.origins['meaning']}), which is not installed: "
            "pip install 'tidegate[meaning]', or unset it"
        )
    if settings.brokers is None and settings.store == "ROCKSDB":
        raise SettingsError(
            f"{PREFIX}STORE is ROCKSDB ({settings.origins['store']}), which is for {PREFIX}BROKERS: the embedded broker, killed, comes "
            "back as it was about a second before, and states on disk would be ahead of it"
        )
    sasl = settings.security_protocol.startswith("SASL_")
    if settings.brokers is None and settings.security_protocol != "PLAINTEXT":
        raise SettingsError(f"{PREFIX}SECURITY_PROTOCOL is for {PREFIX}BROKERS, which is not set: the embedded broker asks nobody")
    if sasl and not (settings.sasl_username and settings.sasl_password):
        raise SettingsError(
            f"{PREFIX}SECURITY_PROTOCOL is {settings.security_protocol}: {PREFIX}SASL_USERNAME and {PREFIX}SASL_PASSWORD are needed"
        )
    if settings.sasl_username and not sasl:
        raise SettingsError(
            f"{PREFIX}SASL_USERNAME is set, but {PREFIX}SECURITY_PROTOCOL is {settings.security_protocol}: SASL_SSL would use it"
        )


def _on_loopback(server: str) -> bool:
    host = server.rpartition(":")[0].strip("[]")
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
