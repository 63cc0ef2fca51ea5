"""The journal's key: made at the journal's first start, kept in its data directory, its public half published (SPEC 6.8).

Nobody else has it. Where a journal stands already no key is made: its chains would go on with one that nobody endorsed.
"""

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

from confluent_kafka import KafkaException, Producer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from agents.journal.keys import JOURNAL, key_id, published
from pipelines.admin import Layout
from pipelines.errors import SettingsError
from pipelines.meta import ClientConfig
from pipelines.offsets import Offsets
from pipelines.seals import seals, send
from schemas.records import JournalKey

_PEM_END = "-----END PUBLIC KEY-----\n"


def key_file(data: Path) -> Path:
    """The private key, PEM (PKCS #8), readable for its owner alone."""
    return data / "journal.key"


def public_file(data: Path) -> Path:
    """The public keys, one PEM after the other, oldest first: what verifies the journal."""
    return data / "journal.pub"


def take_up(data: Path, config: ClientConfig, layout: Layout) -> Ed25519PrivateKey:
    """The key that signs, which is made where there is neither a key nor a journal; its public half is published.

    Raises SettingsError where a journal stands that this directory's key has no part in, and KafkaException.
    """
    path = key_file(data)
    known = {record.key for record in seals(config, layout).keys if record.role == JOURNAL}
    stands = any(Offsets(config, layout.prefix).ends(["journal"]).values())
    if not path.exists():
        if stands:
            raise SettingsError(
                f"{path} is missing, and the journal has entries that its key signed: put the key back; "
                "one made anew could not go on with these chains"
            )
        make(path)
    key = read(path)
    public = key.public_key()
    if key_id(public) not in known:
        if stands:
            raise SettingsError(f"the key in {path} has never signed the journal that stands in {layout.prefix}journal: put its own back")
        _publish(config, layout, published(public, JOURNAL, datetime.now(UTC)))
    if not public_file(data).exists():
        public_file(data).write_bytes(pem(public))
    return key


def rotate(data: Path, config: ClientConfig, layout: Layout) -> JournalKey:
    """Let a new key follow the one in a data directory, from the journal's next start on. Raises SettingsError, KafkaException.

    The new public key is published first, endorsed by the old one, then the file is exchanged: a crash between leaves one that is unused.
    """
    path = key_file(data)
    before = read(path)
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    key = make(fresh)
    record = published(key.public_key(), JOURNAL, datetime.now(UTC), before)
    _publish(config, layout, record)
    with public_file(data).open("ab") as file:
        file.write(pem(key.public_key()))
    fresh.replace(path)
    return record


def make(path: Path) -> Ed25519PrivateKey:
    """Make a key and its file, which must not be there. Raises SettingsError where it can't be written."""
    key = Ed25519PrivateKey.generate()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise SettingsError(f"the key {path} can't be made: {error.strerror}") from error
    with os.fdopen(handle, "wb") as file:
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        file.flush()
        os.fsync(file.fileno())
    return key


def read(path: Path) -> Ed25519PrivateKey:
    """The private key in a file. Raises SettingsError where it is none, or where others can read it."""
    try:
        mode, text = stat.S_IMODE(path.stat().st_mode), path.read_bytes()
    except OSError as error:
        raise SettingsError(f"the key {path} can't be read: {error.strerror}") from error
    if mode & 0o077:
        raise SettingsError(f"the key {path} can be read by others (mode {mode:04o}): chmod 600 {path}")
    try:
        key = load_pem_private_key(text, None)
    except (ValueError, TypeError) as error:
        raise SettingsError(f"{path} holds no private key in PEM") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingsError(f"{path} holds another kind of key than Ed25519")
    return key


def pem(key: Ed25519PublicKey) -> bytes:
    """A public key in PEM."""
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def read_public(path: Path) -> dict[str, Ed25519PublicKey]:
    """The public keys in a file, by id. Raises SettingsError where there is none."""
    try:
        text = path.read_text()
        keys = [load_pem_public_key((part + _PEM_END).encode()) for part in text.split(_PEM_END)[:-1]]
    except OSError as error:
        raise SettingsError(f"the keys {path} can't be read: {error.strerror}") from error
    except ValueError as error:
        raise SettingsError(f"{path} holds no public key in PEM") from error
    found = {key_id(key): key for key in keys if isinstance(key, Ed25519PublicKey)}
    if not found:
        raise SettingsError(f"{path} holds no public key of kind Ed25519 in PEM")
    return found


def _publish(config: ClientConfig, layout: Layout, record: JournalKey) -> None:
    producer = Producer(dict(config) | {"enable.idempotence": True})
    send(producer, layout, [record])
    if producer.flush(30.0):
        raise KafkaException(f"the broker did not take the journal's public key: {record.key}")
