"""How a learning that was touched is concluded: expiry, time to live, gate, and the version that tells of it (SPEC 2.8, 2.12, 6.1-6.3)."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from agents.acts import DONE
from agents.aggregate import keys
from agents.aggregate.evidence import posterior, trust
from agents.aggregate.gate import ALL, Standing, bits, crossing_fields, judge
from agents.aggregate.importance import judged
from agents.aggregate.privacy import in_effect
from agents.aggregate.recount import now
from agents.aggregate.timers import wake
from agents.aggregate.turn import Turn, Work, log_of, new_agent, read_confidence
from schemas.ids import ids_of, short_hash
from schemas.partition import log_hash
from schemas.records import (
    AgentState,
    CandidateCleared,
    CandidateWithdrawn,
    Cause,
    Counter,
    Decision,
    Dimension,
    EvidenceState,
    Floor,
    Learning,
    LearningState,
)

REST = timedelta(days=1)
"""A learning that lost the gate becomes a candidate again a day later at the soonest (SPEC 2.12)."""
NOWHERE = "personal"


def settle(turn: Turn, work: Work) -> None:
    """What time and the gate make of a learning that the record touched."""
    same = work.before is not None and work.before[0] is work.learning and now(work.before[1].points) == now(work.evidence.points)
    if same and work.review is None:
        work.changed = False  # what an outcome moved, an amendment that had overtaken it took back at once
    _expire(turn, work)
    _judge(turn, work)


def conclude(turn: Turn, work: Work) -> None:
    """Keep a settled learning, and send its version where it has a new one, else what of it changed without."""
    if work.changed or work.shown or work.accepted:
        evidence = work.evidence
        work.evidence = replace(evidence, version=evidence.version + work.changed, revision=evidence.revision + 1)
    _keep(turn, work)
    if work.changed:
        version = _version(turn, work)
        turn.send("entries", f"{work.learning_id}/{version.version}", version, log_of(version.org, version.agent))
        _cross(turn, work, version)
        _decide(turn, work, version)
    elif work.shown:
        _show(turn, work)


def _expire(turn: Turn, work: Work) -> None:
    learning, evidence = work.learning, work.evidence
    if evidence.state == "held" and learning.held_until and learning.held_until <= turn.clock:
        work.cause("expired", None, None, turn.clock)
        work.evidence = replace(evidence, state="expired")
    elif evidence.state == "active" and learning.ttl_at and learning.ttl_at <= turn.clock:
        work.cause("ttl", None, None, turn.clock)
        work.evidence = replace(evidence, state="archived")


def _agent(turn: Turn, learning: LearningState) -> AgentState:
    return turn.view.get(AgentState, keys.agent(learning.org, learning.agent)) or new_agent(learning.org, learning.agent)


def _judge(turn: Turn, work: Work) -> None:
    """Judge the gate and move `crossing`."""
    learning, evidence, agent = work.learning, work.evidence, _agent(turn, work.learning)
    enabled = agent.hosted if agent.shared_learning is None else agent.shared_learning
    bindings = len(learning.value_bindings)
    standing = Standing(in_effect(learning), evidence.state, evidence.visibility, bindings, enabled, now(evidence.points))
    work.conditions = judge(standing, turn.policy)
    holds = bits(work.conditions)
    if holds != evidence.holds:
        work.cause("agent", None, None, turn.clock)
        evidence = replace(evidence, holds=holds)
    if evidence.crossing == "candidate" and holds != ALL:
        evidence = replace(evidence, crossing="withdrawn", withdrawn_at=turn.clock, cleared_space=None)
        wake(turn.view, turn.clock + REST, keys.evidence(work.learning_id))
    elif holds == ALL and _may_clear(turn, evidence):
        work.cause("agent", None, None, turn.clock)
        evidence = replace(evidence, crossing="candidate", withdrawn_at=None, cleared_space=agent.home_space)
    work.evidence = evidence


def _may_clear(turn: Turn, evidence: EvidenceState) -> bool:
    if evidence.crossing == "withdrawn":
        return evidence.withdrawn_at is not None and evidence.withdrawn_at + REST <= turn.clock
    return evidence.crossing == "none"


def _keep(turn: Turn, work: Work) -> None:
    before = work.before or (None, None)
    if work.learning is not before[0]:
        turn.view.put(keys.wording(work.learning_id), work.learning)
    if work.evidence != before[1]:
        turn.view.put(keys.evidence(work.learning_id), work.evidence)


def _version(turn: Turn, work: Work) -> Learning:
    learning, evidence = work.learning, work.evidence
    figures = now(evidence.points)
    read = read_confidence(learning, evidence)
    importance, known = judged(turn.evaluate, learning, evidence)
    privacy = in_effect(learning)
    floored = learning.floor != "none" and (privacy != learning.stated or learning.lifted_by is not None)
    floor = Floor(stated=learning.stated, floored_to=learning.floor, reason=learning.floor_reason or "", lifted_by=learning.lifted_by)
    return Learning(
        org=learning.org,
        agent=learning.agent,
        learning_id=work.learning_id,
        branch=learning.branch,
        entry_key=learning.entry_key,
        version=evidence.version,
        revision=evidence.revision,
        rule=learning.rule,
        value=learning.value,
        cue=learning.cue,
        tools=learning.tools,
        goal_phrases=learning.goal_phrases,
        memory_type=learning.memory_type,
        kind=learning.kind,
        privacy=privacy,
        producer=learning.producer,
        run_id=learning.run_id,
        session=learning.session,
        written_at=learning.written_at,
        pattern_refs=learning.pattern_refs,
        work_area=learning.work_area,
        space=learning.space,
        home_space=_agent(turn, learning).home_space,
        is_artifact=learning.is_artifact,
        ttl_at=learning.ttl_at,
        importance=importance,
        dimensions=tuple(Dimension(name=name, figure=figure) for name, figure in sorted(known.items())),
        value_bindings=learning.value_bindings,
        environment=learning.environment,
        applies_to=learning.applies_to,
        prior=learning.prior,
        confidence=read,
        applied=figures.applied,
        helpful=figures.helpful,
        success_count=figures.success_count,
        failure_count=figures.failure_count,
        mass_success=figures.mass_success,
        mass_failure=figures.mass_failure,
        evidence_status=posterior(learning.prior, figures).status,
        trust=trust(figures),
        independent=figures.independent,
        validators=0,
        state=evidence.state,
        crossing=evidence.crossing,
        visibility=evidence.visibility,
        tier=evidence.tier,
        recall_count=evidence.recall_count,
        cause=Cause(
            what=work.what,
            id=work.id,
            by=work.by,
            confidence_before=read_confidence(*work.before) if work.before else None,
            confidence_after=read,
        ),
        moves=tuple(work.moves),
        floor=floor if floored else None,
        contradicts=learning.contradicts,
        hold=learning.hold if evidence.state == "held" else None,
        wording=evidence.wording,
        gate=work.conditions,
        at=work.at,
        source_goal=learning.source_goal,
    )


def _cross(turn: Turn, work: Work, version: Learning) -> None:
    """Tell the pool of the home space: what it had from this learning has lost the gate, what cleared it is there."""
    was = work.before[1] if work.before else None
    if work.evidence.cleared_space is None and (was is None or was.cleared_space is None):
        return
    ids = ids_of(turn.secret, version.org)
    still = work.evidence.crossing == "candidate" and was is not None and was.wording == version.wording and was.cleared_space is not None
    if was is not None and was.cleared_space not in (None, NOWHERE) and not still:
        space = was.cleared_space or NOWHERE
        withdrawn = CandidateWithdrawn(
            source=turn.crossing_source(),
            sender=turn.record.partition,
            org=version.org,
            space=space,
            shared_id=ids.shared(space, work.learning_id, was.wording),
            learning_id=work.learning_id,
            donor=ids.agent(version.agent),
            reason="superseded" if was.wording != version.wording else next(c.condition for c in version.gate if not c.holds),
            at=version.at,
        )
        turn.send("candidates", work.learning_id, withdrawn, log_hash(version.org, space))
    space = work.evidence.cleared_space or NOWHERE
    if work.evidence.crossing == "candidate" and space != NOWHERE and not still:
        cleared = CandidateCleared(
            source=turn.crossing_source(),
            sender=turn.record.partition,
            org=version.org,
            space=space,
            shared_id=ids.shared(space, work.learning_id, version.wording),
            learning_id=work.learning_id,
            donor=ids.agent(version.agent),
            version=version.version,
            independent=version.independent,
            wording=version.wording,
            gate=version.gate,
            at=version.at,
            **crossing_fields(version),
        )
        turn.send("candidates", work.learning_id, cleared, log_hash(version.org, space))


def _decide(turn: Turn, work: Work, version: Learning) -> None:
    """What of it goes to the restricted journal: held, released, superseded, expired, and what reviewers did (SPEC 4.4)."""
    was = work.before[1] if work.before else None
    if (review := work.review) is not None:
        decision = "released" if review.act == "approve" else DONE[review.act]
        texts = {"reason": review.reason} if review.reason else {}
        if decision == "rejected":
            texts |= {name: text for name, text in (("rule", version.rule), ("value", version.value)) if text is not None}
        _tell(turn, version, review.reviewer, decision, "review", texts)
    was_held = was is not None and was.state == "held"
    another = was is not None and was.wording != version.wording
    if was_held and another:
        _tell(turn, version, "gate", "superseded", work.what)
    if version.state == "held" and (not was_held or another):
        _tell(turn, version, "gate", "held", version.hold or "")
    elif version.state == "expired" and was_held:
        _tell(turn, version, "gate", "expired", work.learning.hold or "")
    elif version.state == "active" and was_held and not another and review is None:
        _tell(turn, version, "gate", "released", work.what)


def _tell(turn: Turn, version: Learning, actor: str, decision: str, reason: str, texts: Mapping[str, str] | None = None) -> None:
    record = Decision(
        source=turn.decision_source(),
        decision_id=short_hash(f"{version.learning_id}/{version.version}/{decision}".encode()),
        org=version.org,
        chain="restricted",
        actor=actor,
        decision=decision,
        subject=version.learning_id,
        reason=reason,
        texts=texts or {},
        at=version.at,
    )
    turn.send("decisions", version.org, record, log_hash(version.org))


def _show(turn: Turn, work: Work) -> None:
    counter = Counter(
        org=work.learning.org,
        agent=work.learning.agent,
        learning_id=work.learning_id,
        revision=work.evidence.revision,
        recall_count=work.evidence.recall_count,
        tier=work.evidence.tier,
        at=work.at,
    )
    turn.send("counters", work.learning_id, counter, log_of(work.learning.org, work.learning.agent))
