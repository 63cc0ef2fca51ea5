"""Recall and the pool over HTTP: what the caller may read, and nothing else (SPEC 7, 6.6)."""

from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from schemas.codec import decode
from schemas.records import ExposedRecall, ExposedRow, Exposure
from sinks.writer import Writer
from tests.pipelines.api.conftest import ANSWER_SECONDS, OPERATOR, Http
from tests.sinks import records as r

SEARCH = "/learnings/search"
RULE = "Check the refund status before you promise a date"
AS = {"Tidegate-Org": r.ORG, "Tidegate-Agent": r.AGENT}


@pytest.fixture
def filled(http: Http, writer: Writer) -> Http:
    """Two agents of one department, one of another organisation; a learning of the first, promoted."""
    told: list[Any] = [r.agent_changed(), r.agent_changed(r.OTHER, offset=1), r.agent_changed(org="globex", offset=2)]
    promoted = r.shared()
    assert writer.write(r.messages(*told, r.learning(), promoted, r.member(promoted))) == []
    return http


@pytest.mark.parametrize(
    ("key", "body", "more", "spaces"),
    [
        ("key-of-support-1", {}, {}, [None]),
        ("key-of-support-1", {"scope": "org"}, {}, []),
        ("key-of-support-1", {"scope": "walk", "area": "support/refunds/late"}, {}, [None]),
        ("key-of-support-1", {"scope": "area", "area": "support"}, {}, []),
        ("key-of-support-2", {}, {}, ["service"]),
        ("key-of-support-2", {"scope": "own"}, {}, []),
        ("key-of-support-2", {"scope": "space", "space": "service"}, {}, ["service"]),
        ("key-of-support-2", {"scope": "space", "space": "finance"}, {}, []),
        ("key-of-globex", {}, {}, []),
        (OPERATOR, {"org": r.ORG, "agent": r.OTHER}, {}, ["service"]),
        (OPERATOR, {}, {"headers": AS}, [None]),
    ],
)
def test_recall_by_scope(filled: Http, key: str, body: dict[str, Any], more: dict[str, Any], spaces: list[str | None]) -> None:
    answer = filled("POST", SEARCH, {"text": "refund status", **body}, key, **more)
    told = answer.json()
    assert (answer.status_code, told["known"]) == (200, True)
    assert [row["space"] for row in told["rows"]] == spaces
    assert {row["rule"] for row in told["rows"]} <= {RULE}
    assert {row["recall_id"] for row in told["rows"]} <= {told["recall_id"]}


def test_who_is_not_known_gets_nothing(http: Http) -> None:
    """SPEC 7.1."""
    asked = {"text": "refund", "org": r.ORG, "agent": "agent/nobody"}
    assert http("POST", SEARCH, asked, OPERATOR).json() == {"recall_id": None, "known": False, "rows": []}


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "missing", "text"),
        ({"text": " "}, "bad_value", "text"),
        ({"text": "x", "limit": 0}, "bad_value", "limit"),
        ({"text": "x", "limit": "10"}, "bad_value", "limit"),
        ({"text": "x", "scope": "all"}, "bad_value", "scope"),
        ({"text": "x", "scope": "walk"}, "missing", "area"),
        ({"text": "x", "scope": "space"}, "missing", "space"),
        ({"text": "x", "top": 3}, "unknown_field", "top"),
        ([], "bad_value", None),
    ],
)
def test_a_question_that_is_none(http: Http, body: Any, code: str, field: str | None) -> None:
    answer = http("POST", SEARCH, body)
    assert (answer.status_code, answer.json()["code"], answer.json().get("field")) == (422, code, field)


@pytest.mark.parametrize(
    ("key", "query", "sections"),
    [
        ("key-of-support-1", "", []),  # its own is not hot
        ("key-of-support-2", "", ["learning"]),
        ("key-of-support-2", "?area=support/refunds&env=runtime=node&env=os=linux", ["learning"]),
        ("key-of-support-2", "?budget=1", []),
        ("key-of-globex", "", []),
        (OPERATOR, f"?org={r.ORG}&agent={r.OTHER}", ["learning"]),
    ],
)
def test_a_briefing(filled: Http, key: str, query: str, sections: list[str]) -> None:
    """SPEC 7.9: within its budget, of what the caller may read; and it is an exposure."""
    told = filled("GET", f"/briefing{query}", key=key).json()
    assert (told["known"], [row["section"] for row in told["rows"]]) == (True, sections)
    assert told["left_out"] == (1 if "budget=1" in query else 0)
    assert {row["recall_id"] for row in told["rows"]} <= {told["recall_id"]}


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [("env=node", 422, "env"), ("env==x", 422, "env"), ("budget=0", 422, "budget"), (f"agent={r.OTHER}", 403, "agent")],
)
def test_a_briefing_that_is_refused(filled: Http, query: str, status: int, field: str) -> None:
    answer = filled("GET", f"/briefing?{query}")
    assert (answer.status_code, answer.json()["field"]) == (status, field)


