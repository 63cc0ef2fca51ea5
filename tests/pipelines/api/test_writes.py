"""SPEC 9.2, 9.3: what is taken over HTTP is on the broker under its author's name before it is answered, and has a receipt."""

from collections.abc import Callable
from typing import Any

import pytest

from schemas.records import LearningDraft, Outcome, Run, Write
from sinks.writer import Writer
from tests.pipelines.api.conftest import LIMIT, OPERATOR, Http
from tests.sinks import records as r

KEY = "support/refunds/pattern-check-status"
LEARNING = {"entry_key": KEY, "rule": "Check the status first."}
RUN = {"run_id": "r-1", "learnings": [LEARNING], "claims": [{"entity": "Mina", "key": "billing/terms", "value": {"net": 30}}]}
OUTCOME = {"outcome_id": "o-1", "result": "success", "credits": [{"entry_key": KEY}]}
WRITE = {**LEARNING, "work_area": "support"}
LEARNINGS = f"/agents/{r.AGENT}/learnings"
AS = {"Tidegate-Org": r.ORG, "Tidegate-Agent": r.AGENT}
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2fG4"
WRITES = [
    pytest.param("/runs", RUN, Run, ["episode", "learning:0", "claim:0"], id="run"),
    pytest.param("/outcomes", OUTCOME, Outcome, ["credit:0"], id="outcome"),
    pytest.param("/outcomes", {**OUTCOME, "credits": []}, Outcome, ["outcome"], id="outcome without credits"),
    pytest.param(LEARNINGS, WRITE, Write, ["learning:0"], id="learning"),
    pytest.param(LEARNINGS.replace("agent/support", "agent%2Fsupport"), WRITE, Write, ["learning:0"], id="path encoded"),
]


@pytest.mark.parametrize(("path", "body", "kind", "parts"), WRITES)
def test_what_is_answered_is_on_the_broker(http: Http, path: str, body: dict[str, Any], kind: type, parts: list[str]) -> None:
    answer = http("POST", path, body)
    assert (answer.status_code, answer.json()["done"]) == (202, False)
    assert answer.json()["parts"] == [{"part": part, "end": None, "reason": None} for part in parts]
    assert answer.headers["location"] == f"/receipts/{answer.json()['id']}"
    sent = http.sent(answer)
    assert (type(sent.record), sent.key) == (kind, f"{r.ORG}/{r.AGENT}".encode())
    assert (sent.record.org, sent.record.agent) == (r.ORG, r.AGENT)


def test_a_direct_write_has_its_learning_and_where_it_was_written(http: Http) -> None:
    goal = "Refund Mina's order"
    answer = http("POST", LEARNINGS, {**WRITE, "session": "s-1", "producer": "person", "source_goal": goal, "tools": ["orders.get"]})
    draft = LearningDraft(entry_key=KEY, rule=LEARNING["rule"], tools=("orders.get",))
    written = Write(org=r.ORG, agent=r.AGENT, session="s-1", work_area="support", producer="person", learning=draft, source_goal=goal)
    assert http.sent(answer).record == written
    assert answer.json()["notes"] == [{"field": "source_goal", "detail": "kept as given, private: no credential was found in it"}]


def test_an_unknown_privacy_is_taken_and_said(http: Http) -> None:
    """SPEC 2.6."""
    [note] = http("POST", LEARNINGS, {**WRITE, "privacy": "secret"}).json()["notes"]
    assert (note["field"], note["detail"].rpartition(": ")[2]) == ("learning.privacy", "it reads shareable")


REFUSED = [
    ("/runs", {"run_id": "r"}, {"key": None}, 401, "unauthorized", None),
    ("/runs", {"run_id": "r"}, {"key": "no such key"}, 401, "unauthorized", None),
    ("/runs", {**RUN, "agent": r.OTHER}, {}, 403, "another_author", "agent"),
    ("/runs", {**RUN, "org": "globex"}, {}, 403, "another_author", "org"),
    ("/runs", RUN, {"headers": {"Tidegate-Agent": r.OTHER}}, 403, "another_author", "Tidegate-Agent"),
    (f"/agents/{r.OTHER}/learnings", WRITE, {}, 403, "another_author", "agent_id"),
    (LEARNINGS, {**WRITE, "agent": r.OTHER}, {"key": OPERATOR, "headers": {"Tidegate-Org": r.ORG}}, 403, "another_author", "agent_id"),
    ("/runs", RUN, {"key": OPERATOR}, 422, "missing", "org"),
    ("/runs", RUN, {"key": OPERATOR, "headers": {"Tidegate-Org": r.ORG}}, 422, "missing", "agent"),
    ("/runs", {}, {}, 422, "missing", "run_id"),
    ("/runs", [RUN], {}, 422, "bad_value", None),
    ("/runs", {**RUN, "learnings": [LEARNING, {"entry_key": KEY}]}, {}, 422, "missing", "learnings[1].rule"),
    ("/runs", {**RUN, "steps": [{"statu": "ok"}]}, {}, 422, "unknown_field", "steps[0].statu"),
    ("/outcomes", {**OUTCOME, "result": "fine"}, {}, 422, "bad_value", "result"),
    ("/outcomes", {"outcome_id": "o", "result": "success"}, {}, 422, "missing", "credits"),
    (LEARNINGS, LEARNING, {}, 422, "missing", "work_area"),
    (LEARNINGS, {**LEARNING, "session": "s-1"}, {}, 422, "missing", "work_area"),
    (LEARNINGS, {**WRITE, "entry_key": "no-slash"}, {}, 422, "bad_value", "entry_key"),
    (LEARNINGS, {**WRITE, "rollback_to": 1}, {}, 422, "unknown_field", "rollback_to"),
    (LEARNINGS, {**WRITE, "source_goal": f"Log in with {TOKEN}."}, {}, 422, "credential_in_goal", "source_goal"),
    ("/runs", {**RUN, "goal": "x" * LIMIT}, {}, 413, "too_large", None),
    ("/runs", RUN, {"headers": {"Content-Encoding": "gzip"}}, 415, "bad_value", "Content-Encoding"),
    ("/runs", RUN, {"headers": {"Idempotency-Key": "x" * 256}}, 422, "bad_value", "Idempotency-Key"),
]


