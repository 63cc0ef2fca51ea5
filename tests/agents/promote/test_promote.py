"""SPEC 6.2-6.7: what becomes of candidates, credits by ref and withdrawals in a pool."""

from dataclasses import fields, replace
from typing import Any

import pytest

from schemas.partition import log_hash
from schemas.records import DeadLetter, Decision, PoolMember, Receipt, SharedLearning
from tests.agents.promote.events import IDS, LOG, ORG, RULES, SPACE, START, Pool, cleared, credited, withdrawn

A = cleared("agent/1", RULES["A"], 1)
SAME_AS_A = cleared("agent/2", "Before issuing a refund, check the order status.", 2)
THIRD = cleared("agent/3", RULES["A"], 3)


def kinds(records: list[Any]) -> list[str]:
    return [r.decision if isinstance(r, Decision) else type(r).__name__ for r in records]


def test_a_candidate_is_copied_with_its_figures() -> None:
    """SPEC 6.2, 2.8: version 1 of the copy, its donor apart, and a decision that says which conditions held."""
    pool = Pool()
    assert kinds(pool.take(A)) == ["SharedLearning", "promoted", "PoolMember"]
    copy, decision = pool.newest("shared")[A.shared_id], pool.decisions()[0]
    assert (copy.version, copy.rule, copy.trust, copy.validators, copy.crossing) == (1, A.rule, "agent_verified", 1, "promoted")
    assert (copy.prior, copy.confidence, copy.evidence_status, copy.applied, copy.provisional) == (0.9, 0.9, "untested", 0, True)
    assert (decision.subject, decision.chain, decision.reason, decision.figures["applied"]) == (A.shared_id, "public", "gate", "3")
    member = pool.newest("pool-members")[A.donor]
    assert (member.role, member.verdict, member.present) == ("donor", None, True)


def test_only_promotable_fields_are_copied() -> None:
    """SPEC 2.11: nothing tells the original, its agent, or what only its agent counted."""
    pool = Pool()
    pool.take(replace(A, independent=7))
    copy = pool.newest("shared")[A.shared_id]
    values = [getattr(copy, f.name) for f in fields(copy)]
    assert A.donor not in values
    assert A.learning_id not in values
    assert copy.independent == 0


def test_where_it_is_sent() -> None:
    """Pool records on the pool's partition, decisions on the organisation's."""
    pool = Pool()
    pool.take(A)
    assert {(o.topic, o.key, o.log) for o in pool.sent} == {
        ("shared", f"{A.shared_id}/1".encode(), LOG),
        ("pool-members", f"{A.shared_id}/{A.donor}".encode(), LOG),
        ("decisions", ORG.encode(), log_hash(ORG)),
    }


def test_no_second_copy_of_the_same_wording() -> None:
    """SPEC 6.4, 5.7: near-duplicates corroborate, and distinct agents raise the rung."""
    pool = Pool()
    pool.take(A)
    assert kinds(pool.take(SAME_AS_A)) == ["SharedLearning", "corroborated", "PoolMember"]
    assert pool.newest("shared")[A.shared_id].trust == "source_verified"
    pool.take(THIRD)
    copy = pool.newest("shared")
    assert list(copy) == [A.shared_id]
    assert (copy[A.shared_id].trust, copy[A.shared_id].validators, copy[A.shared_id].version) == ("corroborated", 3, 3)
    assert [m.role for m in pool.newest("pool-members").values()] == ["donor", "corroborator", "corroborator"]


def test_one_agent_is_one_validator() -> None:
    """SPEC 6.4: a second original of the same agent adds no validator and makes no version."""
    pool = Pool()
    again = cleared("agent/1", RULES["A"], 2)
    again = replace(again, learning_id=IDS.learning("agent/1", "main", "b/pattern-y"))
    again = replace(again, shared_id=IDS.shared(SPACE, again.learning_id, again.wording))
    pool.take(A, again)
    assert pool.newest("shared")[A.shared_id].version == 1
    assert kinds(pool.take(withdrawn(A, 3))) == ["PoolMember"]  # the second original still holds it
    assert pool.newest("pool-members")[A.donor].present
    assert "withdrawn" in kinds(pool.take(withdrawn(again, 4)))


