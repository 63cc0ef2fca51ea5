"""The commands by which principals get keys and roles, and what a message without a signature comes to, on a real `tidegate up`."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from clickhouse_connect.driver.exceptions import ClickHouseError
from confluent_kafka import Producer

from pipelines.produce import Headers
from pipelines.runtime import find, resolve
from pipelines.settings import load
from schemas.codec import encode
from schemas.keys import Bearer, parse
from schemas.records import Run
from schemas.signing import Signer
from sinks.client import connect
from tests.pipelines.cli.conftest import Tidegate

pytestmark = pytest.mark.processes

ORG, NAME = "initech", "agent/signing-1"


def key_of(text: str) -> Bearer:
    """The key that a command printed."""
    found = parse(text.strip())
    assert found is not None
    return found


def end_of(tidegate: Tidegate, run_id: str, key: Bearer | None) -> tuple[str, str | None]:
    """How a run ends that a raw producer sends, signed with a key or not at all: by its learning, or as a whole."""
    running = find(load(tidegate.environ))
    assert running is not None and running.brokers is not None
    run = Run(run_id=run_id, org=ORG, agent=NAME)
    value = encode(run)
    headers: Headers = [Signer.of(key).header("runs", ORG, value)] if key else []
    sent: list[str] = []
    producer = Producer({"bootstrap.servers": running.brokers, "partitioner": "murmur2_random"})
    producer.produce(
        "tidegate.runs",
        value,
        f"{ORG}/{NAME}".encode(),
        headers=headers,
        on_delivery=lambda error, message: sent.append(f"runs:{message.partition()}:{message.offset()}"),
    )
    assert producer.flush(30) == 0
    # What another command waits for has come behind it.
    tidegate("produce", "runs", "-", "--wait", stdin=json.dumps({"run_id": f"after-{run_id}", "org": ORG, "agent": "agent/other"}))
    while not (parts := tidegate("receipt", sent[0], "--json").row["parts"]):
        pass
    [part] = parts
    return part["end"], part["reason"]


def test_an_agent_signs_with_its_key_until_it_is_revoked(tidegate: Tidegate) -> None:
    """SPEC 9.1, 9.3: an unsigned author is refused as an access breach, and so is one whose key was revoked; both are journalled."""
    key = key_of(tidegate("agent", "add", NAME, "--org", ORG, "--home-space", "commons").out)
    assert end_of(tidegate, "r-unsigned", None) == ("refused", "access_breach")
    assert end_of(tidegate, "r-signed", key) == ("stored", None)
    assert end_of(tidegate, "r-forged", Bearer(key.key_id, bytes(32))) == ("refused", "access_breach")
    [row] = tidegate("key", "revoke", key.key_id, "--json").rows
    assert row["revoked_at"] is not None
    assert end_of(tidegate, "r-revoked", key) == ("refused", "access_breach")
    breaches = tidegate("sql", f"SELECT count() AS n FROM decisions FINAL WHERE org = '{ORG}' AND reason = 'access_breach'", "--json").row
    assert int(breaches["n"]) == 3


def test_a_key_is_shown_once_and_listed_by_its_id(tidegate: Tidegate) -> None:
    first = tidegate("agent", "add", "agent/listed", "--org", ORG, "--json").row
    second = tidegate("key", "add", "agent/listed", "--org", ORG, "--attests", "ci", "--json").row
    assert key_of(second["key"]).key_id == second["key_id"]
    listed = tidegate("key", "list", "--org", ORG, "--principal", "agent/listed", "--json")
    assert [(row["key_id"], row["attests"], row["revoked_at"]) for row in listed.rows] == [
        (key_of(first["key"]).key_id, "agent", None),
        (second["key_id"], "ci", None),
    ]
    assert first["key"] not in listed.out and second["key"] not in listed.out
    [row] = [row for row in tidegate("agent", "list", "--org", ORG, "--json").rows if row["principal"] == "agent/listed"]
    assert row["keys"] == 2
    assert tidegate("agent", "revoke", "agent/listed", "--org", ORG, "--json").row["revoked"] == [
        key_of(first["key"]).key_id,
        second["key_id"],
    ]


def test_a_key_can_go_to_a_file_of_its_own(tidegate: Tidegate, tmp_path: Path) -> None:
    file = tmp_path / "mina.key"
    said = tidegate(
        "person", "add", "person/mina", "--org", ORG, "--role", "reviewer:commons", "--role", "analyst", "--out", str(file), "--json"
    )
    assert said.row["key"] is None
    assert said.row["roles"] == ["reviewer:commons", "analyst"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    key_of(file.read_text())
    again = tidegate("key", "add", "person/mina", "--org", ORG, "--out", str(file))
    assert again.status == 2 and "can't be made" in again.err


def test_loading_agents_leaves_keys_and_adding_keys_leaves_the_agent(tidegate: Tidegate) -> None:
    tidegate("agent", "add", "agent/kept", "--org", ORG, "--home-space", "commons", "--hosted", "--role", "analyst")
    tidegate("agents", "load", "-", stdin=json.dumps({"org": ORG, "agent": "agent/kept", "home_space": "department/kept", "tools": ["a"]}))
    tidegate("key", "add", "agent/kept", "--org", ORG)
    [row] = [row for row in tidegate("agent", "list", "--org", ORG, "--json").rows if row["principal"] == "agent/kept"]
    assert (row["home_space"], row["roles"], row["keys"]) == ("department/kept", ["analyst"], 2)
    [loaded] = [row for row in tidegate("agents", "list", "--org", ORG, "--json").rows if row["agent"] == "agent/kept"]
    assert (loaded["home_space"], loaded["hosted"], loaded["tools"]) == ("department/kept", False, ["a"])


def test_an_analyst_s_key_opens_sql_to_its_organisation_until_it_is_revoked(tidegate: Tidegate) -> None:
    """SPEC 7.1: with the tools of ClickHouse, the key as password; another organisation's rows are not there."""
    for org in (ORG, "piedpiper"):
        run = {"run_id": f"r-{org}", "org": org, "agent": NAME}
        assert tidegate("produce", "runs", "-", "--wait", stdin=json.dumps(run)).status == 0
    key = tidegate("person", "add", "person/analyst", "--org", ORG, "--role", "analyst").out.strip()
    dsn = resolve(load(tidegate.environ)).clickhouse_dsn

    def asked() -> list[Any] | None:
        try:
            with connect(dsn, key) as client:
                return list(client.query("SELECT DISTINCT org FROM v_runs").result_rows)
        except ClickHouseError as error:
            assert "Code: 516" in str(error)
            return None

    while (rows := asked()) is None:  # the key is on its way
        pass
    assert rows == [(ORG,)]
    tidegate("key", "revoke", key_of(key).key_id)
    while asked() is not None:
        pass


