"""Runs of an agent: known by id and content, with the floor that they and their child runs set (SPEC 3.11, 5.10)."""

from dataclasses import replace

from agents.aggregate import keys
from agents.aggregate.entities import ERASED, meet, take_claim
from agents.aggregate.kept import NO_LINK, Kept
from agents.aggregate.privacy import in_effect, joined, stricter
from agents.aggregate.turn import Turn
from schemas.records import KeptRun, RunLearning, RunSeen, WordingMark

TAKEN, DUPLICATE, CONFLICT, NO_RUN = "taken", "duplicate", "conflict", "none"


def kept_runs(turn: Turn) -> Kept:
    """The event's agent's kept runs."""
    return Kept(turn.view, keys.runs(turn.org, turn.agent), turn.state.runs)


def take_run(turn: Turn, run: RunSeen) -> tuple[str, int]:
    """Keep a run, send its episode and claims; what it came to, and its number among the kept (-1: not kept)."""
    runs = kept_runs(turn)
    id_, content = bytes.fromhex(turn.ids.run(run.agent, run.run_id)), bytes.fromhex(run.content)[:8]
    found = runs.find(id_)
    if found:
        same = runs.content(found[0]) == content
        _refuse(turn, run, same=same)
        return (DUPLICATE if same else CONFLICT), -1
    floor, reason = _with_children(runs, id_, run)
    parent = bytes.fromhex(turn.ids.run(run.agent, run.parent_run_id)) if run.parent_run_id is not None else NO_LINK
    entities = tuple(bytes.fromhex(e) for e in run.episode.entities)
    number = runs.append(
        id_, content, parent, int(run.received_at.timestamp() * 1000), KeptRun(floor=floor, reason=reason, entities=entities)
    )
    turn.update(runs=runs.count)
    _pull_parents(turn, runs, parent, floor, reason, run.run_id)
    gone = meet(turn, run, id_)
    if gone:
        turn.receipt("episode", "refused", ERASED)
    else:
        turn.send("episodes", f"{run.org}/{run.agent}/{run.run_id}", run.episode, turn.log)
        turn.receipt("episode", "stored")
    for part, claim in enumerate(run.claims):
        take_claim(turn, claim, part, gone=bytes.fromhex(claim.entity_id) in gone)
    return TAKEN, number


def _refuse(turn: Turn, run: RunSeen, *, same: bool) -> None:
    parts = ["episode", *(f"claim:{n}" for n in range(len(run.claims)))]
    for part in parts:
        turn.receipt(part, "duplicate" if same else "dead_lettered", "duplicate" if same else "conflict")
    if not same:
        turn.dead_letter("message", "conflict")


def _with_children(runs: Kept, id_: bytes, run: RunSeen) -> tuple[str, str | None]:
    """The run's floor with that of its child runs that came before it."""
    floor, reason = run.floor, run.floor_reason
    for number in runs.linked(id_):
        child = runs.entry(KeptRun, number)
        if child is not None and child.floor != "none":
            floor, reason = stricter(floor, child.floor), joined(reason, child.reason)
    return floor, reason


def _pull_parents(turn: Turn, runs: Kept, parent: bytes, floor: str, reason: str | None, run_id: str) -> None:
    """Pull what the run's parents wrote down to its floor; ends where a parent is as strict, so also in a ring of parents."""
    while floor != "none" and parent != NO_LINK and (found := runs.find(parent)):
        kept = runs.entry(KeptRun, found[0])
        if kept is None or stricter(kept.floor, floor) == kept.floor:
            return
        runs.change(found[0], replace(kept, floor=floor, reason=joined(kept.reason, reason)))
        for written in kept.learnings:
            _pull(turn, written, floor, reason, run_id)
        parent = runs.link(found[0])


def _pull(turn: Turn, written: RunLearning, floor: str, reason: str | None, run_id: str) -> None:
    work = turn.learning(written.learning_id)
    if work is None:
        return
    learning, before = work.learning, in_effect(work.learning)
    marks = tuple(_floored(m, floor, reason) if m.wording == written.wording else m for m in learning.wordings[:-1])
    work.learning = learning = replace(learning, wordings=(*marks, learning.wordings[-1]))
    work.accepted = True
    if work.evidence.wording != written.wording or stricter(learning.floor, floor) == learning.floor:
        return
    work.learning = replace(learning, floor=floor, floor_reason=joined(learning.floor_reason, reason), lifted_by=None)
    if in_effect(work.learning) != before:
        work.cause("floor", run_id, turn.agent, turn.at)


def _floored(mark: WordingMark, floor: str, reason: str | None) -> WordingMark:
    return replace(mark, floor=stricter(mark.floor, floor), floor_reason=joined(mark.floor_reason, reason))
