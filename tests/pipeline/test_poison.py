"""SPEC 9.4: what cannot be read goes to the dead letters as a pointer; the rest goes on."""

from schemas.codec import encode
from schemas.records import LearningDraft, Outcome, Run
from tests.pipeline.flow import Flow
from tests.pipeline.work import AGENTS, ORG, work

KEY = f"{ORG}/{AGENTS[0]}".encode()
GOOD = encode(Run(run_id="poison", org=ORG, agent=AGENTS[0], learnings=(LearningDraft(entry_key="a/b", rule="Look."),)))
NO_CREDIT = encode(Outcome(outcome_id="poison", org=ORG, agent=AGENTS[0], result="success"))
POISON: dict[str, tuple[bytes | None, bytes | None]] = {
    "not_avro": (KEY, b"\x00\xff not Avro at all"),
    "unknown_schema": (KEY, GOOD[:2] + bytes(8) + GOOD[10:]),
    "damaged": (KEY, GOOD[:-7]),
    "wrong_record": (KEY, NO_CREDIT),
    "access_breach": (b"acme/agent/somebody-else", GOOD),
    "missing_entry_key": (
        KEY,
        encode(Run(run_id="p", org=ORG, agent=AGENTS[0], learnings=(LearningDraft(entry_key="no slash", rule="x"),))),
    ),
}


def test_poison_of_each_kind_in_a_row_neither_stops_nor_loses_anything(flow: Flow) -> None:
    """SPEC 9.4: twenty of each kind between good records; each is refused with its reason, and the counts are exact."""
    given = work(seed=5, outcomes=200)
    half = len(given.runs) // 2
    flow.produce("runs", given.runs[:half])
    for messages in POISON.values():
        flow.send("runs", [messages] * 20)
    flow.send("outcomes", [(KEY, b"poison"), (None, None), (KEY, None)] * 20)
    flow.produce("runs", given.runs[half:])
    flow.produce("outcomes", given.outcomes)
    flow.settled()
    assert given.wrong(flow) == []
    ends = {(row["end"], row["reason"]): int(row["n"]) for row in flow.sql(
        "SELECT end, reason, count() AS n FROM receipts FINAL WHERE end IN ('refused', 'dead_lettered') GROUP BY ALL"
    )}  # fmt: skip
    assert ends["refused", "access_breach"] == 20
    letters = flow.tidegate("dlq", "list")
    reasons = [letter["reason"] for letter in letters]
    for code in ("unknown_schema", "damaged", "wrong_record"):
        assert reasons.count(code) == 20, code
    assert reasons.count("not_avro") == 20 + 60
    assert all("poison" not in (letter["excerpt"] or "") for letter in letters if letter["reason"] != "bad_value")