@pytest.mark.parametrize(
    ("changes", "copies"),
    [
        ({}, 1),
        ({"space": "sales"}, 2),  # another pool
        ({"org": "other"}, 2),
        ({"tools": ("http.get",)}, 1),  # the pool's names none
        ({"kind": "skill"}, 2),
        ({"environment": {"language": "go"}}, 2),
        ({"environment": {"language": "python", "os": "linux"}}, 1),
        ({"applies_to": "support"}, 2),
        ({"memory_type": "procedure", "value": '{"steps":["x"]}'}, 2),
    ],
)
def test_what_is_the_same_learning(changes: dict[str, Any], copies: int) -> None:
    """SPEC 6.4: same space, same tools or none, same kind, area and environment, same steps."""
    pool = Pool()
    pool.take(cleared("agent/1", RULES["A"], 1, environment={"language": "python"}))
    pool.take(cleared("agent/2", RULES["A"], 2, **changes))
    assert len(pool.newest("shared")) == copies


def test_kinds_that_need_signatures_wait() -> None:
    """SPEC 4.6: never promoted by evidence alone."""
    pool = Pool()
    skill = cleared("agent/1", RULES["A"], 1, kind="skill")
    assert kinds(pool.take(skill)) == ["SharedLearning", "PoolMember"]
    assert kinds(pool.take(cleared("agent/2", RULES["A"], 2, kind="skill"))) == ["SharedLearning", "PoolMember"]
    assert pool.newest("shared")[skill.shared_id].crossing == "awaiting_signatures"
    assert pool.decisions() == []


def test_a_credit_moves_the_pool_evidence_from_the_donors_confidence() -> None:
    """SPEC 6.5, 5.4: prior 0.7, success: 0.8182."""
    pool = Pool()
    donated = cleared("agent/1", RULES["A"], 1, confidence=0.7)
    pool.take(donated, credited("agent/2", donated, 2))
    copy = pool.newest("shared")[donated.shared_id]
    assert (round(copy.confidence, 4), copy.evidence_status, copy.prior) == (0.8182, "validated", 0.7)
    assert (copy.version, copy.applied, copy.helpful, copy.success_count, copy.failure_count) == (2, 1, 1, 1, 0)
    assert (copy.cause.what, copy.cause.confidence_before, copy.cause.by, copy.cause.id) == ("credited", 0.7, None, copy.cause.id)
    pool.take(credited("agent/2", donated, 3, causal_confidence=0.5, entries=2))
    assert pool.newest("shared")[donated.shared_id].confidence == pytest.approx(
        (1.4 + 1.3 * 0.8 + 0.25 * (2 - 0.8181818)) / (2 + 1.3 * 0.8 + 0.25 * (2 - 0.8181818)), abs=1e-6
    )


@pytest.mark.parametrize(
    ("changes", "applied", "helpful"),
    [
        ({}, 1, 1),
        ({"helpful": "unknown"}, 1, 0),  # SPEC 5.3: counts as applied, not as helpful
        ({"helpful": "no"}, 1, 0),
        ({"applied": False}, 0, 0),  # SPEC 5.1: what was not applied moves nothing
        ({"wording": "0" * 16}, 0, 0),  # SPEC 5.1: another wording
    ],
)
def test_what_a_credit_counts(changes: dict[str, Any], applied: int, helpful: int) -> None:
    """SPEC 5.1, 5.3."""
    pool = Pool()
    sent = pool.take(A, replace(credited("agent/2", A, 2), **changes))
    copy = pool.newest("shared")[A.shared_id]
    assert (copy.applied, copy.helpful, copy.version) == (applied, helpful, 1 + applied)
    voted = [r for r in sent if isinstance(r, PoolMember) and r.role == "voter"]
    assert len(voted) == (applied and changes.get("helpful") != "unknown")


