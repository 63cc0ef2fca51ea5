"""SPEC 5.2: an outcome that overtakes the learning it credits waits for it: 24 hours of stream time, 1,000 an agent."""

from schemas.records import PoolCredited
from tests.agents.aggregate.log import KEY, Log, Table, known


def test_early_outcomes_count_in_order_once_the_learning_is_there() -> None:
    log, twin = Log(), Log()
    early = Table().take(log.loaded(), *(log.outcome(f"o-{n}", r) for n, r in enumerate(["failure", "success", "success"])))
    assert early.ends()["outcomes:0", "credit:0"] == ("waiting", "unknown_entry")
    assert early.sent("entries") == []
    early.take(log.run("r-1", {"confidence": 0.7}))
    late = known(twin, confidence=0.7).take(*(twin.outcome(f"o-{n}", r) for n, r in enumerate(["failure", "success", "success"])))
    assert early.ends()["outcomes:0", "credit:0"] == ("stored", None)
    assert [v.version for v in early.versions()] == [1]  # one event makes one version, with all it changed (SPEC 2.8)
    figures = (
        "confidence",
        "mass_success",
        "mass_failure",
        "applied",
        "helpful",
        "success_count",
        "failure_count",
        "evidence_status",
        "gate",
    )
    assert [getattr(early.newest(), f) for f in figures] == [getattr(late.newest(), f) for f in figures]
    assert early.newest().cause.what == "created"


def test_what_it_releases_crosses_under_the_event_that_released_it() -> None:
    """DESIGN "Exactly once"."""
    log = Log()
    table = Table().take(log.loaded(), *(log.outcome(f"o-{n}") for n in range(3)), log.run("r-1", {}))
    (cleared,) = table.sent("candidates")
    assert (cleared.source.topic, cleared.version) == ("runs", 1)


def test_only_the_early_credit_waits() -> None:
    log = Log()
    table = known(log)
    table.take(log.outcome("o-1", "success", log.credit(), log.credit("later", part=1), log.pool_credit(part=2)))
    assert table.newest(KEY).applied == 1
    assert isinstance(table.sent("candidates")[0], PoolCredited)
    assert [table.ends()["outcomes:0", f"credit:{n}"][0] for n in range(3)] == ["stored", "waiting", "stored"]
    table.take(log.run("r-2", {"entry_key": "later"}))
    assert (table.newest("later").applied, table.newest(KEY).applied) == (1, 1)
    assert table.newest("later").mass_success == table.newest(KEY).mass_success


def test_a_credit_to_a_version_that_is_to_come_waits_for_it() -> None:
    log = Log()
    table = known(log).take(log.outcome("o-1", "success", log.credit(version=2)), log.outcome("o-2", "failure"))
    assert table.ends()["outcomes:0", "credit:0"][0] == "waiting"
    table.take(log.run("r-2", {"rule": "another"}))
    assert table.ends()["outcomes:0", "credit:0"] == ("stored", "wording_replaced")  # version 2 was the outcome's


def test_it_takes_its_place_in_order() -> None:
    """A credit that waited for a restatement counts before the outcomes that came after it."""
    log, twin = Log(), Log()
    first = [log.outcome("o-1", "failure", log.credit(version=3, helpful="no")), log.outcome("o-2")]
    table = known(log, confidence=0.7).take(*first, log.run("r-2", {}))
    assert table.ends()["outcomes:0", "credit:0"] == ("stored", None)
    plain = known(twin, confidence=0.7).take(twin.outcome("o-1", "failure"), twin.outcome("o-2"))
    assert table.newest().confidence == plain.newest().confidence
    assert (table.newest().applied, table.newest().cause.what) == (2, "restated")


def test_what_never_finds_it_is_dead_lettered_after_a_day() -> None:
    log = Log()
    table = known(log).take(log.outcome("o-1", "success", log.credit("never"), log.credit("neither", part=1)))
    table.wait(hours=12).take(log.outcome("o-2", "success", log.credit("never"))).wait(hours=11)
    assert table.dead() == []
    table.wait(hours=2)
    assert table.dead() == [("outcomes:0", "credit:0", "unknown_entry"), ("outcomes:0", "credit:1", "unknown_entry")]
    assert table.ends()["outcomes:0", "credit:1"] == ("dead_lettered", "unknown_entry")
    assert table.ends()["outcomes:1", "credit:0"][0] == "waiting"
    table.wait(hours=12)
    assert table.dead()[-1] == ("outcomes:1", "credit:0", "unknown_entry")
    table.take(log.run("r-2", {"entry_key": "never"}))
    assert table.newest("never").applied == 0


def test_no_more_than_a_thousand_wait() -> None:
    log = Log()
    two = [log.outcome(f"o-{n}", "success", log.credit("a"), log.credit("b", part=1))[0] for n in range(1000)]
    table = known(log)
    table.step(table.write(two))
    assert table.dead() == []
    table.take(log.outcome("o-over", "success", log.credit("a"), log.credit()))
    assert table.dead() == [("outcomes:1000", "credit:0", "unknown_entry")]
    table.take(log.run("r-2", {"entry_key": "a"}, {"entry_key": "b"}))
    assert [table.newest(k).applied for k in ("a", "b")] == [1000, 1000]
    table.take(log.outcome("o-more", "success", log.credit("c")))
    assert table.ends()["outcomes:1001", "credit:0"][0] == "waiting"