def test_nobody_asks_for_another(filled: Http) -> None:
    answer = filled("POST", SEARCH, {"text": "refund", "agent": r.OTHER})
    assert (answer.status_code, answer.json()["field"]) == (403, "agent")
    assert filled("GET", f"/org/learnings?agent={r.OTHER}").status_code == 403


def test_what_was_shown_is_told_once_a_second(filled: Http) -> None:
    """SPEC 7.8: one record of what a process served an agent, with each recall."""

    async def told() -> None:
        await filled.services.exposures.tell()

    filled.runner.run(told())  # of the tests before
    prefix, kafka = filled.deployment.prefix, filled.deployment.kafka
    consumer = Consumer({**kafka, "group.id": f"{prefix}test"})
    places = [TopicPartition(prefix + "recalls", n) for n in (0, 1)]
    ends = [TopicPartition(p.topic, p.partition, consumer.get_watermark_offsets(p, ANSWER_SECONDS)[1]) for p in places]
    answers = [filled("POST", SEARCH, {"text": "refund status"}).json() for _ in range(3)]
    filled.runner.run(told())
    consumer.assign(ends)
    recalls: list[ExposedRecall] = []
    while len(recalls) < len(answers):  # one record, or two where the second was over in between
        message = consumer.poll(ANSWER_SECONDS)
        assert message is not None and message.key() == f"{r.ORG}/{r.AGENT}".encode()
        exposure = decode(message.value())
        assert isinstance(exposure, Exposure)
        recalls += exposure.recalls
    assert [recall.recall_id for recall in recalls] == [answer["recall_id"] for answer in answers]
    [row] = answers[-1]["rows"]
    assert recalls[-1].rows == (ExposedRow(ref=row["ref"], own=True, subject=r.learning().learning_id, rank=1),)
    consumer.close()


def test_the_pool_page_by_page(http: Http, writer: Writer) -> None:
    """Each promoted learning of the caller's spaces once, without its own; none of another space."""
    told: list[Any] = [r.agent_changed(r.OTHER)]
    pool = [r.shared(f"rule {n}", space=space) for n, space in enumerate(["service"] * 5 + ["commons"] * 3 + ["finance"])]
    own = r.shared("brought by the one who asks")
    gone = r.shared("withdrawn", crossing="withdrawn")
    assert writer.write(r.messages(*told, *pool, own, r.member(own, r.OTHER), gone, r.shared("rule 0", version=2, applied=7))) == []
    rows: list[dict[str, Any]] = []
    after = ""
    pages = 0
    while pages < 9:
        page = http("GET", f"/org/learnings?limit=3{after}", key="key-of-support-2").json()
        rows += page["rows"]
        pages += 1
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert (pages, len(rows)) == (3, 8)
    assert sorted(row["rule"] for row in rows) == [f"rule {n}" for n in range(8)]
    assert next(row["applied"] for row in rows if row["rule"] == "rule 0") == 7
    assert {row["space"] for row in http("GET", "/org/learnings?space=commons", key="key-of-support-2").json()["rows"]} == {"commons"}
    assert http("GET", "/org/learnings?space=finance", key="key-of-support-2").json()["rows"] == []
    assert http("GET", "/org/learnings?after=nonsense", key="key-of-support-2").json()["field"] == "after"


def test_health_needs_no_key(http: Http) -> None:
    assert [http("GET", path, key=None).json() for path in ("/healthz", "/readyz")] == [{"ok": True}] * 2


def test_it_is_not_ready_where_the_broker_is_away(changed: Any) -> None:
    away = changed(producer=lambda: Producer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0, "message.timeout.ms": 500}))
    assert (away("GET", "/healthz").status_code, away("GET", "/readyz").status_code) == (200, 503)
    answer = away("POST", "/runs", {"run_id": "r-1"})
    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "unavailable", "1")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("GET", "/nope", 404, "not_found"), ("PUT", "/runs", 405, "method_not_allowed")],
)
def test_other_paths_and_methods(http: Http, method: str, path: str, status: int, code: str) -> None:
    answer = http(method, path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