@pytest.mark.parametrize(("path", "body", "more", "status", "code", "field"), REFUSED)
def test_what_is_refused_says_which_field_and_why(
    http: Http, path: str, body: Any, more: dict[str, Any], status: int, code: str, field: str | None
) -> None:
    """RFC 9457; SPEC 9.2: the author is the key's, and a body that names another is refused. SPEC 3.12: a goal without credentials."""
    answer = http("POST", path, body, **more)
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"], problem.get("field")) == (status, status, code, field)
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["type"] == f"urn:tidegate:problem:{code}"
    assert problem["detail"]
    assert TOKEN not in answer.text


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"run_id": NaN}', b"[" * 100_000])
def test_a_body_that_is_no_json_is_refused(http: Http, body: bytes) -> None:
    answer = http("POST", "/runs", content=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "not_json")


def test_a_body_of_unknown_size_is_cut_off_at_the_limit(http: Http) -> None:
    async def endless() -> Any:
        for _ in range(LIMIT):
            yield b" " * 1000

    assert http("POST", "/runs", content=endless()).status_code == 413


@pytest.mark.parametrize(
    ("body", "headers"),
    [(RUN, AS), ({**RUN, "org": r.ORG, "agent": r.AGENT}, {}), ({**RUN, "agent": r.AGENT}, {"Tidegate-Org": r.ORG})],
)
def test_the_operator_acts_for_whom_it_names(http: Http, body: dict[str, Any], headers: dict[str, str]) -> None:
    answer = http("POST", "/runs", body, OPERATOR, headers=headers)
    assert answer.status_code == 202, answer.text
    assert http.sent(answer).key == f"{r.ORG}/{r.AGENT}".encode()


def test_more_than_the_rate_is_asked_to_wait(changed: Callable[..., Http]) -> None:
    """Each key for itself; keys that are none by where they come from."""
    http = changed(rate_limit=2)
    answers = http.together([("GET", "/org/learnings", None)] * 4)
    assert sorted(a.status_code for a in answers) == [200, 200, 429, 429]
    refused = next(a for a in answers if a.status_code == 429)
    assert (refused.headers["retry-after"], refused.json()["code"]) == ("1", "rate_limited")
    assert http("GET", "/org/learnings", key="key-of-support-2").status_code == 200
    assert sorted(a.status_code for a in http.together([("GET", "/org/learnings", None)] * 3, None)) == [401, 401, 429]


ENDS = [
    ([("episode", "stored"), ("learning:0", "held"), ("claim:0", "stored")], True),
    ([("episode", "stored"), ("learning:0", "waiting"), ("claim:0", "stored")], False),
    ([("episode", "stored")], False),
    ([("message", "dead_lettered")], True),
]


@pytest.mark.parametrize(("ends", "done"), ENDS)
def test_a_receipt_tells_how_each_part_ended(http: Http, writer: Writer, ends: list[tuple[str, str]], done: bool) -> None:
    sent = http("POST", "/runs", RUN)
    place = http.issued(sent).place
    assert writer.write(r.messages(*(r.receipt(place, part, end) for part, end in ends))) == []
    told = http("GET", f"/receipts/{sent.json()['id']}").json()
    known = {part["part"]: part["end"] for part in told["parts"]}
    expected = [part for part, _ in ends] if ends[0][0] == "message" else ["episode", "learning:0", "claim:0"]
    assert known == {part: dict(ends).get(part) for part in expected}
    assert told["done"] is done


@pytest.mark.parametrize(
    ("key", "status"),
    [("key-of-support-1", 200), ("key-of-ann", 200), (OPERATOR, 200), ("key-of-support-2", 404), ("key-of-globex", 404), (None, 401)],
)
def test_a_receipt_is_its_authors(http: Http, key: str | None, status: int) -> None:
    """SPEC 4.4: author, reviewer and operator; for all others it does not exist."""
    sent = http("POST", "/runs", RUN).json()["id"]
    answer = http("GET", f"/receipts/{sent}", key=key)
    assert answer.status_code == status
    if status == 404:
        assert answer.json() == http("GET", "/receipts/made-up", key=key).json()
