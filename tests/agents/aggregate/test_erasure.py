"""Erasure of an entity: what its runs lent to learnings is taken back, learnings stay (SPEC 8.3)."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from schemas.records import ClaimSeen, Decision, EntityErased, Erased, PoolCredited
from tests.agents.aggregate.log import IDS, START, Log, Table, known

ANN, BOB = IDS.entity("Ann Lee"), IDS.entity("Bob Ray")
RECEIPT = "erasures:0:0"


def met(log: Log, run_id: str, *entities: str, **more: Any) -> list[Any]:
    """A run that met some entities."""
    seen, *proposals = log.run(run_id, **more)
    claims = tuple(replace(claim, entity_id=entities[0]) for claim in seen.claims)
    return [replace(seen, episode=replace(seen.episode, entities=entities), claims=claims), *proposals]


def erase(log: Log, entity: str = ANN, after: timedelta = timedelta(hours=1)) -> list[Any]:
    event = EntityErased(
        source=log.source("erasures"), sender=0, org=log.org, entity=entity, requested_by="person/mina", received_at=START + after
    )
    log.offsets["erasures"] += 1
    return [event]


def told(table: Table) -> list[dict[str, int]]:
    """What each erasure told, as far as it is not nothing."""
    names = ("episodes", "claims", "outcomes", "waiting", "learnings", "credits")
    erased: list[Erased] = table.sent("erased")
    return [{name: n for name in names if (n := getattr(e, name))} for e in erased]


def test_outcomes_of_runs_that_met_it_are_retracted_and_counted_again() -> None:
    """SPEC 8.3, 5.10: the learning reads as if they had never been, and stays."""
    log = Log()
    table = known(log).take(
        log.outcome("o-1", run_id="r-other"),
        met(log, "r-met", ANN, BOB, claims=2),
        log.outcome("o-2", "failure", run_id="r-met"),
        log.outcome("o-3", run_id="r-met"),
    )
    assert (table.newest().applied, table.newest().failure_count) == (3, 1)
    table.take(erase(log))
    newest = table.newest()
    assert (newest.applied, newest.helpful, newest.failure_count, newest.state) == (1, 1, 0, "active")
    assert (newest.cause.what, newest.cause.by) == ("retracted", "person/mina")
    assert told(table) == [{"episodes": 1, "claims": 2, "outcomes": 2, "learnings": 1}]
    straight = known(again := Log()).take(again.outcome("o-1", run_id="r-other")).newest()
    assert (newest.mass_success, newest.mass_failure, newest.confidence) == (
        straight.mass_success,
        straight.mass_failure,
        straight.confidence,
    )


def test_it_is_journalled_with_what_it_came_to() -> None:
    """SPEC 8.3: the receipt's figures stand in the signed journal, under a stand-in for the name."""
    log = Log()
    table = known(log).take(met(log, "r-met", ANN), erase(log))
    decided: list[Decision] = [d for d in table.sent("decisions") if d.decision == "entity_erased"]
    assert [(d.subject, d.chain, d.reason, d.figures["episodes"], d.figures["entity"]) for d in decided] == [
        (RECEIPT, "restricted", "person/mina", "1", ANN)
    ]


def test_what_waits_goes() -> None:
    """SPEC 8.3: credits and amendments of such runs wait no more, and are not counted when what they waited for comes."""
    log = Log()
    table = known(log).take(
        met(log, "r-met", ANN),
        log.outcome("o-1", "success", log.credit("support/later"), run_id="r-met"),
        log.outcome("o-9", "failure", amends="o-8", run_id="r-met"),
        erase(log),
    )
    assert told(table) == [{"episodes": 1, "outcomes": 1, "waiting": 2}]
    assert [table.ends()[f"outcomes:{n}", "credit:0"] for n in (0, 1)] == [("refused", "entity_erased")] * 2
    table.take(log.run("r-2", {"entry_key": "support/later"}), log.outcome("o-8"))
    assert (table.newest("support/later").applied, table.newest().applied, table.newest().failure_count) == (0, 1, 0)
    assert table.wait(hours=25).dead() == []


