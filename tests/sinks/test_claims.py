"""Claims: an agent's own, a curator's as far as he reaches, nobody's else (SPEC 8.1, 8.2)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from schemas.records import Claim
from schemas.sealed import seal_claim
from schemas.vault import Vault
from sinks import claims
from sinks.ask import Ask
from sinks.recall import Recall
from sinks.writer import Writer
from tests.sinks import records as r

GLOBEX = r.IDS.entity("Globex")


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    vault = Vault(tmp_path / "vault.db")
    yield vault
    vault.close()


def claim(key: str, agent: str = r.AGENT, **more: Any) -> Claim:
    given = {"agent": agent, "claim_id": r.IDS.claim(agent, "Globex", key), "entity": "Globex", "key": key, "entity_id": GLOBEX}
    return r.claim(**(given | {"value": f'"{key} of {agent}"'} | more))


def written(writer: Writer, vault: Vault, *records: Any) -> None:
    sealed = [seal_claim(vault, record) if isinstance(record, Claim) else record for record in records]
    vault.commit()
    assert writer.write(r.messages(*sealed)) == []


def keys(page: tuple[list[dict[str, Any]], str | None]) -> set[tuple[str, str]]:
    return {(row["agent"], row["key"]) for row in page[0]}


def test_an_agent_sees_its_own_and_reads_what_it_wrote(writer: Writer, client: Client, vault: Vault) -> None:
    """SPEC 8.1: of no other agent, and of no other organisation under the same name; without the keys nobody reads one."""
    written(writer, vault, claim("a/terms"), claim("b/terms", r.OTHER), claim("c/terms", org="globex"))
    page = claims.own(client, vault, r.ORG, r.AGENT, "", 10)
    assert [(row["entity"], row["key"], row["value"]) for row in page[0]] == [("Globex", "a/terms", f"a/terms of {r.AGENT}")]
    assert claims.own(client, vault, "", r.AGENT, "", 10)[0] == claims.own(client, vault, r.ORG, "", "", 10)[0] == []
    assert claims.own(client, None, r.ORG, r.AGENT, "", 10)[0] == []
    vault.destroy(r.ORG, GLOBEX, 10**14)
    assert claims.own(client, vault, r.ORG, r.AGENT, "", 10)[0] == []


def test_a_claim_without_an_organisation_is_not_written(writer: Writer, client: Client) -> None:
    """SPEC 8.1: the table refuses it, whoever sends it."""
    [refusal] = writer.write(r.messages(r.claim(org="")))
    assert refusal.problem.code == "refused_by_store"
    assert client.query("SELECT count() FROM claims").result_rows == [(0,)]


@pytest.mark.parametrize(("stated", "reads"), [("", "agent_specific"), ("Shareable!", "agent_specific"), ("sensitive", "sensitive")])
def test_a_damaged_privacy_reads_private(writer: Writer, client: Client, vault: Vault, stated: str, reads: str) -> None:
    """SPEC 2.7, 8.1: where it is read and in the view; and where nothing is said, in schema and table."""
    written(writer, vault, claim("a/terms", privacy=stated))
    assert [row["privacy"] for row in claims.own(client, vault, r.ORG, r.AGENT, "", 10)[0]] == [reads]
    assert client.query("SELECT privacy FROM v_claims").result_rows == [(reads,)]
    client.command("INSERT INTO claims (org, agent, claim_id) VALUES ('acme', 'agent/new', 'ff')")
    assert client.query("SELECT privacy FROM claims WHERE claim_id = 'ff'").result_rows == [("agent_specific",)]
    assert Claim(org="acme", agent="a", claim_id="ff", entity="e", key="k", received_at=r.AT).privacy == "agent_specific"


def test_curation_is_across_the_agents_of_one_organisation(writer: Writer, client: Client, vault: Vault) -> None:
    """SPEC 8.2: what a person should look at, what is sensitive, all; in pages that fit together."""
    odd, secret = claim("b/odd", r.OTHER, reason="email"), claim("c/secret", privacy="sensitive")
    written(writer, vault, claim("a/terms"), odd, secret, claim("d/elsewhere", org="globex", reason="email"))

    def page(name: claims.Page, after: str = "", limit: int = 10) -> Any:
        return claims.of_org(client, vault, r.ORG, None, name, after, limit)

    assert keys(page("quarantine")) == {(r.OTHER, "b/odd")}
    assert [row["reason"] for row in page("quarantine")[0]] == ["email"]
    assert keys(page("sensitive")) == {(r.AGENT, "c/secret")}
    first, after = page("all", limit=2)
    rest, end = page("all", after, 2)
    assert keys((first + rest, None)) == {(r.AGENT, "a/terms"), (r.OTHER, "b/odd"), (r.AGENT, "c/secret")}
    assert end is None


@pytest.mark.parametrize(
    ("spaces", "agents"),
    [(None, {r.AGENT, r.OTHER}), (["service"], {r.AGENT}), (["finance"], {r.OTHER}), (["fin"], set()), ([], set())],
)
def test_restricted_reach_shows_agents_of_its_spaces(
    writer: Writer, client: Client, vault: Vault, spaces: list[str] | None, agents: set[str]
) -> None:
    """SPEC 8.2: those at home there, or below."""
    loaded = (r.agent_changed(), r.agent_changed(r.OTHER, home_space="finance/west", offset=1))
    written(writer, vault, claim("a/terms"), claim("b/terms", r.OTHER), *loaded)
    assert {row["agent"] for row in claims.of_org(client, vault, r.ORG, spaces, "all", "", 10)[0]} == agents


def test_bindings_resolve_against_the_callers_own_claims(writer: Writer, client: Client, vault: Vault) -> None:
    """SPEC 8.1, 2.4: recall says what the agent's own claims hold under the keys that its learning is bound to; another's do not count."""
    bound = r.learning(value_bindings=("billing/terms", "billing/none"))
    written(writer, vault, r.agent_changed(), bound, claim("billing/terms"), claim("billing/terms", r.OTHER), claim("other/key"))
    ask = Ask(org=r.ORG, agent=r.AGENT, text="refund status", scope="own")
    [row] = Recall(client, r.SECRET, vault=vault).answer(ask).rows
    assert row["bindings"] == {"billing/terms": [{"entity": "Globex", "value": f"billing/terms of {r.AGENT}"}], "billing/none": []}


def test_what_is_bound_to_nothing_says_nothing_of_it(writer: Writer, client: Client, vault: Vault) -> None:
    written(writer, vault, r.agent_changed(), r.learning(), claim("billing/terms"))
    [row] = Recall(client, r.SECRET, vault=vault).answer(Ask(org=r.ORG, agent=r.AGENT, text="refund status")).rows
    assert "bindings" not in row
