"""INTERFACES, "Settings": environment over tidegate.toml over defaults; what is wrong is said with the setting and who set it."""

from pathlib import Path

import pytest

from pipelines.declared import DECLARED
from pipelines.settings import SettingsError, entries, load


def at(tmp_path: Path, toml: str = "", **environ: str) -> dict[str, str]:
    (tmp_path / "tidegate.toml").write_text(toml)
    return {"TIDEGATE_DATA": str(tmp_path), **environ}


def test_defaults_are_those_of_the_embedded_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    s = load({})
    assert (s.data, s.brokers, s.clickhouse, s.prefix) == (tmp_path / ".tidegate", None, None, "tidegate.")
    assert (s.partitions, s.replication, s.min_isr) == (8, 1, 1)
    assert (s.promotion_min_applied, s.promotion_min_success_ratio, s.similarity, s.half_life_days) == (3, 0.70, 0.85, None)
    assert s.secret is None and s.warnings == ()


def test_on_a_cluster_other_defaults_hold(tmp_path: Path) -> None:
    s = load(at(tmp_path, TIDEGATE_BROKERS="a:1, b:2"))
    assert (s.brokers, s.partitions, s.replication, s.min_isr) == ("a:1,b:2", 32, 3, 2)


def test_environment_over_file_over_default(tmp_path: Path) -> None:
    s = load(at(tmp_path, 'prefix = "file."\nsimilarity = 0.9\n', TIDEGATE_PREFIX="env.", TIDEGATE_ORG=""))
    assert (s.prefix, s.similarity, s.partitions, s.org) == ("env.", 0.9, 8, None)
    assert s.origins["prefix"] == "environment"
    assert s.origins["similarity"] == str(tmp_path / "tidegate.toml")
    assert s.origins["partitions"] == "default"


