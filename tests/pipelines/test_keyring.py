"""SPEC 6.8: the journal's key is made once, for its owner alone, and not where a journal stands already."""

import stat
from pathlib import Path

import pytest
from confluent_kafka import Producer
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agents.journal.chain import Tip, append
from agents.journal.keys import key_id, trusted
from pipelines import keyring
from pipelines.admin import Layout
from pipelines.errors import SettingsError
from pipelines.meta import ClientConfig
from pipelines.seals import seals
from schemas.codec import encode
from tests.agents.journal.test_chain import KEY, decided
from tests.pipelines.conftest import Deployment


def test_a_key_is_readable_for_its_owner_alone(tmp_path: Path) -> None:
    made = keyring.make(tmp_path / "new" / "journal.key")
    assert stat.S_IMODE((tmp_path / "new" / "journal.key").stat().st_mode) == 0o600
    assert keyring.read(tmp_path / "new" / "journal.key").private_bytes_raw() == made.private_bytes_raw()
    with pytest.raises(SettingsError, match="exists"):
        keyring.make(tmp_path / "new" / "journal.key")


EC = ec.generate_private_key(ec.SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
BAD = [(None, 0o600, "can't be read"), (b"key", 0o600, "no private key in PEM"), (EC, 0o600, "another kind"), (b"key", 0o640, "chmod 600")]


@pytest.mark.parametrize(("text", "mode", "said"), BAD)
def test_what_is_no_key_says_so(tmp_path: Path, text: bytes | None, mode: int, said: str) -> None:
    path = tmp_path / "journal.key"
    if text is not None:
        path.write_bytes(text)
        path.chmod(mode)
    with pytest.raises(SettingsError, match=said):
        keyring.read(path)


def test_public_keys_stand_one_after_the_other(tmp_path: Path) -> None:
    keys = [keyring.make(tmp_path / name).public_key() for name in "ab"]
    (tmp_path / "pub").write_bytes(b"".join(map(keyring.pem, keys)))
    assert list(keyring.read_public(tmp_path / "pub")) == [key_id(key) for key in keys]
    (tmp_path / "none").write_text("")
    with pytest.raises(SettingsError, match="no public key"):
        keyring.read_public(tmp_path / "none")


def _decide(config: ClientConfig, layout: Layout) -> None:
    """The journal gets an entry."""
    producer = Producer(dict(config))
    producer.produce(layout.prefix + "journal", encode(append(Tip(), decided(), {}, KEY)[0]), partition=0)
    assert producer.flush(30) == 0


def test_the_life_of_a_key(deployment: Deployment, tmp_path: Path) -> None:
    """Made at the first start, published once; kept by the next; rotated; refused where it is not the journal's."""
    config, layout, data = deployment.config, deployment.layout, tmp_path / "one"
    first = keyring.take_up(data, config, layout)
    again = keyring.take_up(data, config, layout)
    assert again.private_bytes_raw() == first.private_bytes_raw()
    assert [k.key for k in seals(config, layout).keys] == [key_id(first.public_key())]

    _decide(config, layout)
    assert keyring.take_up(data, config, layout).private_bytes_raw() == first.private_bytes_raw()
    with pytest.raises(SettingsError, match="put the key back"):
        keyring.take_up(tmp_path / "two", config, layout)
    assert not keyring.key_file(tmp_path / "two").exists()
    keyring.make(keyring.key_file(tmp_path / "three"))
    with pytest.raises(SettingsError, match="has never signed"):
        keyring.take_up(tmp_path / "three", config, layout)

    record = keyring.rotate(data, config, layout)
    second = keyring.take_up(data, config, layout)
    assert (record.key, record.endorsed_by) == (key_id(second.public_key()), key_id(first.public_key()))
    pinned = {key_id(first.public_key()): first.public_key()}
    assert trusted(seals(config, layout).keys, pinned).keys() == keyring.read_public(keyring.public_file(data)).keys()
    assert stat.S_IMODE(keyring.key_file(data).stat().st_mode) == 0o600
