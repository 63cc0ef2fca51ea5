"""A request to erase: who may ask, and that the entity's name goes no further than the raw side."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from agents.binding.batch import EVERYWHERE, Incoming, Outgoing, partitions_of
from agents.scan.core import Scan
from agents.scan.directory import Directory
from schemas.codec import decode, encode
from schemas.ids import ids_of
from schemas.records import ClaimDraft, DeadLetter, Decision, Entity, EntityErased, Erasure, Receipt, Run, RunSeen, Step

SECRET = b"0" * 32
IDS = ids_of(SECRET, "acme")
AT = datetime(2026, 3, 1, tzinfo=UTC)
ANN = Erasure(org="acme", entity="Ann  LEE", requested_by="person/mina", reason="she asked for it")


def scanned(record: Erasure | Run, name: str) -> list[Outgoing]:
    topic = "erasures" if isinstance(record, Erasure) else "runs"
    raw = Incoming(topic, "e1", 3, 7, AT, f"{record.org}/{name}".encode(), encode(record))
    return Scan(SECRET, Directory(bytes(32), admits_unsigned=True)).step(3, [raw], lambda _: None).out


def test_every_partition_is_told_and_the_name_is_not() -> None:
    """SPEC 8.3: the log gets a keyed stand-in, the same however the name is written; the journal gets who asked and why."""
    out = scanned(ANN, ANN.requested_by)
    told: dict[type, tuple[Any, Outgoing]] = {type(r := decode(o.value)): (r, o) for o in out}
    erased, sent = told[EntityErased]
    assert (erased.entity, erased.requested_by, erased.received_at) == (IDS.entity("ann lee"), "person/mina", AT)
    assert (sent.log, list(partitions_of(sent.log, 3))) == (EVERYWHERE, [0, 1, 2])
    decision, _ = told[Decision]
    assert (decision.decision, decision.chain, decision.subject, decision.texts) == (
        "erasure_requested", "restricted", "erasures:3:7", {"reason": "she asked for it"},
    )  # fmt: skip
    assert (told[Receipt][0].part, told[Receipt][0].end) == ("erasure", "stored")
    assert not any(b"LEE" in (o.value or b"") + o.key for o in out)


@pytest.mark.parametrize("entity", ["", "  ", "x" * 100_000])
def test_one_that_names_nobody_is_put_aside_without_an_excerpt(entity: str) -> None:
    """SPEC 9.4, 8.3: a dead letter, which does not hold whom it named."""
    letters = [r for o in scanned(replace(ANN, entity=entity), ANN.requested_by) if isinstance(r := decode(o.value), DeadLetter)]
    assert [(letter.field, letter.excerpt) for letter in letters] == [("entity", None)]


def test_nobody_asks_in_anothers_name() -> None:
    """SPEC 9.1: the key of the message and who asks are one."""
    out = [decode(o.value) for o in scanned(ANN, "person/eve")]
    assert [r.reason for r in out if isinstance(r, Receipt)] == ["access_breach"]
    assert not any(isinstance(r, EntityErased) for r in out)


def test_a_run_tells_what_it_met_by_stand_ins() -> None:
    """SPEC 8.3: entities that its runtime names, those of its claims, and what the scan itself saw; no credential."""
    run = Run(
        run_id="r-1",
        org="acme",
        agent="agent/a",
        entities=(Entity(kind="person", value="Ann Lee"),),
        claims=(ClaimDraft(entity="Globex", key="billing/terms", value='"by invoice"'),),
        steps=(Step(kind="message", role="user", output='"write to bob.ray@globex-mail.com"'),),
    )
    seen = next(r for o in scanned(run, run.agent) if isinstance(r := decode(o.value), RunSeen))
    assert {IDS.entity("ann lee"), IDS.entity("globex"), IDS.entity("bob.ray@globex-mail.com")} <= {*seen.episode.entities}
    assert [claim.entity_id for claim in seen.claims] == [IDS.entity("Globex")]


def test_an_excerpt_says_whom_it_may_tell_of() -> None:
    """SPEC 8.3: an excerpt of a run that could not be taken can be found when one of its entities is erased."""
    run = Run(run_id="r-1", org="acme", agent="agent/a", attempt=0, entities=(Entity(kind="person", value="Ann Lee"),))
    letter = next(r for o in scanned(run, run.agent) if isinstance(r := decode(o.value), DeadLetter))
    assert letter.entities == (IDS.entity("Ann Lee"),)


def test_the_reason_does_not_name_whom_it_is_about() -> None:
    """SPEC 8.3: it stands in the journal's texts for good, where an erasure must not bring back the name."""
    request = Erasure(org="acme", entity="Zorvath", requested_by="person/mina", reason="Zorvath asked for it")
    [decision] = [r for o in scanned(request, request.requested_by) if isinstance(r := decode(o.value), Decision)]
    assert "Zorvath" not in decision.texts["reason"]
    assert "asked for it" in decision.texts["reason"]
