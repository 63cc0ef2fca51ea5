"""SPEC 5.2: an outcome counts once, whatever an operator has delivered again."""

import pytest

from tests.pipeline.flow import Flow, Json
from tests.pipeline.work import work


@pytest.mark.parametrize(
    ("agent", "topics"), [("scan", ("runs", "outcomes")), ("aggregate", ("learnings",))], ids=["the raw side", "the agents' logs"]
)
def test_a_rewind_changes_nothing(flow: Flow, agent: str, topics: tuple[str, ...]) -> None:
    """SPEC 5.2: what is delivered again is known by its source, however old: no count, no wording, no version, no receipt moves."""
    given = work(seed=3, outcomes=300)
    flow.produce("runs", given.runs)
    flow.produce("outcomes", given.outcomes)
    flow.settled()
    before = _everything(flow)
    flow.stop()
    flow.rewind(agent, topics)
    flow.start()
    flow.settled()
    assert _everything(flow) == before
    assert given.wrong(flow) == []


def _everything(flow: Flow) -> list[list[Json]]:
    return [
        flow.sql(f"SELECT * FROM {table} ORDER BY ALL")
        for table in ("v_entry_versions", "v_learnings", "v_pool", "v_outcomes", "v_credits")
    ] + [flow.sql("SELECT id, part, end, reason FROM receipts FINAL ORDER BY ALL")]
