"""SPEC 8.3, 9.2: an entity is erased over HTTP by an administrator, and the receipt is his organisation's to read."""

from dataclasses import replace
from typing import Any

import pytest

from schemas.records import Erasure
from sinks.writer import Writer
from tests.pipelines.api.conftest import OPERATOR, Http
from tests.sinks import records as r

ASKED = {"entity": "Ann Lee", "reason": "she asked for it"}
ADMIN = "key-of-mina"


@pytest.mark.parametrize(
    ("key", "body", "by"),
    [(ADMIN, {}, "person/mina"), (OPERATOR, {"org": r.ORG}, "operator"), (OPERATOR, {"org": r.ORG, "requested_by": "x"}, "x")],
)
def test_the_request_is_on_the_broker_under_who_asked(http: Http, key: str, body: dict[str, Any], by: str) -> None:
    answer = http("POST", "/erasures", {**ASKED, **body}, key)
    assert (answer.status_code, answer.json()["done"]) == (202, False)
    assert answer.headers["location"] == f"/erasures/{answer.json()['id']}"
    sent = http.sent(answer)
    assert (sent.record, sent.key) == (Erasure(org=r.ORG, requested_by=by, **ASKED), f"{r.ORG}/{by}".encode())


@pytest.mark.parametrize(
    ("key", "body", "status", "code"),
    [
        ("key-of-support-1", ASKED, 403, "forbidden"),
        ("key-of-ann", ASKED, 403, "forbidden"),
        (ADMIN, {**ASKED, "org": "globex"}, 403, "another_author"),
        (ADMIN, {**ASKED, "requested_by": "person/ann"}, 403, "another_author"),
        (ADMIN, {}, 422, "missing"),
        (ADMIN, {"entity": " "}, 422, "missing"),
        (OPERATOR, ASKED, 422, "missing"),
        (OPERATOR, {**ASKED, "org": 7}, 422, "missing"),
        (None, ASKED, 401, "unauthorized"),
    ],
)
def test_who_may_not_ask_is_told_why(http: Http, key: str | None, body: dict[str, Any], status: int, code: str) -> None:
    answer = http("POST", "/erasures", body, key)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_the_receipt_is_told_as_often_as_it_is_asked_for(http: Http, writer: Writer) -> None:
    """Under way until every partition has told; figures and signed entries, and what was not reached."""
    answer = http("POST", "/erasures", ASKED, ADMIN)
    told = answer.json()["id"]
    path, place = f"/erasures/{told}", http.issued(answer).place
    assert http("GET", path, key=ADMIN).json() == {"id": told, "done": False}
    rows = [r.erased(n, erasure=place) for n in range(http.deployment.partitions)]
    entry = replace(r.journal_entry(), chain="restricted", decision="entity_erased", subject=place)
    assert writer.write(r.messages(*rows, entry)) == []
    for _ in range(2):
        found = http("GET", path, key=ADMIN).json()
        assert (found["id"], found["done"], found["erased"]["episodes"]) == (told, True, len(rows))
        assert [e["signature"] for e in found["journal"]] == [entry.signature]
        assert "raw topics" in found["not_reached"][0]["what"]


@pytest.mark.parametrize(
    ("key", "status"), [("key-of-support-1", 404), ("key-of-ann", 404), ("key-of-globex-admin", 404), (ADMIN, 200), (OPERATOR, 200)]
)
def test_the_receipt_does_not_exist_for_others(http: Http, key: str, status: int) -> None:
    told = http("POST", "/erasures", ASKED, ADMIN).json()["id"]
    assert http("GET", f"/erasures/{told}", key=key, headers={"Tidegate-Org": r.ORG}).status_code == status
    assert http("GET", f"/erasures/{told[:-2]}AA", key=key, headers={"Tidegate-Org": r.ORG}).status_code == 404
