"""The core of aggregate: the log of agents in; their entries, episodes, claims, counters, receipts, decisions and candidates out.

A pure function of a batch and the table (DESIGN "The flow"): what a crash makes it take again comes out the same (see view.py), and what
a sender sent twice is known by the watermark of its source and changes nothing.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from agents.aggregate.entities import overtaken, take_claim
from agents.aggregate.erasure import take_erasure
from agents.aggregate.gate import GatePolicy
from agents.aggregate.importance import dimensions
from agents.aggregate.lifecycle import conclude, settle
from agents.aggregate.outcomes import take_outcome
from agents.aggregate.proposals import listed, take_proposal
from agents.aggregate.reviews import take_review
from agents.aggregate.runs import NO_RUN, take_run
from agents.aggregate.tiers import rank, rank_again
from agents.aggregate.timers import take_due
from agents.aggregate.turn import Evaluator, Turn
from agents.aggregate.view import PARTITION, View
from agents.aggregate.waiting import expire
from agents.binding.batch import Incoming, Outgoing, Read, Result
from schemas.codec import decode, encode
from schemas.partition import log_hash
from schemas.problem import Problem
from schemas.records import (
    AgentChanged,
    ClaimSeen,
    DeadLetter,
    EntityErased,
    LearningProposed,
    OutcomeReported,
    Recalled,
    Reviewed,
    RunSeen,
    Source,
    Tick,
    Watermark,
)

_logger = logging.getLogger(__name__)

LOG_KEPT = timedelta(days=30)
"""Retention of the agents' log."""
Event = RunSeen | LearningProposed | OutcomeReported | AgentChanged | Recalled | Reviewed | EntityErased | ClaimSeen


class Aggregate:
    """The only writer of what is known of an agent.

    `secret`: ids are made from it; `policy`: what the gate asks of evidence; `evaluate`: what is known of a learning's importance.
    """

    def __init__(self, secret: bytes, policy: GatePolicy, evaluate: Evaluator = dimensions) -> None:
        self._secret, self._policy, self._evaluate = secret, policy, evaluate

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        """Take a batch of one partition of `learnings`, oldest first."""
        if not batch:
            return Result()
        view = View(read, batch[0])
        out: list[Outgoing] = []
        records = [record for record in batch if record.offset > view.horizon]
        for record in records:
            out += self._take(view, record)
        return Result(out, view.states(records[-1].offset) if records else {})

    def _take(self, view: View, record: Incoming) -> list[Outgoing]:
        turn = Turn(view, record, self._secret, self._policy, self._evaluate, max(view.partition.clock, record.at))
        try:
            self._run(turn)
        except Exception as error:
            # A fault of ours costs this record alone: it stays in its topic, to be replayed once the fault is mended. The text of
            # an exception may hold what it failed on: only its type may be logged.
            _logger.error("%s could not be taken: %s; it is dead-lettered", record.receipt, type(error).__name__)
            view.drop()
            return [_dead_letter(record, "internal_error")]
        view.keep()
        return turn.out

    def _run(self, turn: Turn) -> None:
        view = turn.view
        view.put(PARTITION, replace(view.partition, clock=turn.clock))
        for key in take_due(view, turn.clock):
            if key.startswith(b"E:"):
                turn.learning(key[2:].hex())
            elif key.startswith(b"H:"):
                rank_again(turn, key)
            else:
                expire(turn, key)
        event = decode(turn.record.value)
        if isinstance(event, Problem):
            turn.out.append(_dead_letter(turn.record, event.code))
        elif isinstance(event, Event):
            _take_event(turn, event)
        elif not isinstance(event, Tick):
            turn.out.append(_dead_letter(turn.record, "wrong_record"))
        for work in turn.touched.values():
            settle(turn, work)
        for work in list(turn.touched.values()):
            rank(turn, work)
        for work in turn.touched.values():
            conclude(turn, work)


def _take_event(turn: Turn, event: Event) -> None:
    turn.org, turn.source, turn.at = event.org, event.source, event.received_at
    # What goes for all agents of a partition has a watermark of its own, under no agent's name.
    turn.agent = "" if isinstance(event, EntityErased) else event.agent or ""
    mark = _watermark(turn, event.source, event.sender)
    if mark is not None and (event.source.offset, event.source.index) <= (mark.offset, mark.index):
        return
    verdict, run = (mark.verdict, mark.run) if mark is not None and mark.offset == event.source.offset else (NO_RUN, -1)
    match event:
        case RunSeen():
            verdict, run = take_run(turn, event)
        case LearningProposed():
            take_proposal(turn, event, verdict, run)
        case OutcomeReported():
            take_outcome(turn, event)
        case AgentChanged():
            _change_agent(turn, event)
        case Reviewed():
            take_review(turn, event)
        case ClaimSeen():
            take_claim(turn, event.claim, 0, gone=overtaken(turn, event.claim))
        case EntityErased():
            take_erasure(turn, event)
        case Recalled():
            _count_recalls(turn, event)
    _mark(turn, event.source, event.sender, verdict, run)


def _watermark(turn: Turn, source: Source, sender: int) -> Watermark | None:
    return next((m for m in turn.state.watermarks if _pair(m) == (sender, source.topic, source.epoch, source.partition)), None)


def _pair(mark: Watermark) -> tuple[int, str, str, int]:
    return mark.sender, mark.topic, mark.epoch, mark.partition


def _mark(turn: Turn, source: Source, sender: int, verdict: str, run: int) -> None:
    mark = Watermark(
        sender=sender,
        topic=source.topic,
        epoch=source.epoch,
        partition=source.partition,
        offset=source.offset,
        index=source.index,
        verdict=verdict,
        run=run,
    )
    others = tuple(m for m in turn.state.watermarks if _pair(m) != _pair(mark))
    turn.update(watermarks=(*others, mark))


def _change_agent(turn: Turn, event: AgentChanged) -> None:
    """Know what changed of an agent, and judge the gate of each of its learnings anew."""
    turn.update(home_space=event.home_space, producer=event.producer, hosted=event.hosted, shared_learning=event.shared_learning)
    for learning_id in listed(turn, turn.org, turn.agent):
        turn.learning(learning_id)


def _count_recalls(turn: Turn, event: Recalled) -> None:
    for learning_id in event.learning_ids:
        work = turn.learning(learning_id)
        if work is not None:
            work.evidence = replace(work.evidence, recall_count=work.evidence.recall_count + 1)
            work.shown, work.at = True, turn.at


def _dead_letter(record: Incoming, reason: str) -> Outgoing:
    letter = DeadLetter(
        id=record.receipt,
        topic=record.topic,
        epoch=record.epoch,
        partition=record.partition,
        offset=record.offset,
        part="message",
        reason=reason,
        at=record.at,
        replayable_until=record.at + LOG_KEPT,
    )
    return Outgoing("dead-letters", record.topic.encode(), encode(letter), log_hash(record.topic))
