"""SPEC 5.2: an outcome counts once, whatever an operator has delivered again."""

import pytest

from pipelines.readers import READERS
from tests.pipeline.flow import Flow, Json
from tests.pipeline.work import AGENTS, ORG, work


@pytest.mark.parametrize("broker", ["noida-db"], indirect=True)  # on Kafka the next one has more of it
def test_a_rewind_changes_nothing(flow: Flow) -> None:
    """SPEC 5.2: what is delivered again, of the raw side or of the agents' logs, is known by its source, however old: no count, no wording,
    no version, no receipt moves."""
    given = work(seed=3, outcomes=300)
    flow.produce("runs", given.runs)
    flow.produce("outcomes", given.outcomes)
    flow.settled()
    before = _everything(flow)
    for agent, topics in (("scan", ("runs", "outcomes")), ("aggregate", ("learnings",))):
        flow.stop()
        flow.rewind(agent, topics)
        flow.start()
        flow.settled()
        assert _everything(flow) == before, f"after a rewind of what {agent} reads"
    assert given.wrong(flow) == []


@pytest.mark.parametrize("broker", ["kafka"], indirect=True)
def test_a_rewind_of_every_source_topic_leaves_every_version_as_it_was(flow: Flow) -> None:
    """SPEC 5.2: whatever is sent again is what was sent, byte for byte: a version has one value, ever."""
    given = work(seed=6, outcomes=200)
    flow.load([{"org": ORG, "agent": agent, "home_space": "commons", "hosted": True} for agent in AGENTS])
    flow.produce("outcomes", given.outcomes[:20])  # they wait, and move several learnings at once
    flow.produce("runs", given.runs)
    flow.produce("outcomes", given.outcomes[20:])
    amended = {"org": ORG, "agent": given.outcomes[50]["agent"], "result": "retracted", "amends": given.outcomes[50]["outcome_id"]}
    flow.produce("outcomes", [amended | {"outcome_id": "taken-back", "credits": []}])
    flow.settled()
    before = {topic: flow.messages(topic) for topic in ("entries", "shared")}
    assert all(len({key for key, _ in held}) == len(held) > 0 for held in before.values())
    flow.stop()
    for agent in ("scan", "aggregate", "promote", "journal"):
        flow.rewind(agent, READERS[agent])
    flow.start()
    flow.settled()
    assert {topic: flow.messages(topic) for topic in before} == before


def _everything(flow: Flow) -> list[list[Json]]:
    return [
        flow.sql(f"SELECT * FROM {table} ORDER BY ALL")
        for table in ("v_entry_versions", "v_learnings", "v_pool", "v_outcomes", "v_credits")
    ] + [flow.sql("SELECT id, part, end, reason FROM receipts FINAL ORDER BY ALL")]
