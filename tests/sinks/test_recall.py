"""Recall (SPEC 7): who may be shown what, in which order, and what is left on the stream."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from schemas.codec import check
from schemas.ids import Ref, agent_log
from schemas.partition import log_hash
from schemas.records import Grant
from sinks.ask import Answer, Ask, Scope
from sinks.ranking import Match
from sinks.recall import Recall
from sinks.writer import Writer
from tests.sinks import records as r

COLUMNS = (
    "recall_id ref section entry_key rule value space area levels_up state evidence_status confidence applied helpful trust tier score why"
)
NOW = datetime.now(UTC)
WORDING = "Check the refund status before you promise a date"


@pytest.fixture
def recall(client: Client) -> Recall:
    """Recall in the test's database."""
    return Recall(client, r.SECRET)


def ask(recall: Recall, text: str = "refund status", agent: str = r.AGENT, org: str = r.ORG, **more: Any) -> Answer:
    """Ask."""
    return recall.answer(Ask(org=org, agent=agent, text=text, **more))


def keys(answer: Answer) -> list[str]:
    """Keys of the rows, in order; of a pool's rows their wording."""
    return [row["entry_key"].rpartition("/")[2] if row["entry_key"] else row["rule"] for row in answer.rows]


def own(key: str, rule: str = WORDING, **more: Any) -> Any:
    """An own learning, of now."""
    return r.learning(rule, **({"entry_key": f"support/{key}", "at": NOW, "written_at": NOW} | more))


def test_the_row_is_as_promised(recall: Recall, writer: Writer) -> None:
    """INTERFACES, `recall`; SPEC 2.13, 7.7."""
    learning, shared = own("a", value='{"steps":["ask"]}', memory_type="procedure", tier=2), r.shared()
    writer.write(r.messages(learning, shared, r.agent_changed()))
    answer = ask(recall)
    mine, pools = sorted(answer.rows, key=lambda row: row["entry_key"] is None)
    assert list(mine) == list(pools) == COLUMNS.split()

    assert (mine["section"], mine["entry_key"], mine["value"], mine["area"], mine["tier"]) == (
        "procedure",
        "support/a",
        {"steps": ["ask"]},
        "support/refunds",
        2,
    )
    assert (pools["section"], pools["entry_key"], pools["space"], pools["area"], pools["levels_up"], pools["tier"]) == (
        "learning",
        None,
        "service",
        None,
        None,
        None,
    )
    assert r.IDS.read_ref(mine["ref"]) == Ref(
        own=True, log=agent_log(r.ORG, r.AGENT), subject=learning.learning_id, wording=learning.wording
    )
    assert r.IDS.read_ref(pools["ref"]) == Ref(own=False, log=log_hash(r.ORG, "service"), subject=shared.shared_id, wording=shared.wording)
    assert "refund, status" in mine["why"]


def test_an_exposure_is_left(recall: Recall, writer: Writer) -> None:
    """SPEC 7.8: recall id, refs, ranks; one sequence a process and agent."""
    writer.write(r.messages(own("a"), r.shared(), r.agent_changed()))
    first, second = ask(recall), ask(recall, "nothing like it", scope="own")
    assert first.exposure and second.exposure and check(first.exposure) is None
    told = first.exposure.recalls[0]
    assert [(row.ref, row.rank) for row in told.rows] == [(row["ref"], rank) for rank, row in enumerate(first.rows, 1)]
    assert {row.own for row in told.rows} == {True, False}
    assert {row["recall_id"] for row in first.rows} == {told.recall_id}
    assert (told.scope, second.exposure.recalls[0].scope, second.exposure.recalls[0].rows) == ("every", "own", ())
    assert (first.exposure.sequence, second.exposure.sequence) == (0, 1)
    assert first.exposure.process == second.exposure.process


@pytest.mark.parametrize("seen", [(), (r.episode(),), (r.outcome(),)], ids=["never", "by a run", "by an outcome"])
def test_a_caller_who_is_not_known_gets_nothing(recall: Recall, writer: Writer, seen: tuple[Any, ...]) -> None:
    """SPEC 7.1; INTERFACES: an agent never loaded is known from its first run or outcome, with home space `personal`."""
    writer.write(r.messages(*seen, r.shared(space="commons"), r.shared("Refund status, elsewhere")))
    answer = ask(recall)
    assert keys(answer) == [WORDING] * bool(seen)
    assert (answer.exposure is not None) == bool(seen)


