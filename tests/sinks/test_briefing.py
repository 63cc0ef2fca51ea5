"""SPEC 7.9: a briefing, its sections, their order, and its budget."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from schemas.codec import check
from sinks.ask import Ask, Brief
from sinks.recall import Recall
from sinks.writer import Writer
from tests.sinks import records as r

NOW = datetime.now(UTC)
PROCEDURE = {"memory_type": "procedure", "value": '{"steps":["ask"]}'}


def own(key: str, rule: str, **more: Any) -> Any:
    return r.learning(rule, **({"entry_key": f"support/{key}", "at": NOW, "written_at": NOW, "tier": 1} | more))


def shared(rule: str, **more: Any) -> Any:
    return r.shared(rule, **({"at": NOW} | more))


def brief(client: Client, budget: int = 1_000, agent: str = r.AGENT, environment: Mapping[str, str] | None = None) -> Brief:
    return Recall(client, r.SECRET).brief(Ask(org=r.ORG, agent=agent, text=""), environment or {}, budget)


def told(found: Brief) -> list[tuple[str, str]]:
    return [(row["section"], row["rule"]) for row in found.answer.rows]


def test_sections_in_their_order(client: Client, writer: Writer) -> None:
    writer.write(
        r.messages(
            r.agent_changed(),
            own("a", "hot", evidence_status="validated"),
            own("b", "do this", **PROCEDURE, tier=3),
            own("c", "warm", tier=2),
            own("d", "tried and failed", evidence_status="contested"),
            own("e", "just failed", evidence_status="discredited"),
            own("f", "failed long ago", evidence_status="discredited", at=NOW - timedelta(days=30)),
            own("g", "the opposite", contradicts=("ab" * 16,)),
            own("h", "hidden", visibility="hidden"),
            shared("of the pool"),
            shared("always", kind="instruction"),
            shared("gone", crossing="withdrawn"),
        )
    )
    found = told(brief(client))
    assert found[:2] == [("instruction", "always"), ("procedure", "do this")]
    assert {rule for section, rule in found if section == "learning"} == {"hot", "of the pool"}
    assert {rule for section, rule in found if section == "caution"} == {"tried and failed", "just failed", "the opposite"}
    assert len(found) == 7


@pytest.mark.parametrize(
    ("environment", "shown"),
    [({}, True), ({"runtime": "node"}, True), ({"runtime": "python"}, False), ({"os": "linux"}, True)],
)
def test_procedures_of_the_caller_s_environment(client: Client, writer: Writer, environment: dict[str, str], shown: bool) -> None:
    """SPEC 2.3"""
    writer.write(r.messages(own("b", "do this", **PROCEDURE, environment={"runtime": "node"})))
    assert told(brief(client, environment=environment)) == [("procedure", "do this")] * shown


def test_a_budget_is_kept_and_warnings_get_room_first(client: Client, writer: Writer) -> None:
    hot = [own(f"a{n}", f"{n} " + "x" * 38) for n in range(5)]
    writer.write(r.messages(own("w", "y" * 40, evidence_status="contested"), *hot))
    found = brief(client, budget=30)
    assert (found.tokens, found.left_out, [section for section, _ in told(found)]) == (30, 3, ["learning", "learning", "caution"])


def test_it_leaves_an_exposure(client: Client, writer: Writer) -> None:
    """SPEC 7.8"""
    writer.write(r.messages(own("a", "hot")))
    exposure = brief(client).answer.exposure
    assert exposure is not None and check(exposure) is None
    assert [row.own for recall in exposure.recalls for row in recall.rows] == [True]


def test_nobody_known_gets_nothing(client: Client, writer: Writer) -> None:
    """SPEC 7.1"""
    writer.write(r.messages(own("a", "hot")))
    assert brief(client, agent="agent/stranger").answer.rows == []
