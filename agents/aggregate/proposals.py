"""Learnings as runs and direct writes bring them: made, restated, rewritten, held (SPEC 2.8, 2.9, 2.12, 4.2)."""

from dataclasses import replace
from datetime import timedelta

from agents.aggregate import keys
from agents.aggregate.credits import wording_at
from agents.aggregate.importance import novelty, steps
from agents.aggregate.privacy import joined, stricter
from agents.aggregate.recount import UNTESTED, now
from agents.aggregate.reviews import PART, rolled_back
from agents.aggregate.runs import CONFLICT, DUPLICATE, TAKEN, kept_runs
from agents.aggregate.timers import wake
from agents.aggregate.turn import Turn, Work
from agents.aggregate.waiting import release
from schemas.records import AgentState, EvidenceState, KeptRun, LearningList, LearningProposed, LearningState, RunLearning, WordingMark

HELD_FOR = timedelta(days=30)
HELD_WITHOUT_WORDING_FOR = timedelta(days=7)
ARCHIVE = 3
_LIST_PART = 256


def take_proposal(turn: Turn, proposal: LearningProposed, verdict: str, run: int) -> None:
    """Take a learning; `verdict`, `run`: what its run came to, and its number among the kept (-1: none)."""
    part = f"learning:{proposal.part}" if proposal.reviewer is None else PART
    if verdict == DUPLICATE:
        turn.receipt(part, "duplicate", "duplicate")
        return
    if verdict == CONFLICT or (verdict != TAKEN and proposal.run_id is not None):
        reason = "conflict" if verdict == CONFLICT else "unknown_run"
        turn.receipt(part, "dead_lettered", reason)
        turn.dead_letter(part, reason)
        return
    work = turn.learning(proposal.learning_id)
    refused = _refused(turn, work, proposal)
    if refused is not None:
        turn.receipt(part, "refused", refused)
        return
    floor, reason_of_floor = _floor(turn, proposal, run)
    if work is None:
        work = _make(turn, proposal, floor, reason_of_floor)
    elif work.evidence.wording == proposal.wording:
        _restate(turn, work, proposal, floor, reason_of_floor)
    else:
        _rewrite(turn, work, proposal, floor, reason_of_floor)
    for due in (work.learning.held_until, work.learning.ttl_at):
        if due is not None and due > turn.clock:
            wake(turn.view, due, keys.evidence(proposal.learning_id))
    release(turn, work)
    turn.receipt(part, "held" if work.evidence.state == "held" else "stored", work.learning.hold if work.evidence.state == "held" else None)


def _refused(turn: Turn, work: Work | None, proposal: LearningProposed) -> str | None:
    """Why a write is refused, or None: a banned author writes nothing (SPEC 4.9); a rejected wording stays rejected; a rollback is to a
    wording that there was (SPEC 2.8, 2.12)."""
    if proposal.reviewer == proposal.agent:
        return "own"
    if proposal.reviewer is None and turn.state.banned_by is not None:
        return "banned"
    marks = work.learning.wordings if work is not None else ()
    if any(m.rejected and m.wording == proposal.wording for m in marks):
        return "rejected"
    if proposal.rollback_to is None:
        return None
    if work is None or not 1 <= proposal.rollback_to <= work.evidence.version:
        return "unknown_version"
    return None if wording_at(work.learning, proposal.rollback_to) == proposal.wording else "another_wording"


def _floor(turn: Turn, proposal: LearningProposed, run: int) -> tuple[str, str | None]:
    """The floor of the proposal's run with its child runs'; the run remembers that it wrote this."""
    runs = kept_runs(turn)
    kept = runs.entry(KeptRun, run) if run >= 0 else None
    if kept is None:
        return proposal.floor, proposal.floor_reason
    runs.change(run, replace(kept, learnings=(*kept.learnings, RunLearning(learning_id=proposal.learning_id, wording=proposal.wording))))
    if kept.floor == "none":
        return proposal.floor, proposal.floor_reason
    return stricter(proposal.floor, kept.floor), joined(proposal.floor_reason, kept.reason)


def _said(
    turn: Turn, proposal: LearningProposed, floor: str, reason: str | None, marks: tuple[WordingMark, ...], new: float | None
) -> LearningState:
    """What the proposal says, as it is kept; `new`: its novelty."""
    held_for = HELD_WITHOUT_WORDING_FOR if proposal.rule is None else HELD_FOR
    return LearningState(
        org=proposal.org,
        agent=proposal.agent,
        branch=proposal.branch,
        entry_key=proposal.entry_key,
        wordings=marks,
        rule=proposal.rule,
        value=proposal.value,
        cue=proposal.cue,
        tools=proposal.tools,
        goal_phrases=proposal.goal_phrases,
        memory_type=proposal.memory_type,
        kind=proposal.kind,
        stated=proposal.privacy,
        floor=floor,
        floor_reason=reason,
        producer=proposal.producer,
        run_id=proposal.run_id,
        session=proposal.session,
        written_at=proposal.written_at,
        received_at=proposal.received_at,
        pattern_refs=proposal.pattern_refs,
        work_area=proposal.work_area,
        space=proposal.space,
        is_artifact=proposal.is_artifact,
        ttl_at=proposal.ttl_at,
        importance=proposal.importance,
        novelty=new,
        steps=steps(proposal),
        value_bindings=proposal.value_bindings,
        environment=proposal.environment,
        applies_to=proposal.applies_to,
        prior=proposal.confidence,
        hold=proposal.hold,
        hold_hard=proposal.hold_hard,
        held_until=turn.clock + held_for if proposal.hold is not None else None,
        source_goal=proposal.source_goal,
    )


