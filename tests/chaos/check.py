"""What a deployment says against what the story says is right."""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer, TopicPartition

from tests.chaos.deployment import Deployment
from tests.chaos.story import Story
from tests.pipeline.flow import PATIENCE_SECONDS

SHOWN = 6
"""So many differences of a kind are told."""
ONCE = ("entries", "shared", "journal")
"""Topics whose keys are told once: what comes again under one must be the same."""


class Tape:
    """What the broker has of some topics, read on from where it was read to."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._values: dict[tuple[str, bytes | None], bytes | None] = {}
        self._next: dict[tuple[str, int], int] = {}
        self.wrong: list[str] = []

    def read(self) -> None:
        """Read what is new."""
        d = self._deployment
        config = {"bootstrap.servers": d.brokers, "group.id": "none", "enable.auto.commit": False, "enable.partition.eof": True}
        consumer = Consumer(config | {"isolation.level": "read_committed", "log_level": 0})
        try:
            there = consumer.list_topics(timeout=30).topics
            places = [(d.prefix + topic, p) for topic in ONCE for p in there[d.prefix + topic].partitions]
            consumer.assign([TopicPartition(topic, p, self._next.get((topic, p), 0)) for topic, p in places])
            left, end = set(places), time.monotonic() + PATIENCE_SECONDS
            while left:
                assert time.monotonic() < end, f"the broker does not give what it has: {sorted(left)[:SHOWN]}"
                for message in consumer.consume(1000, 0.2):
                    place = (str(message.topic()), int(message.partition() or 0))
                    if message.error() is not None:
                        left.discard(place)
                        continue
                    self._next[place] = int(message.offset() or 0) + 1
                    key, value = (place[0].removeprefix(d.prefix), message.key()), message.value()
                    if self._values.setdefault(key, value) != value:
                        self.wrong.append(f"{key[0]} {key[1]!r} was told twice, each time another")
        finally:
            consumer.close()


def wrong(deployment: Deployment, story: Story, tape: Tape) -> list[str]:
    """Everything that is not as it should be; refs of the pool are noted in the story."""
    tape.read()
    return [
        *tape.wrong[:SHOWN],
        *_learnings(deployment, story),
        *_pool(deployment, story),
        *_journal(deployment, story),
        *_ends(deployment, story),
        *_rest(deployment, story),
    ]


def _compare(what: str, told: Mapping[Any, Any], right: Mapping[Any, Any]) -> list[str]:
    keys = [k for k in {**right, **told} if told.get(k) != right.get(k)]
    shown = [f"{what} {k}: {told.get(k)} where {right.get(k)} is right" for k in keys[:SHOWN]]
    return shown + ([f"{what}: {len(keys) - SHOWN} more"] if len(keys) > SHOWN else [])


def _learnings(d: Deployment, story: Story) -> list[str]:
    rows = d.rows("SELECT agent, entry_key, applied, helpful, version, state, crossing FROM learnings FINAL")
    told = {(r[0], r[1]): r[2:] for r in rows}
    for key, learnt in story.learnt.items():
        if learnt.there and not learnt.exact and key in told and 1 <= told[key][2] <= learnt.version:
            learnt.version, learnt.exact = told[key][2], True
    right = {
        key: (x.applied, x.helpful, x.version, "held" if x.held else "active", x.crossing) for key, x in story.learnt.items() if x.there
    }
    versions = d.rows("SELECT agent, entry_key, count(), uniqExact(version), min(version) FROM entries FINAL GROUP BY agent, entry_key")
    whole = {(r[0], r[1]): r[2:] for r in versions}
    return _compare("learning", told, right) + _compare("versions of", whole, {k: (v[2], v[2], 1) for k, v in right.items()})


def _pool(d: Deployment, story: Story) -> list[str]:
    rows = d.rows("SELECT rule, ref, trust, validators, applied, helpful, version, crossing FROM v_pool")
    story.refs = {r[0]: r[1] for r in rows}
    right = {
        p.rule: (p.trust, p.validators, p.applied, p.helpful, p.version, "promoted" if p.validators else "withdrawn")
        for p in story.pool.values()
        if p.version
    }
    versions = d.rows("SELECT rule, count(), uniqExact(version), min(version) FROM shared FINAL GROUP BY rule, shared_id")
    whole = {r[0]: r[1:] for r in versions}
    twice = [f"pool {r!r} is there more than once" for r, n in Counter(r[0] for r in rows).items() if n > 1]
    return [
        *twice[:SHOWN],
        *_compare("pool", {r[0]: r[2:] for r in rows}, right),
        *_compare("versions of", whole, {rule: (v[4], v[4], 1) for rule, v in right.items()}),
    ]


def _journal(d: Deployment, story: Story) -> list[str]:
    told = Counter(
        {(r[0], r[1]): r[2] for r in d.rows(
            "SELECT p.rule, j.decision, count() FROM journal AS j FINAL "
            "LEFT JOIN (SELECT shared_id, rule FROM pool FINAL) AS p ON p.shared_id = j.subject WHERE j.chain = 'public' GROUP BY ALL"
        )}
    )  # fmt: skip
    right = Counter({(p.rule, decision): n for p in story.pool.values() for decision, n in p.decided.items()})
    restricted = dict(d.rows("SELECT toString(decision), count() FROM journal FINAL WHERE chain = 'restricted' GROUP BY decision"))
    held = sum(x.held and x.there for x in story.learnt.values())
    chains = d.rows(
        "SELECT chain, min(sequence), max(sequence) - count(), count() - uniqExact(decision_id) FROM journal FINAL GROUP BY chain"
    )
    return [
        *_compare("journal", told, right),
        *_compare("journal", restricted, {k: n for k, n in (("held", held), ("refused", story.breaches)) if n}),
        *(
            f"journal {chain}: from {first}, {gaps} missing, {twice} twice"
            for chain, first, gaps, twice in chains
            if (first, gaps, twice) != (1, 0, 0)
        ),
    ]


def _ends(d: Deployment, story: Story) -> list[str]:
    """What went in equals stored + held + refused + dead-lettered + duplicate + waiting: each part has its end, and no other has one."""
    told = {(r[0], r[1]): r[2] for r in d.rows("SELECT id, toString(part), toString(end) FROM receipts FINAL")}
    right = {(m.receipt, part): end for m in story.messages for part, end in m.ends.items()}
    letters = {(r[0], r[1]): 1 for r in d.rows("SELECT id, toString(part) FROM dead_letters FINAL")}
    return _compare("part", told, right) + _compare("dead letter", letters, {(m.receipt, p): 1 for m in story.messages for p in m.letters})


def _rest(d: Deployment, story: Story) -> list[str]:
    told = {table: d.rows(f"SELECT count() FROM {table} FINAL")[0][0] for table in ("episodes", "claims")}
    return _compare("number of", told, {"episodes": story.runs, "claims": story.claims})