SCOPES: list[tuple[Scope, dict[str, Any], list[str]]] = [
    ("own", {}, ["own"]),
    ("org", {}, ["of commons", "of service"]),
    ("every", {}, ["of commons", "of service", "own"]),
    ("space", {"space": "commons"}, ["of commons"]),
    ("space", {"space": "sales"}, []),
]


@pytest.mark.parametrize(("scope", "more", "found"), SCOPES)
def test_scopes(recall: Recall, writer: Writer, scope: Scope, more: dict[str, Any], found: list[str]) -> None:
    """SPEC 7.2: until there are grants an agent views its home space and `commons`."""
    pools = [r.shared(f"refund status of {space}", space=space) for space in ("service", "commons", "sales")]
    others = own("not-mine", "refund status of another agent", agent=r.OTHER)
    elsewhere = own("not-ours", "refund status of another organisation", org="globex")
    writer.write(r.messages(own("own"), others, elsewhere, *pools, r.agent_changed()))
    assert sorted(key.removeprefix("refund status ") for key in keys(ask(recall, scope=scope, **more))) == found


@pytest.mark.parametrize(
    ("home", "pools"),
    [("service", {"service", "commons"}), ("commons", {"commons"}), ("personal", {"commons"})],
)
def test_pools_of_the_home_space(recall: Recall, writer: Writer, home: str, pools: set[str]) -> None:
    shared = [r.shared(WORDING, space=space) for space in ("service", "commons", "personal")]
    writer.write(r.messages(*shared, r.agent_changed(home_space=home)))
    assert {row["space"] for row in ask(recall).rows} == pools


@pytest.mark.parametrize(
    ("roles", "pools"),
    [
        ((), {"service", "commons"}),
        ((("reader", "sales"),), {"service", "commons", "sales"}),
        ((("reader", ""),), {"service", "commons", "sales", "finance"}),
        ((("reviewer", "sales"), ("publisher", "finance"), ("reader", "nowhere")), {"service", "commons"}),
    ],
)
def test_reading_across_spaces(recall: Recall, writer: Writer, roles: tuple[tuple[str, str], ...], pools: set[str]) -> None:
    """SPEC 10.6: by the role that an administrator gave, and what was promoted alone."""
    shared = [r.shared(WORDING, space=space) for space in ("service", "commons", "sales", "finance")]
    held_back = r.shared("refund status withdrawn", space="sales", crossing="withdrawn")
    who = r.identity(roles=tuple(Grant(role=role, space=space) for role, space in roles))
    writer.write(
        r.messages(*shared, held_back, r.agent_changed(), who, r.identity(r.OTHER, offset=9, roles=(Grant(role="reader", space=""),)))
    )
    assert {row["space"] for row in ask(recall).rows} == pools
    assert {row["space"] for row in ask(recall, scope="space", space="sales").rows} == pools & {"sales"}
    assert "withdrawn" not in str(ask(recall, limit=50).rows)


AREAS: list[tuple[Scope, str, list[str]]] = [
    ("walk", "a/b/c", ["at-a-b"]),
    ("walk", "a/b", ["at-a-b"]),
    ("walk", "a/x", ["at-a"]),
    ("walk", "z", []),
    ("area", "a", ["at-a"]),
    ("area", "a/b/c", []),
]


@pytest.mark.parametrize(("scope", "area", "found"), AREAS)
def test_areas(recall: Recall, writer: Writer, scope: Scope, area: str, found: list[str]) -> None:
    """SPEC 7.2: `walk` stops at the first area that answers and never looks at a sibling; `area` is the one named, alone."""
    learnings = [own(f"at-{area.replace('/', '-')}", work_area=area) for area in ("a", "a/b", "ab", "a/y")]
    writer.write(r.messages(*learnings, r.shared(), r.agent_changed()))
    assert keys(ask(recall, scope=scope, area=area)) == found


