"""The same write under one Idempotency-Key is sent once, whoever serves it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from schemas.codec import encode
from schemas.ids import ids_of
from schemas.records import Request
from sinks.writer import Writer
from tests.pipelines.api.conftest import Http
from tests.sinks import records as r

RUN = {"run_id": "r-1", "goal": "Refund", "tools": ["orders.get"]}


def post(http: Http, name: str, body: dict[str, Any] = RUN, path: str = "/runs", **more: Any) -> tuple[int, str | None, str | None]:
    """Status, receipt and whether it says that it was sent before."""
    answer = http("POST", path, body, headers={"Idempotency-Key": name}, **more)
    return answer.status_code, answer.json().get("id"), answer.headers.get("idempotency-replayed")


def test_the_same_again_is_the_same_receipt(http: Http) -> None:
    status, first, before = post(http, "a")
    assert (status, before) == (202, None)
    assert post(http, "a", dict(reversed(RUN.items()))) == (202, first, "true")
    assert post(http, "b")[1] != first


def test_another_body_is_refused(http: Http) -> None:
    post(http, "c")
    assert post(http, "c", {**RUN, "goal": "Something else"})[0] == 422
    outcome = {"outcome_id": "o-1", "result": "success", "credits": []}
    assert post(http, "c", outcome, "/outcomes")[0] == 422


def test_each_caller_has_keys_of_its_own(http: Http) -> None:
    _, first, _ = post(http, "d")
    assert post(http, "d", key="key-of-support-2")[1] != first
    assert post(http, "d", key="key-of-globex")[1] != first


def test_at_once_it_is_sent_once(http: Http) -> None:
    answers = http.together([("POST", "/runs", RUN)] * 8, headers={"Idempotency-Key": "e"})
    assert [a.status_code for a in answers] == [202] * 8
    assert len({a.json()["id"] for a in answers}) == 1
    assert sum("idempotency-replayed" not in a.headers for a in answers) == 1


def test_one_that_was_refused_may_be_mended(http: Http) -> None:
    assert post(http, "f", {})[0] == 422
    assert post(http, "f")[0] == 202


def test_another_process_knows_it_though_the_sink_has_read_nothing(http: Http, changed: Callable[..., Http]) -> None:
    _, first, _ = post(http, "g")
    assert post(changed(), "g") == (202, first, "true")


def test_a_process_knows_what_the_sink_has_read(http: Http, writer: Writer) -> None:
    """From the table: this key was never seen here."""
    _, receipt, _ = post(http, "h")
    sent = http.sent(http("POST", "/runs", RUN))
    ids = ids_of(r.SECRET, r.ORG)
    content = ids.request_content("runs", encode(sent.record))
    known = Request(
        org=r.ORG, request=ids.request(r.AGENT, "i"), content=content, receipt=str(receipt), at=datetime.now(UTC).replace(microsecond=0)
    )
    assert writer.write(r.messages(known)) == []
    assert post(http, "i") == (202, receipt, "true")
    assert post(http, "i", {**RUN, "goal": "Something else"})[0] == 422
