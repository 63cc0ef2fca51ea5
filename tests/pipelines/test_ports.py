"""Ports stay those of the last time where they are free."""

import socket
from pathlib import Path

import pytest

from pipelines import ports
from pipelines.errors import SettingsError


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path


def test_kept_where_free_and_another_one_where_not(data: Path) -> None:
    first = ports.choose(data, {"kafka": None, "http": None})
    assert len(set(first.values())) == 2
    assert ports.choose(data, {"kafka": None, "http": None}) == first
    with socket.create_server((ports.LOOPBACK, first["kafka"])):
        assert ports.answers(first["kafka"])
        then = ports.choose(data, {"kafka": None, "http": None})
    assert then["kafka"] != first["kafka"]
    assert then["http"] == first["http"]


def test_one_that_was_asked_for_and_is_taken_is_named(data: Path) -> None:
    with socket.create_server((ports.LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=f"port {port} for kafka is in use"):
            ports.choose(data, {"kafka": port})


def test_a_damaged_file_is_as_none(data: Path) -> None:
    (data / "run" / "ports.json").write_text("{")
    assert ports.choose(data, {"kafka": None})["kafka"] > 0
