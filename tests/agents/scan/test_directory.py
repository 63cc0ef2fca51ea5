"""SPEC 5.7, 9.1: whose message it is says its signature, by the broker's time of the message."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agents.binding.batch import Incoming
from agents.scan.core import Scan
from agents.scan.directory import Directory
from pipelines.produce import message_key
from schemas import keys
from schemas.codec import decode, encode
from schemas.keys import Bearer
from schemas.records import (
    AgentChanged,
    Decision,
    Exposure,
    Grant,
    Identity,
    LearningDraft,
    Outcome,
    OutcomeReported,
    Principal,
    Receipt,
    Review,
    Reviewed,
    Run,
    RunSeen,
    Write,
)
from schemas.signing import HEADER, Signer
from tests.agents.scan.known import SECRET

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
OPERATOR = Signer.operator(SECRET)
ONE, TWO = "agent/one", "agent/two"
TOPICS = {Run: "runs", Outcome: "outcomes", Write: "writes", Review: "reviews", Principal: "principals", Exposure: "recalls"}
RUN = Run(run_id="r-1", org="acme", agent=ONE)
OUTCOME = Outcome(outcome_id="o-1", org="acme", agent=ONE, result="success", verified_by="ci")
REVIEW = Review(org="acme", subject="ab" * 16, space="department/support", act="hide", reviewer="person/mina", wording="cd" * 8)
BAN = Review(org="acme", subject=ONE, agent=ONE, act="ban", reviewer="person/mina")
EACH = [RUN, OUTCOME, Write(org="acme", agent=ONE, learning=LearningDraft(entry_key="a/b", rule="Check first.")), REVIEW]


def message(record: Any, signer: Signer | None = OPERATOR, at: datetime = AT, offset: int = 7) -> Incoming:
    topic, value = TOPICS[type(record)], encode(record)
    headers = [signer.header(topic, record.org, value)] if signer else []
    return Incoming(topic, "e1", 3, offset, at, message_key(record), value, headers)


@dataclass
class Deployment:
    """A directory and the topic that it follows."""

    topic: list[Incoming] = field(default_factory=list)
    unsigned: bool = False

    def __post_init__(self) -> None:
        self.directory = Directory(SECRET, admits_unsigned=self.unsigned, catch_up=self._new)
        self._read = 0

    def _new(self) -> list[Incoming]:
        new, self._read = self.topic[self._read :], len(self.topic)
        return new

    def tell(self, principal: Principal, at: datetime = AT - HOUR, signer: Signer | None = OPERATOR) -> None:
        self.topic.append(message(principal, signer, at))

    def add(self, name: str, attests: str = "agent", org: str = "acme", **more: Any) -> Bearer:
        bearer, key = keys.make(attests, AT - HOUR)
        self.tell(Principal(org=org, principal=name, keys=(key,), **more))
        return bearer

    def scan(self, *records: Incoming) -> list[Any]:
        return [decode(o.value) for o in Scan(SECRET, self.directory).step(3, records, lambda _: None).out]


@pytest.fixture
def there() -> Deployment:
    return Deployment()


def refused(sent: list[Any]) -> bool:
    """Whether a message was refused as an access breach, in a receipt and in the journal, and nothing else came of it."""
    kinds = [(type(record), record.reason) for record in sent if isinstance(record, Receipt | Decision)]
    breach = kinds == [(Receipt, "access_breach"), (Decision, "access_breach")] and len(sent) == 2
    return breach and sent[0].end == "refused" and sent[1].chain == "restricted"


@pytest.mark.parametrize("record", [*EACH, Principal(org="acme", principal=ONE), Exposure(org="acme", agent=ONE, process="p", sequence=1)])
def test_nothing_is_taken_without_a_signature(there: Deployment, record: Any) -> None:
    assert refused(there.scan(message(record, None)))
    assert not refused(there.scan(message(record)))


def test_a_key_speaks_for_its_own_agent(there: Deployment) -> None:
    one, two = (Signer.of(there.add(name)) for name in (ONE, TWO))
    [seen] = there.scan(message(RUN, one))
    assert isinstance(seen, RunSeen)
    assert refused(there.scan(message(RUN, two)))


def test_a_key_speaks_for_its_own_organisation(there: Deployment) -> None:
    """Also where another organisation has an agent of the same name, and a key that is known."""
    there.add(ONE)
    other = Signer.of(there.add(ONE, org="globex"))
    assert refused(there.scan(message(RUN, other)))


def test_a_payload_that_was_changed_is_refused(there: Deployment) -> None:
    signed = message(RUN, Signer.of(there.add(ONE)))
    assert refused(there.scan(replace(signed, value=encode(replace(RUN, goal="another")))))


def test_a_signature_of_another_topic_is_refused(there: Deployment) -> None:
    signer = Signer.of(there.add(ONE))
    value = encode(RUN)
    assert refused(there.scan(replace(message(RUN), headers=[signer.header("outcomes", "acme", value)])))


def test_the_operator_speaks_for_anybody(there: Deployment) -> None:
    for record in EACH:
        assert not refused(there.scan(message(record)))
    assert refused(there.scan(message(RUN, Signer.operator(b"another secret"))))


def test_what_the_operator_passes_on_is_its_senders(there: Deployment) -> None:
    """What comes over HTTP is signed for the key that it came with."""
    one, two = there.add(ONE, "ci"), there.add(TWO)
    [reported] = there.scan(message(OUTCOME, OPERATOR.for_key(one.key_id)))
    assert reported.attested_by == "ci"
    assert refused(there.scan(message(OUTCOME, OPERATOR.for_key(two.key_id))))
    assert refused(there.scan(message(OUTCOME, OPERATOR.for_key("ab" * 8))))


@pytest.mark.parametrize(
    ("attests", "verified_by", "attested"),
    [
        ("agent", "ci", "agent"),
        ("agent", None, "agent"),
        ("ci", "ci", "ci"),
        ("ci", "human", "agent"),
        ("ci", None, "agent"),
        ("customer", "customer", "customer"),
    ],
)
def test_what_an_outcome_is_attested_by(there: Deployment, attests: str, verified_by: str | None, attested: str) -> None:
    """SPEC 5.7: `attested_by` is what its key's role allows it to say, `agent` where none."""
    signer = Signer.of(there.add(ONE, attests))
    [reported] = there.scan(message(replace(OUTCOME, verified_by=verified_by), signer))
    assert isinstance(reported, OutcomeReported)
    assert (reported.verified_by, reported.attested_by) == (verified_by, attested)


