"""INTERFACES, "Commands": while `up` runs, any command with the same data directory finds it."""

import os
import stat
from pathlib import Path

import pytest

from pipelines.runtime import Process, Running, Unreachable, find, make_keys, resolve, token_file, up_file
from pipelines.settings import Settings, SettingsError, load


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "run").mkdir()
    return load({"TIDEGATE_DATA": str(tmp_path)})


def running(up: Process) -> Running:
    return Running(up, "127.0.0.1:9", "http://127.0.0.1:8", "http://127.0.0.1:7", (Process("worker", 1, "2"),), "2026-03-01T00:00:00.000Z")


def test_what_up_wrote_is_found_while_it_lives(settings: Settings) -> None:
    written = running(Process.of("up", os.getpid()))
    written.write(settings.data)
    assert find(settings) == written
    ends = resolve(settings)
    assert (ends.brokers, ends.clickhouse_dsn) == ("127.0.0.1:9", "http://127.0.0.1:8")


def test_another_process_with_the_same_pid_is_not_taken_for_it(settings: Settings) -> None:
    running(Process("up", os.getpid(), Process.of("up", 1).born)).write(settings.data)
    assert find(settings) is None


@pytest.mark.parametrize("left", ["", "{", "[]", '"x"', "{}", '{"up": {}, "children": []}', '{"up": 1, "children": 2}', "\x00"])
def test_whatever_a_crash_left_reads_as_nothing(settings: Settings, left: str) -> None:
    up_file(settings.data).write_text(left)
    assert find(settings) is None


def test_without_up_it_is_said_what_to_do(settings: Settings) -> None:
    ends = resolve(settings)
    with pytest.raises(Unreachable, match="set TIDEGATE_BROKERS") as error:
        _ = ends.brokers
    assert error.value.status == 3
    with pytest.raises(Unreachable, match="set TIDEGATE_CLICKHOUSE"):
        _ = ends.clickhouse_dsn


def test_settings_go_before_what_runs(settings: Settings) -> None:
    running(Process.of("up", os.getpid())).write(settings.data)
    environ = {"TIDEGATE_DATA": str(settings.data), "TIDEGATE_BROKERS": "far:1", "TIDEGATE_CLICKHOUSE": "https://ch:8443"}
    ends = resolve(load(environ))
    assert (ends.brokers, ends.clickhouse_dsn, ends.token) == ("far:1", "https://ch:8443", None)


def test_keys_are_made_once_and_for_their_owner_alone(settings: Settings) -> None:
    with pytest.raises(SettingsError, match=r"operator\.token can't be read"):
        _ = resolve(settings).token
    make_keys(settings.data)
    first = load({"TIDEGATE_DATA": str(settings.data)}).need_secret()
    make_keys(settings.data)
    assert load({"TIDEGATE_DATA": str(settings.data)}).need_secret() == first
    assert len(resolve(settings).token or "") == 64
    for path in (settings.data / "secret", token_file(settings.data)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
