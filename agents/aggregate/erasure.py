"""What an entity's erasure takes back of an agent's evidence, and what it tells of it (SPEC 8.3, 5.10).

Outcomes of runs that met it are retracted and the learnings counted again; learnings stay. What waits of such runs goes. Claims and
episodes stand in ClickHouse and on topics: there they go by what `Erased` says.
"""

from collections import Counter
from dataclasses import replace

from agents.aggregate import keys
from agents.aggregate.credits import OWN_KEY, RETRACTED, count_again, kept_outcomes
from agents.aggregate.entities import ERASED, note_erased
from agents.aggregate.runs import kept_runs
from agents.aggregate.turn import Turn
from agents.aggregate.waiting import drop_amendments, withdraw
from schemas.ids import short_hash
from schemas.partition import log_hash
from schemas.records import Decision, EntityErased, Erased, KeptOutcome, KeptRun, Met, MetBy, PoolCredited, Target

_COUNTED = ("episodes", "claims", "outcomes", "waiting", "learnings", "credits")


def take_erasure(turn: Turn, erasure: EntityErased) -> None:
    """Erase what agents of this partition keep of an entity. One that nobody here met is told too, with nothing erased."""
    entity, told = bytes.fromhex(erasure.entity), Counter[str]()
    index = keys.met_by(erasure.org, entity)
    by = turn.view.get(MetBy, index) or MetBy()
    for agent in by.agents:
        turn.agent = agent
        told += _of_agent(turn, entity, erasure.requested_by)
    turn.agent = ""
    erased_at = max(erasure.received_at, by.erased_at or erasure.received_at)
    turn.view.put(index, MetBy(erased_at=erased_at))
    _tell(turn, erasure, {name: told[name] for name in _COUNTED})


def _tell(turn: Turn, erasure: EntityErased, told: dict[str, int]) -> None:
    s, partition = erasure.source, turn.record.partition
    receipt = f"{s.topic}:{s.partition}:{s.offset}"
    erased = Erased(
        org=erasure.org,
        erasure=receipt,
        entity=erasure.entity,
        partition=partition,
        requested_by=erasure.requested_by,
        at=erasure.received_at,
        **told,
    )
    turn.send("erased", f"{erasure.org}/{receipt}/{partition}", erased, log_hash(erasure.org))
    if any(told.values()):
        decision = Decision(
            source=turn.decision_source(),
            decision_id=short_hash(f"erased\0{s.epoch}\0{receipt}\0{partition}".encode()),
            org=erasure.org,
            chain="restricted",
            actor="aggregate",
            decision=ERASED,
            subject=receipt,
            reason=erasure.requested_by,
            figures={"entity": erasure.entity, "partition": str(partition), **{name: str(n) for name, n in told.items()}},
            at=erasure.received_at,
        )
        turn.send("decisions", erasure.org, decision, log_hash(erasure.org))


def _of_agent(turn: Turn, entity: bytes, by: str) -> Counter[str]:
    key = keys.met(turn.org, turn.agent, entity)
    met = turn.view.get(Met, key) or Met(episodes=0)
    turn.view.put(key, None)
    told = Counter(episodes=met.episodes, claims=len(met.claims))
    kept = kept_runs(turn)
    runs = {kept.id(number): (number, run) for number, run in kept.after(KeptRun, -1) if entity in run.entities}
    for number, run in runs.values():
        kept.change(number, replace(run, entities=tuple(e for e in run.entities if e != entity)))
    if runs:
        note_erased(turn, list(runs))
        told["waiting"] += drop_amendments(turn, set(runs), ERASED)
        _retract(turn, set(runs), by, told)
    return told


def _retract(turn: Turn, runs: set[bytes], by: str, told: Counter[str]) -> None:
    """Take back the outcomes that name one of some runs, as far as they count as kept."""
    kept = kept_outcomes(turn)
    for number, outcome in kept.after(KeptOutcome, kept.oldest - 1):
        if outcome.place != number or outcome.result == RETRACTED or kept.link(number) not in runs:
            continue
        kept.change(number, replace(outcome, result=RETRACTED))
        told["outcomes"] += 1
        for target in outcome.targets:
            if not target.own:
                _from_pool(turn, outcome, target, kept.id(number).hex())
                told["credits"] += 1
            elif (credit := withdraw(turn, number, target.subject)) is not None:
                turn.receipt(f"credit:{credit.part}", "refused", ERASED, id_=credit.receipt)
                told["waiting"] += 1
            elif _recount(turn, number, target, by):
                told["learnings"] += 1


def _recount(turn: Turn, number: int, target: Target, by: str) -> bool:
    work = turn.learning(target.subject) if target.since is not None else None
    if work is None or work.since != target.since or not count_again(turn, work, number, ERASED, RETRACTED, target.helpful):
        return False
    first = not work.changed
    work.cause(RETRACTED, ERASED, by, turn.at)
    return first


def _from_pool(turn: Turn, outcome: KeptOutcome, target: Target, of: str) -> None:
    s = turn.source
    credited = PoolCredited(
        source=turn.crossing_source(),
        sender=turn.record.partition,
        org=turn.org,
        shared_id=target.subject,
        wording=target.wording or "",
        voter=turn.ids.agent(turn.agent),
        outcome=of,
        amends=True,
        applied=target.applied,
        helpful=target.helpful,
        result=RETRACTED,
        causal_confidence=outcome.causal_confidence,
        entries=outcome.entries,
        verified=outcome.verified,
        attested_by=OWN_KEY,
        receipt=f"{s.topic}:{s.partition}:{s.offset}#credit",
        agent_log=turn.log,
        at=turn.at,
    )
    turn.send("candidates", target.subject, credited, target.log)
