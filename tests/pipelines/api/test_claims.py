"""SPEC 8.1, 8.2, 9.2: claims over HTTP, one's own and those that a person curates."""

from typing import Any

import pytest

from schemas.records import ClaimDraft, ClaimWrite
from sinks.writer import Writer
from tests.pipelines.api.conftest import OPERATOR, Http
from tests.sinks import records as r

CLAIM = {"entity": "Globex", "key": "billing/terms", "value": {"net": 30}}
CLAIMS = f"/agents/{r.AGENT}/claims"
AS = {"Tidegate-Org": r.ORG, "Tidegate-Agent": r.AGENT}


def test_a_claim_is_on_the_broker_under_its_author(http: Http) -> None:
    answer = http("POST", CLAIMS, CLAIM)
    assert (answer.status_code, [part["part"] for part in answer.json()["parts"]]) == (202, ["claim:0"])
    draft = ClaimDraft(entity="Globex", key="billing/terms", value='{"net":30}')
    assert http.sent(answer).record == ClaimWrite(org=r.ORG, agent=r.AGENT, claim=draft)


@pytest.mark.parametrize(
    ("path", "body", "status", "code", "field"),
    [
        (CLAIMS, {"key": "billing/terms"}, 422, "missing", "entity"),
        (CLAIMS, {**CLAIM, "org": "globex"}, 403, "another_author", "org"),
        (f"/agents/{r.OTHER}/claims", CLAIM, 403, "another_author", "agent_id"),
        (CLAIMS, {**CLAIM, "colour": 1}, 422, "unknown_field", "colour"),
    ],
)
def test_what_can_not_be_taken_is_refused(http: Http, path: str, body: dict[str, Any], status: int, code: str, field: str) -> None:
    told = http("POST", path, body)
    assert (told.status_code, told.json()["code"], told.json()["field"]) == (status, code, field)


def test_an_unknown_privacy_is_taken_and_said(http: Http) -> None:
    """SPEC 2.6, 2.7"""
    [note] = http("POST", CLAIMS, {**CLAIM, "privacy": "open"}).json()["notes"]
    assert (note["field"], note["detail"].rpartition(": ")[2]) == ("privacy", "it reads agent_specific")


@pytest.fixture
def filled(http: Http, writer: Writer) -> Http:
    """Two agents of two spaces, a claim each, and one of another organisation."""
    told: list[Any] = [r.agent_changed(), r.agent_changed(r.OTHER, home_space="finance", offset=1)]
    held = [r.claim(claim_id=f"{n}a" * 16, agent=a, org=o, reason="email") for n, (a, o) in enumerate(OWNERS)]
    assert writer.write(r.messages(*told, *held)) == []
    return http


OWNERS = ((r.AGENT, r.ORG), (r.OTHER, r.ORG), (r.AGENT, "globex"))


@pytest.mark.parametrize(
    ("key", "more", "agents"),
    [("key-of-support-1", {}, [r.AGENT]), ("key-of-mina", {}, []), (OPERATOR, {"headers": AS}, [r.AGENT])],
)
def test_an_agent_reads_its_own(filled: Http, key: str, more: dict[str, Any], agents: list[str]) -> None:
    """SPEC 8.1: whatever roles a key has, here it reads what is its principal's own."""
    assert [row["agent"] for row in filled("GET", "/claims", key=key, **more).json()["rows"]] == agents


@pytest.mark.parametrize(
    ("key", "status", "agents", "filtered", "reach"),
    [
        ("key-of-mina", 200, [r.AGENT, r.OTHER], False, None),
        ("key-of-ann", 200, [r.AGENT, r.OTHER], False, None),
        ("key-of-lee", 200, [r.OTHER], True, ["finance"]),
        ("key-of-globex-admin", 200, [r.AGENT], False, None),
        ("key-of-support-1", 403, None, None, None),
        (None, 401, None, None, None),
    ],
)
def test_a_curator_sees_as_far_as_he_reaches_and_is_told(
    filled: Http, key: str | None, status: int, agents: list[str] | None, filtered: bool | None, reach: list[str] | None
) -> None:
    """SPEC 8.2: across one organisation's agents; a filtered page says so, and by what."""
    answer = filled("GET", "/org/claims/quarantine", key=key)
    assert answer.status_code == status
    if agents is not None:
        told = answer.json()
        assert ([row["agent"] for row in told["rows"]], told["filtered"], told["reach"]) == (agents, filtered, reach)
    assert filled("GET", "/org/claims/sensitive", key="key-of-mina").json()["rows"] == []


def test_pages_fit_together(filled: Http) -> None:
    first = filled("GET", "/org/claims/all", key="key-of-mina", params={"limit": 1}).json()
    rest = filled("GET", "/org/claims/all", key="key-of-mina", params={"limit": 1, "after": first["next"]}).json()
    assert ([row["agent"] for row in first["rows"] + rest["rows"]], rest["next"]) == ([r.AGENT, r.OTHER], None)
