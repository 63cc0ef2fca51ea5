"""What the product's own `aggregate` core takes: outcomes a second of a core, and how the cost grows with the learnings that are kept."""

import gc
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from agents.aggregate.core import Aggregate
from agents.aggregate.gate import GatePolicy
from agents.binding.batch import Incoming
from schemas.codec import encode
from schemas.ids import agent_log, ids_of
from schemas.records import AgentChanged, Credit, Episode, LearningProposed, OutcomeReported, RunSeen, Source

ORG = "acme"
LEARNINGS_AN_AGENT = 100
BATCH = 1_000
AT_WORK = 100
"""Agents that the outcomes of a batch come from."""
_SECRET = b"benchmark" * 4
_START = datetime(2026, 3, 1, tzinfo=UTC)
_IDS = ids_of(_SECRET, ORG)


def agent_name(number: int) -> str:
    """Names of one length, so that what is kept of one agent can be made into what is kept of another."""
    return f"agent/support-{number:06d}"


def learning_id(number: int, of: int) -> str:
    """Id of one of an agent's learnings."""
    return _IDS.learning(agent_name(number), "main", f"support/refunds/pattern-{of}")


class Log:
    """A partition of `learnings`, as scan writes it, and the table that the core keeps."""

    def __init__(self) -> None:
        self.core = Aggregate(_SECRET, GatePolicy())
        self.table: dict[bytes, bytes] = {}
        self._offset = 0

    def incoming(self, record: object) -> Incoming:
        """A record at the log's end."""
        self._offset += 1
        at = _START + timedelta(milliseconds=self._offset)
        return Incoming("learnings", "bench", 0, self._offset - 1, at, b"", encode(record))

    def source(self, topic: str, index: int = 0) -> Source:
        """Where the next record comes from."""
        return Source(topic=topic, epoch="bench", partition=0, offset=self._offset, index=index)

    def take(self, batch: list[Incoming]) -> None:
        """A batch, as the binding gives it."""
        result = self.core.step(0, batch, self.table.get)
        for key, value in result.states.items():
            if value is None:
                self.table.pop(key, None)
            else:
                self.table[key] = value


def loaded(log: Log, number: int) -> Iterator[Incoming]:
    """An agent with its learnings."""
    agent = agent_name(number)
    told: dict[str, Any] = {"sender": 0, "org": ORG, "agent": agent, "received_at": _START}
    yield log.incoming(AgentChanged(source=log.source("principals"), home_space="commons", producer="agent", hosted=True, **told))
    times: dict[str, Any] = {"started_at": _START, "ended_at": _START, "received_at": _START}
    episode = Episode(org=ORG, agent=agent, run_id="r", attempt=1, times_told=True, producer="agent", cue="refund", **times)
    source, content = log.source("runs"), _IDS.content("r")
    seen: dict[str, Any] = {"run_id": "r", "content": content, "proposals": LEARNINGS_AN_AGENT, "episode": episode, "claims": ()}
    yield log.incoming(RunSeen(source=source, floor="none", **seen, **told))
    for of in range(LEARNINGS_AN_AGENT):
        rule = f"check the status of the order before the refund is made, case {of}"
        yield log.incoming(
            LearningProposed(
                source=Source(topic="runs", epoch="bench", partition=0, offset=source.offset, index=of + 1),
                part=of,
                learning_id=learning_id(number, of),
                run_id="r",
                written_at=_START,
                wording=_IDS.wording(rule, None),
                entry_key=f"support/refunds/pattern-{of}",
                rule=rule,
                value=None,
                branch="main",
                cue="a refund that the customer asks for twice",
                memory_type="procedure",
                kind="memory",
                privacy="shareable",
                floor="none",
                floor_reason=None,
                confidence=0.7,
                is_artifact=False,
                hold_hard=False,
                producer="agent",
                **told,
            )
        )


def outcomes(log: Log, number: int, agents: Sequence[int]) -> list[Incoming]:
    """Outcomes of some agents, of 1 to 3 of their learnings each."""
    random_ = random.Random(log.source("outcomes").offset)
    made = []
    for _ in range(number):
        of = random_.choice(agents)
        credited = random_.sample(range(LEARNINGS_AN_AGENT), random_.randint(1, 3))
        success = random_.random() < 0.8
        name = f"o-{random_.getrandbits(64):016x}"
        made.append(
            log.incoming(
                OutcomeReported(
                    source=log.source("outcomes"),
                    sender=0,
                    org=ORG,
                    agent=agent_name(of),
                    outcome_id=name,
                    content=_IDS.content(name),
                    at=_START,
                    at_told=True,
                    received_at=_START,
                    result="success" if success else "failure",
                    attested_by="agent",
                    causal_confidence=0.9,
                    verified_by="ci" if random_.random() < 0.5 else None,
                    parts=len(credited),
                    credits=tuple(
                        Credit(
                            part=part,
                            own=True,
                            subject=learning_id(of, which),
                            log=agent_log(ORG, agent_name(of)),
                            applied=True,
                            helpful="yes" if success else "no",
                            entry_key=f"support/refunds/pattern-{which}",
                        )
                        for part, which in enumerate(credited)
                    ),
                )
            )
        )
    return made


def populate(log: Log, agents: int) -> None:
    """Fill the table: one agent through the core, the others as copies of what it keeps."""
    log.take(list(loaded(log, 0)))
    own = {key: value for key, value in log.table.items() if key != b"P"}
    mine = [learning_id(0, of) for of in range(LEARNINGS_AN_AGENT)]
    name = agent_name(0).encode()
    for number in range(1, agents):
        other = agent_name(number).encode()
        ids = {a: learning_id(number, of) for of, a in enumerate(mine)}
        for key, value in own.items():
            log.table[_renamed(key, name, other, ids)] = _renamed(value, name, other, ids)


def _renamed(data: bytes, name: bytes, other: bytes, ids: dict[str, str]) -> bytes:
    data = data.replace(name, other)
    if data[:2] in (b"L:", b"E:"):
        return data[:2] + bytes.fromhex(ids[data[2:].hex()])
    return data


@dataclass(slots=True)
class Cost:
    """CPU seconds that so many outcomes took beside so many learnings. `warm`: batch after batch of the same agents; `cold`: of others in
    each batch, whose values are read anew; None where there are too few."""

    learnings: int
    outcomes: int
    warm: float
    cold: float | None
    kind: str = "aggregate"


def cost(learnings: int, number: int = 5_000) -> Cost:
    """Measure it. As many agents are at work at whatever size: what grows is what is kept."""
    log = Log()
    agents = learnings // LEARNINGS_AN_AGENT
    populate(log, agents)
    batches = number // BATCH
    some = list(range(AT_WORK))
    gc.collect()
    gc.freeze()  # as a worker does with what it has loaded
    warm = _taken(log, [some] * (batches + 1))
    others = [[agent + AT_WORK * n for agent in some] for n in range(1, batches + 2)]
    cold = _taken(log, others) if others[-1][-1] < agents else None
    gc.unfreeze()
    return Cost(learnings, number, warm, cold)


def _taken(log: Log, at_work: Sequence[Sequence[int]]) -> float:
    """CPU seconds of all batches but the first."""
    batches = [outcomes(log, BATCH, agents) for agents in at_work]
    log.take(batches[0])
    begin = time.process_time()
    for batch in batches[1:]:
        log.take(batch)
    return time.process_time() - begin