def _make(turn: Turn, proposal: LearningProposed, floor: str, reason: str | None) -> Work:
    learning = _said(turn, proposal, floor, reason, (_mark(1, proposal),), novelty(turn, proposal))
    evidence = EvidenceState(
        version=0,
        revision=0,
        wording=proposal.wording,
        points=UNTESTED,
        state=_state(proposal),
        crossing="none",
        visibility="shown",
        holds=0,
        tier=ARCHIVE,
        recall_count=0,
    )
    work = turn.touched[proposal.learning_id] = Work(proposal.learning_id, learning, evidence, None, turn.at)
    work.cause("created", proposal.run_id, proposal.agent, turn.at)
    _list(turn, proposal.learning_id)
    return work


def _restate(turn: Turn, work: Work, proposal: LearningProposed, floor: str, reason: str | None) -> None:
    """The same wording again: it inherits evidence and hold, adds none (SPEC 5.9), and keeps the stricter floor (SPEC 2.9, 3.11).

    A hold that nobody can clear takes the place of one that a person could (SPEC 4.2); it expires when the first would have.
    """
    old, held = work.learning, work.evidence.state == "held"
    harder = proposal.hold_hard and not old.hold_hard
    said = _said(turn, proposal, stricter(old.floor, floor), joined(old.floor_reason, reason), old.wordings, old.novelty)
    work.learning = replace(
        said,
        prior=old.prior if _tested(work) else said.prior,
        contradicts=old.contradicts,
        lifted_by=old.lifted_by if stricter(old.floor, floor) == old.floor else None,
        hold=old.hold if held and not harder else said.hold,
        hold_hard=(held and old.hold_hard) or said.hold_hard,
        held_until=old.held_until if held else said.held_until,
    )
    work.evidence = replace(work.evidence, state="held" if held else _state(proposal, cleared=old.wordings[-1].cleared))
    _say(turn, work, proposal, "restated")


def _rewrite(turn: Turn, work: Work, proposal: LearningProposed, floor: str, reason: str | None) -> None:
    """Another wording under the same key: it starts untested, and what the old one had crossed is superseded.

    A wording that there was before keeps the floor that it had then, and what a reviewer released.
    """
    old = work.learning
    marks = (*old.wordings[:-1], replace(old.wordings[-1], floor=old.floor, floor_reason=old.floor_reason))
    cleared = False
    for mark in marks:
        if mark.wording == proposal.wording:
            floor, reason = stricter(mark.floor, floor), joined(mark.floor_reason, reason)
            cleared = mark.cleared
    marks = (*marks, replace(_mark(work.evidence.version + 1, proposal), cleared=cleared))
    work.learning = _said(turn, proposal, floor, reason, marks, novelty(turn, proposal))
    work.evidence = replace(
        work.evidence,
        wording=proposal.wording,
        points=UNTESTED,
        state=_state(proposal, cleared=cleared),
        crossing="none",
        cleared_space=None,
        withdrawn_at=None,
    )
    _say(turn, work, proposal, "rewritten")


def _say(turn: Turn, work: Work, proposal: LearningProposed, what: str) -> None:
    if proposal.rollback_to is not None:
        work.review = rolled_back(proposal)
        work.cause("rolled_back", str(proposal.rollback_to), proposal.reviewer or proposal.agent, turn.at)
    else:
        work.cause(what, proposal.run_id, proposal.agent, turn.at)


def _mark(version: int, proposal: LearningProposed) -> WordingMark:
    return WordingMark(version=version, wording=proposal.wording, rejected=False, floor="none")


def _state(proposal: LearningProposed, *, cleared: bool = False) -> str:
    """Where a wording stands as it is proposed. `cleared`: a reviewer released it, which holds for all but what is hard (SPEC 4.2)."""
    return "held" if proposal.hold is not None and (proposal.hold_hard or not cleared) else "active"


def _tested(work: Work) -> bool:
    return now(work.evidence.points).applied > 0


def _list(turn: Turn, learning_id: str) -> None:
    count = turn.state.learnings
    key = keys.learnings(turn.org, turn.agent, count // _LIST_PART)
    part = turn.view.get(LearningList, key)
    turn.view.put(key, LearningList(ids=(part.ids if part else b"") + bytes.fromhex(learning_id)))
    turn.update(learnings=count + 1)


def listed(turn: Turn, org: str, agent: str) -> list[str]:
    """Ids of an agent's learnings, in the order in which they were made."""
    state = turn.view.get(AgentState, keys.agent(org, agent))
    numbers = range(-(-state.learnings // _LIST_PART)) if state else ()
    parts = (turn.view.get(LearningList, keys.learnings(org, agent, n)) for n in numbers)
    return [part.ids[i : i + 16].hex() for part in parts if part for i in range(0, len(part.ids), 16)]