def test_a_secret_comes_from_the_environment_a_file_or_the_data_directory(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("0123456789abcdef-file\n")
    assert load(at(tmp_path, TIDEGATE_SECRET_FILE=str(tmp_path / "mine"))).secret == b"0123456789abcdef-file"
    assert load(at(tmp_path, 'secret_file = "mine"')).secret == b"0123456789abcdef-file"
    (tmp_path / "secret").write_text("0123456789abcdef-made\n")
    made = load(at(tmp_path))
    assert (made.need_secret(), made.origins["secret"]) == (b"0123456789abcdef-made", str(tmp_path / "secret"))
    assert load(at(tmp_path, TIDEGATE_SECRET="0123456789abcdef")).secret == b"0123456789abcdef"


def test_without_a_secret_it_is_said_how_to_give_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="TIDEGATE_SECRET_FILE"):
        load(at(tmp_path)).need_secret()


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"TIDEGATE_PARTITIONS": "many"}, "TIDEGATE_PARTITIONS (environment) is 'many': a whole number from 1"),
        ({"TIDEGATE_PARTITIONS": "0"}, "TIDEGATE_PARTITIONS (environment) is '0'"),
        ({"TIDEGATE_SIMILARITY": "nan"}, "TIDEGATE_SIMILARITY (environment) is 'nan': a number from 0 to 1"),
        ({"TIDEGATE_PROMOTION_MIN_SUCCESS_RATIO": "70"}, "a number from 0 to 1"),
        ({"TIDEGATE_BROKERS": "localhost"}, "TIDEGATE_BROKERS (environment) has 'localhost': host:port"),
        ({"TIDEGATE_HALF_LIFE_DAYS": "0"}, "TIDEGATE_HALF_LIFE_DAYS (environment) is '0': a number of days above 0"),
        ({"TIDEGATE_HALF_LIFE_DAYS": "inf"}, "TIDEGATE_HALF_LIFE_DAYS (environment) is 'inf'"),
        ({"TIDEGATE_PREFIX": "a b"}, "TIDEGATE_PREFIX (environment) is 'a b'"),
        ({"TIDEGATE_CLICKHOUSE": "ch.example"}, "TIDEGATE_CLICKHOUSE (environment) is no address: http://"),
        ({"TIDEGATE_SECRET": "x", "TIDEGATE_SECRET_FILE": "y"}, "are both set"),
        ({"TIDEGATE_SECRET_FILE": "/no/such"}, "TIDEGATE_SECRET_FILE: /no/such can't be read"),
        ({"TIDEGATE_REPLICATION": "1", "TIDEGATE_MIN_ISR": "2"}, "nothing could ever be sent"),
        ({"TIDEGATE_STORE": "rocksdb"}, "is for TIDEGATE_BROKERS"),
        ({"TIDEGATE_BROKERS": "a:1", "TIDEGATE_SECURITY_PROTOCOL": "sasl_ssl"}, "TIDEGATE_SASL_USERNAME and TIDEGATE_SASL_PASSWORD"),
        ({"TIDEGATE_BROKERS": "a:1", "TIDEGATE_SASL_USERNAME": "u"}, "SASL_SSL would use it"),
        ({"TIDEGATE_SECURITY_PROTOCOL": "SSL"}, "the embedded broker asks nobody"),
        ({"TIDEGATE_BROKERS": "a:1", "TIDEGATE_SSL_CAFILE": "/no/such.pem"}, "there is no such file"),
    ],
)
def test_a_wrong_value_is_named_with_its_fault_and_origin(tmp_path: Path, environ: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError) as error:
        load(at(tmp_path, **environ))
    assert says in str(error.value) and "\n" not in str(error.value)
    assert error.value.status == 2


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("partitons = 3", "partitons in {file} is no setting; did you mean partitions?"),
        ('data = "/x"', "only TIDEGATE_DATA can set it"),
        ("prefix = [1]", "prefix in {file} is no text and no number"),
        ("partitions = true", "TIDEGATE_PARTITIONS ({file}) is 'True'"),
        ("partitions = 0", "TIDEGATE_PARTITIONS ({file}) is '0'"),
        ("= 3", "{file} can't be read"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, toml: str, says: str) -> None:
    with pytest.raises(SettingsError) as error:
        load(at(tmp_path, toml))
    assert says.format(file=tmp_path / "tidegate.toml") in str(error.value)


def test_variables_that_are_no_settings_are_named(tmp_path: Path) -> None:
    s = load(at(tmp_path, TIDEGATE_PARTITION="3", TIDEGATE_TEST_BROKERS="x", TIDEGATE_SECRET="short"))
    assert len(s.warnings) == 2
    assert "TIDEGATE_PARTITION is set, but is no setting; did you mean TIDEGATE_PARTITIONS?" in s.warnings
    assert any("shorter than 16 bytes" in w for w in s.warnings)


def test_nothing_secret_is_shown(tmp_path: Path) -> None:
    s = load(
        at(
            tmp_path,
            TIDEGATE_SECRET="hunter2-hunter2-hunter2",
            TIDEGATE_BROKERS="a:1",
            TIDEGATE_SECURITY_PROTOCOL="SASL_SSL",
            TIDEGATE_SASL_USERNAME="me",
            TIDEGATE_SASL_PASSWORD="hunter2",
            TIDEGATE_CLICKHOUSE="clickhouse://user:hunter2@db:9000/tidegate",
        )
    )
    listed = list(entries(s))
    assert "hunter2" not in repr(listed)
    values = {e.name: e.value for e in listed}
    assert values["TIDEGATE_CLICKHOUSE"] == "clickhouse://(hidden)@db:9000/tidegate"
    assert values["TIDEGATE_SECRET"] == values["TIDEGATE_SASL_PASSWORD"] == "(hidden)"
    assert values["TIDEGATE_PARTITIONS"] == 32


def test_each_setting_is_documented() -> None:
    told = (Path(__file__).parents[2] / "docs" / "operating.md").read_text()
    for declared in DECLARED:
        assert f"`{declared.variable}`" in told
        assert not declared.secret or f"`{declared.variable}_FILE`" in told