def test_the_operator_attests_nothing(there: Deployment) -> None:
    """SPEC 5.7: what is sent in an agent's name by him is that agent's word."""
    [reported] = there.scan(message(OUTCOME))
    assert reported.attested_by == "agent"


def test_a_key_counts_from_when_it_was_added_until_it_was_revoked(there: Deployment) -> None:
    """By the broker's time of the message: a replay reads each as it was read the first time."""
    bearer, key = keys.make("agent", AT - HOUR)
    there.tell(Principal(org="acme", principal=ONE, keys=(key,)), AT - HOUR)
    there.tell(Principal(org="acme", principal=ONE, keys=(replace(key, revoked_at=AT + HOUR),)), AT + HOUR)
    signer = Signer.of(bearer)
    taken = {hours: not refused(there.scan(message(RUN, signer, AT + hours * HOUR))) for hours in (-2, -1, 0, 1, 2)}
    assert taken == {-2: False, -1: True, 0: True, 1: False, 2: False}


def test_a_key_that_was_just_added_is_looked_for(there: Deployment) -> None:
    """Whoever added it may use it at once, though the directory has not heard of it yet."""
    there.directory.refresh()
    assert not refused(there.scan(message(RUN, Signer.of(there.add(ONE)))))


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(lambda there, p: there.tell(p, signer=None), id="unsigned"),
        pytest.param(
            lambda there, p: there.tell(p, signer=Signer.of(there.add(TWO, roles=(Grant(role="administrator"),)))), id="by another"
        ),
        pytest.param(lambda there, p: there.topic.append(replace(message(p), key=b"acme/agent/two")), id="under another key"),
        pytest.param(lambda there, p: there.topic.append(replace(message(p), value=None)), id="removed"),
    ],
)
def test_nobody_gives_himself_a_key(there: Deployment, how: Any) -> None:
    """Who there is says the operator alone; whatever else stands on the topic changes nothing."""
    before = there.add(ONE)
    bearer, key = keys.make("agent", AT - HOUR)
    how(there, Principal(org="acme", principal=ONE, keys=(key,)))
    assert refused(there.scan(message(RUN, Signer.of(bearer))))
    assert not refused(there.scan(message(RUN, Signer.of(before))))