def test_up_made_a_first_organisation(tidegate: Tidegate) -> None:
    """Its administrator's key stays in the data directory."""
    file = Path(tidegate.environ["TIDEGATE_DATA"]) / "administrator.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    [row] = tidegate("key", "list", "--org", "default", "--json").rows
    assert row["key_id"] == key_of(file.read_text()).key_id
    assert [row["roles"] for row in tidegate("person", "list", "--org", "default", "--json").rows] == [["administrator"]]


def test_an_organisation_comes_with_somebody_who_administers_it(tidegate: Tidegate) -> None:
    key = key_of(tidegate("org", "add", "hooli", "--administrator", "person/gavin").out)
    assert {"org": "hooli", "principals": 1, "keys": 1} in tidegate("org", "list", "--json").rows
    assert tidegate("org", "add", "hooli").status == 2
    assert tidegate("org", "revoke", "hooli", "--json").row == {"org": "hooli", "revoked": [key.key_id]}
    assert {"org": "hooli", "principals": 1, "keys": 0} in tidegate("org", "list", "--json").rows


@pytest.mark.parametrize(
    ("command", "status", "says"),
    [
        (("key", "add", "agent/nobody", "--org", ORG), 1, "has no principal agent/nobody"),
        (("key", "revoke", "ab" * 8), 1, "there is no key"),
        (("key", "add", "person/administrator", "--org", "default", "--public", "xy"), 2, "64 hex digits"),
        (("key", "add", "person/administrator", "--org", "default", "--attests", "priest"), 2, "not one of agent"),
        (("person", "add", "person/x", "--org", ORG, "--role", "king"), 2, "not one of reader"),
        (("agent", "add", "agent/x", "--org", ORG, "--home-space", "moon"), 2, "not one of personal"),
        (("org", "revoke", "nowhere"), 1, "there is no organisation"),
    ],
)
def test_what_is_wrong_is_said(tidegate: Tidegate, command: tuple[str, ...], status: int, says: str) -> None:
    answer = tidegate(*command)
    assert (answer.status, says in answer.err) == (status, True), answer.err