def test_levels_up(recall: Recall, writer: Writer) -> None:
    """SPEC 7.7."""
    areas = {"here": "a/b", "above": "a", "beside": "a/c", "nowhere": None}
    writer.write(r.messages(*(own(key, work_area=area) for key, area in areas.items()), r.agent_changed()))
    rows = ask(recall, area="a/b").rows
    assert {row["entry_key"].rpartition("/")[2]: row["levels_up"] for row in rows} == {
        "here": 0,
        "above": 1,
        "beside": None,
        "nowhere": None,
    }


STATES = [
    pytest.param({"state": "held", "hold": "injection"}, True, id="held: its author alone, marked"),
    pytest.param({"state": "superseded"}, True, id="superseded: labelled"),
    pytest.param({"state": "rejected"}, False, id="rejected"),
    pytest.param({"state": "archived"}, False, id="archived"),
    pytest.param({"state": "expired"}, False, id="expired"),
    pytest.param({"state": "erased"}, False, id="erased"),
    pytest.param({"visibility": "hidden"}, False, id="hidden"),
    pytest.param({"visibility": "demoted"}, False, id="demoted"),
    pytest.param({"ttl_at": NOW - timedelta(seconds=1)}, False, id="past its ttl, before the timer came by"),
    pytest.param({"ttl_at": NOW + timedelta(days=1)}, True, id="before its ttl"),
    pytest.param({"privacy": "sensitive"}, True, id="private: the owner always recalls its own"),
]


@pytest.mark.parametrize(("more", "shown"), STATES)
def test_states_of_ones_own(recall: Recall, writer: Writer, more: dict[str, Any], shown: bool) -> None:
    """SPEC 2.7, 4.4, 4.9."""
    writer.write(r.messages(own("a", version=1), own("a", version=2, **more), r.agent_changed(), r.agent_changed(r.OTHER, offset=1)))
    rows = ask(recall).rows
    assert [row["state"] for row in rows] == [more.get("state", "active")] * shown
    assert ask(recall, agent=r.OTHER).rows == []


@pytest.mark.parametrize(
    "more", [{"crossing": "withdrawn"}, {"crossing": "objected"}, {"visibility": "demoted"}, {"state": "archived"}], ids=str
)
def test_states_of_a_pools(recall: Recall, writer: Writer, more: dict[str, Any]) -> None:
    writer.write(r.messages(r.shared(version=1), r.shared(version=2, **more), r.agent_changed()))
    assert ask(recall).rows == []


@pytest.mark.parametrize(
    ("role", "present", "shown"), [("donor", True, False), ("corroborator", True, False), ("donor", False, False), ("voter", True, True)]
)
def test_never_served_back(recall: Recall, writer: Writer, role: str, present: bool, shown: bool) -> None:
    """SPEC 6.6: not to who donated or corroborated it; one that only found it helpful keeps getting it."""
    shared = r.shared()
    others = [r.member(shared, r.OTHER, "donor")]
    writer.write(r.messages(shared, r.member(shared, r.AGENT, role, present=present), *others, r.agent_changed()))
    assert len(ask(recall).rows) == shown


def test_excluded_rows_do_not_use_up_the_answer(recall: Recall, writer: Writer) -> None:
    """SPEC 7.1: filters come before ranks, so a hundred better matches that may not be shown hide nothing."""
    dead = [own(f"dead-{i}", "refund status", state="archived") for i in range(100)]
    writer.write(
        r.messages(*dead, own("alive", "a long rule that mentions the refund once among many other words of no use"), r.agent_changed())
    )
    assert keys(ask(recall, limit=1)) == ["alive"]


def test_an_old_wording_is_not_found(recall: Recall, writer: Writer) -> None:
    writer.write(r.messages(own("a", "refund status"), own("a", "shipping address", version=2), r.agent_changed()))
    assert keys(ask(recall, "refund")) == []
    assert keys(ask(recall, "shipping")) == ["a"]


@pytest.mark.parametrize(("depth", "found"), [(1, ["hot"]), (2, ["hot", "warm"]), (3, ["archive", "hot", "warm"])])
def test_depth(recall: Recall, writer: Writer, depth: int, found: list[str]) -> None:
    """SPEC 7.5, 7.8: rows of a pool have no tier and pass every depth."""
    tiers = {"hot": 1, "warm": 2, "archive": 3}
    learnings = {key: own(key) for key in tiers}
    counters = [r.counter(learnings[key], tier=tier) for key, tier in tiers.items()]
    writer.write(r.messages(*learnings.values(), *counters, r.shared(), r.agent_changed()))
    assert sorted(keys(ask(recall, depth=depth))) == [WORDING, *found]


ORDERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"evidence_status": "untested", "confidence": 0.1}, {"evidence_status": "contested", "confidence": 1.0}),
    ({"evidence_status": "validated", "confidence": 0.6}, {"evidence_status": "untested", "confidence": 1.0}),
    ({"confidence": 0.9}, {"confidence": 0.4}),
    ({}, {"at": NOW - timedelta(days=30)}),
    ({}, {"is_artifact": True, "evidence_status": "validated"}),
    ({"evidence_status": "contested", "confidence": 0.0}, {"evidence_status": "discredited", "confidence": 0.49}),
]


@pytest.mark.parametrize(("better", "worse"), ORDERS)
def test_order(recall: Recall, writer: Writer, better: dict[str, Any], worse: dict[str, Any]) -> None:
    """SPEC 7.3: status before number; recency; artifacts half; the discredited last, however well they match."""
    last = "refund status" if worse.get("evidence_status") == "discredited" else WORDING
    writer.write(r.messages(own("worse", last, **worse), own("better", **better), r.agent_changed()))
    assert keys(ask(recall)) == ["better", "worse"]


@pytest.mark.parametrize(
    ("days", "status", "confidence", "artifact", "factor"),
    [
        (0, "validated", 1.0, False, 1.8),
        (0, "discredited", 0.0, False, 1.3),
        (10, "untested", 0.5, False, 1 + 0.5 * 2.5 / 4 + 0.3 * math.exp(-1)),
        (0, "validated", 1.0, True, 0.9),
    ],
)
def test_score(days: int, status: str, confidence: float, artifact: bool, factor: float) -> None:
    """SPEC 7.3's formula."""
    row = {"at": NOW - timedelta(days=days), "evidence_status": status, "confidence": confidence, "is_artifact": artifact}
    assert Match(row, own=True, relevance=2.0).score(NOW) == pytest.approx(2 * factor)


def test_instructions_in_force_come_first_and_unranked(recall: Recall, writer: Writer) -> None:
    """SPEC 7.4: from the caller's area and every one above, asked for or not."""
    applies = {"everywhere": None, "above": "a", "here": "a/b", "beside": "a/c", "below": "a/b/c", "alike": "a/bb"}
    rules = [r.shared(f"{name}: be kind", kind="instruction", applies_to=area) for name, area in applies.items()]
    own_one = own("mine", "refund status is an instruction to myself", kind="instruction")
    writer.write(r.messages(*(rule for rule in rules), own_one, r.shared(), r.agent_changed()))
    rows = ask(recall, area="a/b", limit=2).rows
    assert [(row["section"], row["score"] is None, row["rule"].partition(":")[0]) for row in rows[:3]] == [
        ("instruction", True, "everywhere"),
        ("instruction", True, "above"),
        ("instruction", True, "here"),
    ]
    # One's own is signed by nobody else: it ranks with the rest.
    assert sorted(row["section"] for row in rows[3:]) == ["learning", "learning"]


@pytest.mark.parametrize("text", ["", "  ", "the and of", "zebra", "%", "' OR 1=1 --", "\ud800"])
def test_nothing_matches(recall: Recall, writer: Writer, text: str) -> None:
    """SPEC 7.7: empty means that nothing matched that the caller may read."""
    writer.write(r.messages(own("a"), r.agent_changed()))
    assert ask(recall, text).rows == []


@pytest.mark.parametrize("text", ["Refunds", "STATUS?", "orders_get", "promised", "données"])
def test_words_are_stemmed_and_folded(recall: Recall, writer: Writer, text: str) -> None:
    writer.write(r.messages(own("a", WORDING + "; données"), r.agent_changed()))
    assert keys(ask(recall, text)) == ["a"]


@pytest.mark.parametrize(
    ("more", "says"), [({"scope": "near"}, "no scope near"), ({"scope": "walk"}, "needs an area"), ({"scope": "space"}, "needs a space")]
)
def test_what_cannot_be_asked(more: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Ask(org=r.ORG, agent=r.AGENT, text="x", **more)