def test_a_pools_credit_is_retracted() -> None:
    """SPEC 8.3: what a run's outcome lent to a shared learning is taken back there too."""
    log = Log()
    table = known(log).take(met(log, "r-met", ANN), log.outcome("o-1", "success", log.pool_credit(), run_id="r-met"), erase(log))
    credited: list[PoolCredited] = [c for c in table.sent("candidates") if isinstance(c, PoolCredited)]
    assert [(c.outcome, c.result, c.amends) for c in credited] == [
        (IDS.outcome(log.agent, "o-1"), "success", False),
        (IDS.outcome(log.agent, "o-1"), "retracted", True),
    ]
    assert told(table) == [{"episodes": 1, "outcomes": 1, "credits": 1}]


def test_twice_or_unknown_is_an_honest_receipt() -> None:
    """SPEC 8.3: an erasure of what is not there, or no longer, tells that nothing was erased, and puts no second entry in the journal."""
    log = Log()
    table = known(log).take(met(log, "r-met", ANN), erase(log, BOB), erase(log), erase(log))
    assert told(table) == [{}, {"episodes": 1}, {}]
    assert [e.erasure for e in table.sent("erased")] == ["erasures:0:0", "erasures:0:1", "erasures:0:2"]
    assert [d for d, _ in table.decisions() if d == "entity_erased"] == ["entity_erased"]


def test_a_request_sent_again_by_its_sender_changes_nothing() -> None:
    """A log's record that comes twice is known by its source, also where it is no agent's."""
    log = Log()
    request = erase(log)
    table = known(log).take(met(log, "r-met", ANN), request, request)
    assert told(table) == [{"episodes": 1}]


def test_other_entities_and_organisations_stay() -> None:
    """SPEC 8.3: erasure is per entity, and an organisation's own."""
    log, other = Log(), Log(org="globex")
    table = known(log).take(met(log, "r-bob", BOB, claims=1), log.outcome("o-1", run_id="r-bob"), erase(other, BOB), erase(log, ANN))
    assert told(table) == [{}, {}]
    assert table.newest().applied == 1


def test_a_run_that_comes_after_the_erasure_that_overtook_it_is_not_kept() -> None:
    """SPEC 8.4: it was sent before; its episode and its claims about the entity do not appear, and its outcomes lend nothing."""
    log = Log()
    table = known(log).take(erase(log), met(log, "r-late", ANN, claims=1), log.outcome("o-1", run_id="r-late"))
    assert [e.run_id for e in table.sent("episodes")] == ["r-1"]
    assert table.sent("claims") == []
    assert table.newest().applied == 0
    ends = table.ends()
    assert (ends["runs:1", "episode"], ends["runs:1", "claim:0"]) == (("refused", "entity_erased"),) * 2
    assert ends["outcomes:0", "credit:0"] == ("stored", "entity_erased")


def test_what_is_met_after_the_erasure_is_kept_and_can_be_erased() -> None:
    """SPEC 8.3: an erasure is of what there was; what comes later is new."""
    log = Log()
    later = START + timedelta(hours=2)
    table = known(log).take(erase(log))
    seen, *_ = met(log, "r-new", ANN)
    table.take([replace(seen, received_at=later)], erase(log, after=timedelta(hours=3)))
    assert told(table) == [{}, {"episodes": 1}]


def test_outcomes_that_come_after_lend_nothing() -> None:
    """SPEC 8.3: an outcome of a run whose episode was erased counts for nothing when it is reported late."""
    log = Log()
    table = known(log).take(met(log, "r-met", ANN), erase(log), log.outcome("o-1", run_id="r-met"))
    assert (table.newest().applied, table.ends()["outcomes:0", "credit:0"]) == (0, ("stored", "entity_erased"))


def test_a_claim_outside_of_a_run_is_kept_and_erased() -> None:
    """SPEC 8.1, 8.3: it is sent on, counted by the receipt, and one that an erasure overtook is refused."""
    log = Log()

    def claimed(after: timedelta = timedelta()) -> list[Any]:
        claim = replace(log.claim(1), entity_id=ANN, received_at=START + after)
        event = ClaimSeen(
            source=log.source("claim-writes"), sender=0, org=log.org, agent=log.agent, received_at=claim.received_at, claim=claim
        )
        log.offsets["claim-writes"] += 1
        return [event]

    table = known(log).take(claimed(), claimed(), erase(log), claimed(), claimed(timedelta(hours=2)))
    assert told(table) == [{"claims": 1}]
    ends = table.ends()
    assert [ends[f"claim-writes:{n}", "claim:0"] for n in range(4)] == [
        ("stored", None),
        ("stored", None),
        ("refused", "entity_erased"),
        ("stored", None),
    ]
    assert len(table.sent("claims")) == 3
