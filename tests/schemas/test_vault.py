"""Keys in a store of their own: what is sealed is read with its key alone, and by nobody once that is destroyed (SPEC 8.3)."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.vault import KeysTaken, Vault

TEXT = "Ann Lee pays by invoice \ud800"
ANN, BOB = "a" * 16, "b" * 16
EARLIER, ERASED, LATER = 1_000, 2_000, 3_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "vault.db"


@pytest.fixture
def vault(path: Path) -> Iterator[Vault]:
    vault = Vault(path)
    yield vault
    vault.close()


def seal(vault: Vault, name: str = "k", entities: tuple[str, ...] = (ANN,), received: int = EARLIER) -> str:
    return vault.seal(name, "place", TEXT, "acme", entities, received)


def test_what_is_sealed_is_opened_by_every_process_that_has_the_store(vault: Vault, path: Path) -> None:
    """A reader opens what another process sealed, once that committed; only the owner may read the file."""
    sealed = seal(vault)
    assert Vault(path).open("k", "place", sealed) is None
    vault.commit()
    assert Vault(path).open("k", "place", sealed) == vault.open("k", "place", sealed) == TEXT
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_same_is_sealed_the_same(vault: Vault, path: Path) -> None:
    """A record that is made again after a crash has the same bytes."""
    first = seal(vault)
    vault.commit()
    assert seal(Vault(path)) == first


@pytest.mark.parametrize(
    ("name", "place", "change"), [("other", "place", ""), ("k", "elsewhere", ""), ("k", "place", "x"), ("k", "place", "!")]
)
def test_what_was_moved_or_changed_is_not_opened(vault: Vault, name: str, place: str, change: str) -> None:
    sealed = seal(vault)
    seal(vault, "other")
    vault.commit()
    assert vault.open(name, place, change + sealed[len(change) :]) is None


def test_a_destroyed_key_is_gone_for_every_copy(vault: Vault, path: Path) -> None:
    """SPEC 8.3: neither the store nor its log holds it, and how many went is told the same however often it is asked."""
    sealed, others = seal(vault, entities=(ANN, BOB)), seal(vault, "k2", (BOB,))
    vault.commit()
    [(key,)] = sqlite3.connect(path).execute("SELECT key FROM keys WHERE name = 'k'").fetchall()
    assert [vault.destroy("acme", ANN, ERASED) for _ in range(2)] == [1, 1]
    assert (vault.open("k", "place", sealed), vault.open("k2", "place", others)) == (None, TEXT)
    assert not any(key in file.read_bytes() for file in path.parent.iterdir())


@pytest.mark.parametrize(("received", "read"), [(EARLIER, None), (ERASED, None), (LATER, TEXT)])
def test_what_came_before_an_erasure_that_overtook_it_is_sealed_for_nobody(vault: Vault, received: int, read: str | None) -> None:
    """SPEC 8.4: what is met later has a key again."""
    assert vault.destroy("acme", ANN, ERASED) == 0
    sealed = seal(vault, received=received)
    vault.commit()
    assert vault.open("k", "place", sealed) == read


def test_erasing_is_one_organisations(vault: Vault) -> None:
    sealed = seal(vault)
    assert vault.destroy("globex", ANN, ERASED) == 0
    assert vault.open("k", "place", sealed) == TEXT


def test_of_two_that_make_a_key_at_once_one_makes_it(vault: Vault, path: Path) -> None:
    """The other keeps nothing, and seals again with the first one's."""
    other = Vault(path)
    seal(vault), seal(other), seal(other, "k3")
    vault.commit()
    with pytest.raises(KeysTaken):
        other.commit()
    assert seal(other) == seal(vault)


def test_what_was_not_committed_is_forgotten(vault: Vault) -> None:
    """A batch that failed leaves no key behind."""
    sealed = seal(vault)
    vault.forget()
    vault.commit()
    assert vault.open("k", "place", sealed) is None


def test_an_erasure_by_another_process_counts_until_the_commit(vault: Vault, path: Path) -> None:
    """SPEC 8.4: what was being sealed as another process destroyed the keys is sealed for nobody."""
    sealed = seal(vault)
    Vault(path).destroy("acme", ANN, ERASED)
    vault.commit()
    assert vault.open("k", "place", sealed) is None