def test_what_else_is_said_of_an_agent_leaves_its_keys(there: Deployment) -> None:
    there.add(ONE, roles=(Grant(role="analyst"),))
    there.directory.refresh()
    loaded = there.directory.with_keys(Principal(org="acme", principal=ONE, home_space="commons"))
    assert (loaded.home_space, len(loaded.keys), [grant.role for grant in loaded.roles]) == ("commons", 1, ["analyst"])
    assert there.directory.with_keys(RUN_OF_ANOTHER) is RUN_OF_ANOTHER


RUN_OF_ANOTHER = Principal(org="acme", principal="agent/new")


def test_an_open_deployment_takes_what_is_unsigned_and_nothing_forged() -> None:
    there = Deployment(unsigned=True)
    assert not refused(there.scan(message(RUN, None)))
    forged = replace(message(RUN), headers=[(HEADER, b"ab:" + b"A" * 88)])
    assert refused(there.scan(forged))
    assert refused(there.scan(message(RUN, Signer.of(there.add(TWO)))))


@pytest.mark.parametrize(
    ("grant", "review", "may"),
    [
        (Grant(role="reviewer"), REVIEW, True),
        (Grant(role="reviewer", space="department/support"), REVIEW, True),
        (Grant(role="reviewer", space="commons"), REVIEW, False),
        (Grant(role="reader"), REVIEW, False),
        (Grant(role="reviewer"), replace(REVIEW, reviewer="person/paul"), False),
        (Grant(role="reviewer", space="commons"), replace(REVIEW, agent=ONE, space=None), False),
        (Grant(role="reviewer"), replace(REVIEW, act="erase", subject="public/1", names=("rule",), space=None), False),
        (Grant(role="administrator"), replace(REVIEW, act="erase", subject="public/1", names=("rule",), space=None), True),
        (Grant(role="administrator"), REVIEW, True),
        (Grant(role="reviewer", space="department/support"), replace(REVIEW, agent=ONE, space=None), True),
        (Grant(role="reviewer"), BAN, False),
        (Grant(role="administrator"), BAN, True),
        (Grant(role="administrator", space="department/support"), BAN, True),
        (Grant(role="administrator", space="commons"), BAN, False),
    ],
)
def test_a_review_needs_its_role(there: Deployment, grant: Grant, review: Review, may: bool) -> None:
    """SPEC 10.1: in the space that it is about, or in the whole organisation."""
    there.add(ONE, home_space="department/support")
    signer = Signer.of(there.add("person/mina", kind="person", roles=(grant,)))
    sent = there.scan(message(review, signer))
    assert refused(sent) is not may
    assert not may or isinstance(sent[0], Reviewed | Decision)


@pytest.mark.parametrize("kind", ["tool", "hook"])
def test_a_runner_records_what_it_started_and_signs_nothing(there: Deployment, kind: str) -> None:
    """SPEC 10.5: whatever roles it was given; and it has no space that anything of it could be promoted to."""
    roles = (Grant(role="reviewer"), Grant(role="administrator"))
    signer = Signer.of(there.add("tool/nightly", kind=kind, roles=roles))
    assert refused(there.scan(message(replace(REVIEW, reviewer="tool/nightly"), signer)))
    assert refused(there.scan(message(replace(BAN, reviewer="tool/nightly"), signer)))
    told = there.scan(message(replace(RUN, agent="tool/nightly"), signer))
    assert any(isinstance(record, RunSeen) for record in told)
    assert not any(isinstance(record, AgentChanged) for record in told)


def test_who_there_is_is_told_with_keys_and_roles(there: Deployment) -> None:
    """A person is no agent: nothing goes to a log of his."""
    _, key = keys.make("ci", AT + HOUR)
    roles = (Grant(role="reviewer", space="commons"),)
    person = Principal(org="acme", principal="person/mina", kind="person", keys=(key,), roles=roles)
    [identity] = there.scan(message(person))
    assert isinstance(identity, Identity)
    assert (identity.principal, identity.kind, identity.roles) == ("person/mina", "person", roles)
    assert identity.keys == (replace(key, added_at=AT),)
    kinds = [type(record) for record in there.scan(message(Principal(org="acme", principal=ONE)))]
    assert kinds == [Identity, AgentChanged]


def test_the_newest_that_is_said_of_somebody_has_the_highest_revision(there: Deployment) -> None:
    principal = Principal(org="acme", principal="person/mina", kind="person")
    order = [message(principal, at=AT, offset=7), message(principal, at=AT, offset=8), message(principal, at=AT + HOUR, offset=2)]
    revisions = [there.scan(m)[0].revision for m in order]
    assert revisions == sorted(set(revisions))