def test_helpful_verdicts_make_validators() -> None:
    """SPEC 1, 5.7: an agent whose latest verdict is helpful validates; a corroborator that voted before counts once."""
    pool = Pool()
    pool.take(A)
    assert kinds(pool.take(credited("agent/2", A, 2))) == ["SharedLearning", "corroborated", "PoolMember"]
    assert pool.newest("shared")[A.shared_id].trust == "source_verified"
    pool.take(credited("agent/3", A, 3), cleared("agent/3", RULES["A"], 4))
    copy = pool.newest("shared")[A.shared_id]
    assert (copy.validators, copy.trust) == (3, "corroborated")
    assert pool.newest("pool-members")[IDS.agent("agent/3")].role == "corroborator"


def test_a_donor_does_not_validate_its_own() -> None:
    """SPEC 6.5: its verdict neither adds a validator nor pulls back."""
    pool = Pool()
    pool.take(A, credited("agent/1", A, 2), credited("agent/1", A, 3, "no"), credited("agent/2", A, 4, "no"))
    copy = pool.newest("shared")[A.shared_id]
    assert (copy.validators, copy.crossing) == (1, "promoted")


# Each letter: an agent of that name votes (lower case: not helpful). SPEC 6.5.
VERDICTS = [
    ("", 3, "corroborated", "promoted"),
    ("x", 3, "corroborated", "promoted"),
    ("xx", 3, "corroborated", "promoted"),  # one agent twice
    ("xy", 3, "source_verified", "promoted"),
    ("xyz", 3, "source_verified", "promoted"),
    ("xyzw", 3, "agent_verified", "promoted"),
    ("xyzwvu", 3, "agent_verified", "withdrawn"),
    ("xy", 1, "agent_verified", "withdrawn"),
    ("xy", 2, "agent_verified", "promoted"),
    ("xyX", 2, "corroborated", "promoted"),  # one of the two changed its verdict, and validates now
    ("xyX", 1, "source_verified", "promoted"),
    ("xyZ", 1, "agent_verified", "promoted"),  # two validators, pulled back one rung
]


@pytest.mark.parametrize(("votes", "brought", "trust", "crossing"), VERDICTS)
def test_unhelpful_verdicts_pull_back(votes: str, brought: int, trust: str, crossing: str) -> None:
    """SPEC 6.5: two agents one rung, two more another; while their latest verdicts stand."""
    pool = Pool()
    pool.take(*[cleared(f"agent/{n}", RULES["A"], n) for n in range(1, brought + 1)])
    for at, letter in enumerate(votes, 10):
        pool.take(credited("voter/" + letter.lower(), A, at, "no" if letter.islower() else "yes"))
    copy = pool.newest("shared")[A.shared_id]
    assert (copy.trust, copy.crossing) == (trust, crossing)


VOTES = [("x", "no"), ("y", "no"), ("z", "no"), ("w", "no"), ("w", "yes"), ("x", "yes"), ("y", "yes")]


def test_what_verdicts_decide_is_journalled() -> None:
    """SPEC 6.5: pulled back, out of the pool, and back again."""
    pool = Pool()
    pool.take(A, THIRD)
    for at, (who, helpful) in enumerate(VOTES, 10):
        pool.take(credited(who, A, at, helpful))
    assert [d.decision for d in pool.decisions()] == ["promoted", "corroborated", "demoted", "withdrawn", "returned", "returned"]
    assert len({d.decision_id for d in pool.decisions()}) == 6


def test_the_donors_part_goes_and_the_copy_stays_with_others() -> None:
    """SPEC 6.7."""
    pool = Pool()
    pool.take(A, SAME_AS_A)
    sent = pool.take(withdrawn(A, 5, "privacy"))
    assert kinds(sent) == ["SharedLearning", "demoted", "PoolMember"]
    copy = pool.newest("shared")[A.shared_id]
    assert (copy.crossing, copy.validators, copy.trust) == ("promoted", 1, "agent_verified")
    assert not pool.newest("pool-members")[A.donor].present
    pool.take(withdrawn(SAME_AS_A, 6))
    assert pool.newest("shared")[A.shared_id].crossing == "withdrawn"
    assert [d.decision for d in pool.decisions()][-1] == "withdrawn"


def test_a_helpful_verdict_keeps_a_copy_without_originals() -> None:
    """SPEC 6.7: what other validators gave it."""
    pool = Pool()
    pool.take(A, credited("agent/2", A, 2), withdrawn(A, 3))
    assert pool.newest("shared")[A.shared_id].crossing == "promoted"
    pool.take(credited("agent/2", A, 4, "no"))
    assert pool.newest("shared")[A.shared_id].crossing == "withdrawn"


