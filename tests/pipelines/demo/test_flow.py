"""The office through the cores of all agents, in memory: nothing planted comes through, and the counts are those of the recount."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agents.aggregate.core import Aggregate
from agents.aggregate.gate import GatePolicy
from agents.binding.batch import Core, Incoming
from agents.journal.chain import CHAINS
from agents.journal.core import Journal
from agents.journal.keys import key_id
from agents.journal.verify import verify
from agents.promote.core import Promote
from agents.scan.core import Scan
from agents.scan.directory import Directory
from pipelines.demo.office import ORG, Office, office
from pipelines.demo.recount import recount
from pipelines.produce import KINDS, message_key
from pipelines.readers import READERS
from schemas import codec
from schemas.jsonform import parse
from schemas.problem import Problem
from schemas.records import Learning, Receipt, SharedLearning

SECRET = b"s" * 32
KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
START = datetime(2026, 12, 1, tzinfo=UTC)
BATCH = 100


class Flow:
    """Every topic with one partition, and every agent."""

    def __init__(self) -> None:
        self.topics: defaultdict[str, list[Incoming]] = defaultdict(list)
        self._cores: dict[str, Core] = {
            "scan": Scan(SECRET, Directory(SECRET, admits_unsigned=True)),
            "aggregate": Aggregate(SECRET, GatePolicy()),
            "promote": Promote(SECRET, 0.85),
            "journal": Journal(SECRET, KEY),
        }
        self._read: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._states: dict[str, dict[bytes, bytes | None]] = {name: {} for name in self._cores}

    def send(self, topic: str, record: dict[str, Any]) -> None:
        parsed = parse(KINDS[topic], record)
        assert not isinstance(parsed, Problem)
        self._append(topic, message_key(parsed), codec.encode(parsed))

    def settle(self) -> None:
        """Until nobody has anything left to read; agents are in the order in which records flow."""
        for name, core in self._cores.items():
            for topic in READERS[name]:
                while batch := self.topics[topic][self._read[name, topic] :][:BATCH]:
                    self._read[name, topic] += len(batch)
                    result = core.step(0, batch, self._states[name].get)
                    for out in result.out:
                        self._append(out.topic, out.key, out.value)
                    self._states[name].update(result.states)

    def records(self, topic: str) -> Iterator[Any]:
        return (codec.decode(message.value) for message in self.topics[topic])

    def _append(self, topic: str, key: bytes, value: bytes | None) -> None:
        offset = len(self.topics[topic])
        self.topics[topic].append(Incoming(topic, "e", 0, offset, START + timedelta(seconds=offset), key, value))


@pytest.fixture(scope="module")
def made() -> Office:
    return office()


@pytest.fixture(scope="module")
def flow(made: Office) -> Flow:
    flow = Flow()
    for agent in made.agents:
        flow.send("principals", agent)
    for phase in made.phases:
        for record in phase.records:
            flow.send(phase.topic, record)
        flow.settle()
    return flow


def test_counts_privacy_holds_and_gate_equal_the_recount(made: Office, flow: Flow) -> None:
    newest: dict[tuple[str, str, str], Learning] = {}
    for learning in flow.records("entries"):
        newest[learning.org, learning.agent, learning.entry_key] = learning
    expected = recount(made.agents, made.phases, made.planted)
    clears = expected.candidates()
    counted = {
        key: (v.applied, v.helpful, v.privacy, v.state == "held", all(condition.holds for condition in v.gate)) for key, v in newest.items()
    }
    assert counted == {key: (c.applied, c.helpful, c.privacy, c.held, key in clears) for key, c in expected.counts.items()}


def test_nothing_planted_leaves_the_raw_side(made: Office, flow: Flow) -> None:
    for topic, messages in flow.topics.items():
        if topic not in ("runs", "outcomes"):
            text = b"\0".join(b"%s\0%s" % (m.key, m.value or b"") for m in messages)
            assert [planted.kind for planted in made.planted if planted.value.encode() in text] == [], topic


def test_every_part_has_its_end(made: Office, flow: Flow) -> None:
    """SPEC 9.3"""
    ends = {(r.id, r.part): (r.end, r.reason) for r in flow.records("receipts") if isinstance(r, Receipt)}
    told = Counter(ends.values())
    assert told["dead_lettered", "conflict"] == 1
    assert told["waiting", "unknown_entry"] == 1
    assert told["duplicate", "duplicate"] >= 30


def test_every_decision_is_in_the_journal(flow: Flow) -> None:
    """SPEC 6.8: once each, in chains that are whole."""
    keys = {key_id(KEY.public_key()): KEY.public_key()}
    entries = list(flow.records("journal"))
    assert sorted(e.decision_id for e in entries) == sorted({d.decision_id for d in flow.records("decisions")})
    for chain in CHAINS:
        assert verify(ORG, chain, [e for e in entries if e.chain == chain], keys).ok


def test_departments_share_and_the_personal_space_does_not(flow: Flow) -> None:
    pool = {shared.shared_id: shared for shared in flow.records("shared") if isinstance(shared, SharedLearning)}
    assert {shared.space for shared in pool.values()} == {"department/support", "department/platform"}
    assert any(shared.validators > 1 for shared in pool.values())
    assert any(shared.crossing == "withdrawn" for shared in pool.values())
