"""SPEC 3.1, 4.9: what reviewers say goes, scrubbed, to the log of what it is about."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from agents.acts import DONE, MAY
from agents.binding.batch import Incoming, Outgoing
from agents.scan.core import Scan
from agents.scan.rules.rule import fill
from schemas.codec import decode, encode
from schemas.ids import agent_log, ids_of
from schemas.partition import log_hash
from schemas.records import Decision, LearningDraft, LearningProposed, Receipt, Review, Reviewed, Write
from schemas.validate import ACTS, problem
from tests.agents.scan.known import OPEN, SECRET

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
LEARNING = Review(org="acme", subject="ab" * 16, agent="agent/one", act="hide", reviewer="mina", wording="cd" * 8)
ROW = replace(LEARNING, agent=None, space="commons")
BAN = Review(org="acme", subject="agent/one", agent="agent/one", act="ban", reviewer="mina")
AGAIN = Write(org="acme", agent="agent/one", learning=LearningDraft(entry_key="a/b", rule="Check first."), rollback_to=2)
BACK = replace(LEARNING, subject=ids_of(SECRET, "acme").learning("agent/one", "main", "a/b"), act="rollback", wording=None, write=AGAIN)
MERGE = replace(ROW, act="merge", into="ef" * 16)
TEXTS = Review(org="acme", subject="public/17", act="erase", reviewer="mina", names=("rule",))


def scan(review: Review, key: bytes = b"") -> list[Outgoing]:
    record = Incoming("reviews", "e1", 3, 7, AT, key or f"acme/{review.subject}".encode(), encode(review))
    return Scan(SECRET, OPEN).step(3, [record], lambda _: None).out


@pytest.mark.parametrize(
    ("review", "topic", "log"),
    [
        pytest.param(LEARNING, "learnings", agent_log("acme", "agent/one"), id="a learning"),
        pytest.param(BAN, "learnings", agent_log("acme", "agent/one"), id="an agent"),
        pytest.param(ROW, "candidates", log_hash("acme", "commons"), id="a pool's row"),
        pytest.param(MERGE, "candidates", log_hash("acme", "commons"), id="two rows"),
    ],
)
def test_a_review_goes_to_the_log_of_what_it_is_about(review: Review, topic: str, log: int) -> None:
    [sent] = scan(review)
    reviewed: Any = decode(sent.value)
    assert (sent.topic, sent.log, type(reviewed)) == (topic, log, Reviewed)
    assert (reviewed.source.topic, reviewed.source.offset, reviewed.sender) == ("reviews", 7, 3)
    assert all(
        getattr(reviewed, name) == getattr(review, name)
        for name in ("org", "subject", "agent", "space", "act", "reviewer", "wording", "into")
    )


def test_a_reason_is_text_too() -> None:
    """SPEC 3.13, 6.8: what people write down may hold what must not be kept."""
    [sent] = scan(replace(LEARNING, reason=f"It held {fill('ghp_{w36}')} of mina@acme-trading.com."))
    reviewed: Any = decode(sent.value)
    assert reviewed.reason == "It held [github_token:1] of [email:1]."


def test_a_reviewer_s_rollback_is_scanned_as_a_write_of_its_author() -> None:
    """SPEC 2.8, 4.9"""
    sent = [decode(out.value) for out in scan(replace(BACK, reason="it was right"))]
    proposed = next(record for record in sent if isinstance(record, LearningProposed))
    assert (proposed.agent, proposed.learning_id, proposed.rollback_to) == ("agent/one", BACK.subject, 2)
    assert (proposed.reviewer, proposed.reason, proposed.source.topic) == ("mina", "it was right", "reviews")


def test_an_erasure_of_texts_goes_to_the_journal() -> None:
    decision, receipt = (decode(sent.value) for sent in scan(replace(TEXTS, reason="named a customer")))
    assert isinstance(decision, Decision) and isinstance(receipt, Receipt)
    assert (decision.chain, decision.actor, decision.decision, decision.subject) == ("restricted", "mina", "text_erased", "public/17")
    assert (decision.figures, decision.texts, receipt.end) == ({"names": "rule"}, {"reason": "named a customer"}, "stored")


def test_a_key_that_is_not_its_subject_s_is_a_breach() -> None:
    """DESIGN, "The flow": a raw record whose key is not its payload's."""
    assert {sent.topic for sent in scan(LEARNING, b"acme/another")} == {"receipts", "decisions"}


@pytest.mark.parametrize(
    ("review", "field"),
    [
        (LEARNING, None),
        (ROW, None),
        (TEXTS, None),
        (replace(LEARNING, act="burn"), "act"),
        (replace(LEARNING, reviewer=""), "reviewer"),
        (replace(LEARNING, space="commons"), "agent"),
        (replace(LEARNING, agent=None), "agent"),
        (replace(LEARNING, subject="Mina Okafor"), "subject"),
        (replace(LEARNING, wording="mina@acme-trading.com"), "wording"),
        (BAN, None),
        (replace(BAN, subject="agent/two"), "subject"),
        (replace(BAN, agent=None, space="commons"), "subject"),
        (BACK, None),
        (replace(BACK, write=None), "write"),
        (replace(BACK, agent="agent/two"), "write"),
        (replace(BACK, write=replace(AGAIN, rollback_to=None)), "write"),
        (replace(BACK, write=replace(AGAIN, learning=replace(AGAIN.learning, rule=" "))), "write.learning.rule"),
        (replace(LEARNING, write=AGAIN), "write"),
        (MERGE, None),
        (replace(MERGE, into=None), "into"),
        (replace(MERGE, into="Mina Okafor"), "into"),
        (replace(ROW, into="ef" * 16), "into"),
        (replace(TEXTS, names=()), "names"),
        (replace(TEXTS, names=("rule", "Mina Okafor")), "names[1]"),
        (replace(TEXTS, subject="public/0"), "subject"),
        (replace(TEXTS, subject="private/1"), "subject"),
    ],
)
def test_what_a_review_must_say(review: Review, field: str | None) -> None:
    found = problem(review)
    assert (found.field if found else None) == field


def test_every_act_is_known() -> None:
    assert {*ACTS} == {*MAY} == {*DONE, "erase"}