def test_it_returns_with_its_evidence() -> None:
    """SPEC 2.12: the gate holds again; the pool's evidence went on."""
    pool = Pool()
    pool.take(A, credited("agent/2", A, 2, "unknown"), withdrawn(A, 3))
    sent = pool.take(replace(A, source=replace(A.source, offset=9)))
    assert "returned" in kinds(sent)
    copy = pool.newest("shared")[A.shared_id]
    assert (copy.crossing, copy.applied, copy.version) == ("promoted", 1, 4)


def test_a_wording_that_left_the_pool_gets_no_second_copy() -> None:
    """SPEC 6.4, 6.5: what verdicts put out does not come back under another's name."""
    pool = Pool()
    pool.take(A, credited("x", A, 2, "no"), credited("y", A, 3, "no"))
    pool.take(SAME_AS_A)
    assert list(pool.newest("shared")) == [A.shared_id]
    assert pool.newest("shared")[A.shared_id].trust == "agent_verified"


def test_a_credit_to_an_unknown_shared_learning_is_dead_lettered() -> None:
    """SPEC 5.2: with a receipt that replaces aggregate's, and a pointer to the outcome."""
    receipt, letter = Pool().take(credited("agent/2", A, 5))
    assert isinstance(receipt, Receipt)
    assert (receipt.id, receipt.part, receipt.end, receipt.reason) == ("outcomes:0:5", "credit:0", "dead_lettered", "unknown_entry")
    assert receipt.revision > 1 << 40
    assert isinstance(letter, DeadLetter)
    assert (letter.topic, letter.partition, letter.offset, letter.part) == ("outcomes", 0, 5, "credit:0")


def test_a_record_that_cannot_be_taken_is_dead_lettered_and_the_rest_goes_on() -> None:
    """SPEC 9.4, 2.13: poison, a record of another kind, an id that our key did not make."""
    pool = Pool()
    forged = replace(A, shared_id="0" * 32)
    sent = pool.take(b"", b"\xc3\x01junk-junk-junk", pool_record(), forged, A)
    assert [r.reason for r in sent if isinstance(r, DeadLetter)] == ["not_avro", "unknown_schema", "wrong_record", "bad_id"]
    assert [r.offset for r in sent if isinstance(r, DeadLetter)] == [0, 1, 2, 3]
    assert any(isinstance(r, SharedLearning) for r in sent)


def pool_record() -> PoolMember:
    return PoolMember(org=ORG, space=SPACE, shared_id="0" * 32, member="0" * 16, role="voter", present=True, revision=1, at=START)


def test_contradicting_copies_are_linked_both_ways() -> None:
    """SPEC 4.10, 6.4."""
    pool = Pool()
    never = cleared("agent/2", "Never check the order status before issuing a refund.", 2)
    pool.take(A, never)
    copies = pool.newest("shared")
    assert copies[A.shared_id].contradicts == (never.shared_id,)
    assert copies[never.shared_id].contradicts == (A.shared_id,)
    assert (copies[A.shared_id].version, copies[A.shared_id].cause.what) == (2, "contradicted")


def test_no_byte_of_the_pool_tells_who_was_part_of_it() -> None:
    """SPEC 2.11: donor, corroborators, voters, originals and outcomes stand in `pool-members` and the table alone."""
    pool = Pool()
    votes = [credited(f"voter/{n}", A, 10 + n, "no" if n else "yes") for n in range(3)]
    pool.take(A, SAME_AS_A, *votes, withdrawn(A, 20))
    told = [A.donor, SAME_AS_A.donor, A.learning_id, SAME_AS_A.learning_id, SAME_AS_A.shared_id]
    told += [v for vote in votes for v in (vote.voter, vote.outcome)]
    for message in pool.sent:
        if message.topic in ("shared", "decisions"):
            text = message.key + (message.value or b"")
            assert not [t for t in told if t.encode() in text or bytes.fromhex(t) in text]
    assert {o.topic for o in pool.sent} == {"shared", "pool-members", "decisions"}
