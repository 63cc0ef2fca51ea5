"""A run, scrubbed: what its agent's log gets of it (SPEC 3)."""

import json

from agents.binding.batch import Outgoing
from agents.scan.claims import claim_of
from agents.scan.crosscheck import Entities
from agents.scan.findings import FloorRule, Found
from agents.scan.learning import Proposal, label, propose
from agents.scan.mask import Numbers
from agents.scan.naming import clean_name
from agents.scan.private import clean, clean_json, note
from agents.scan.say import Author
from agents.scan.words import word_set
from schemas.ids import Ids
from schemas.jsonform import canonical, dump
from schemas.records import Claim, ClaimWrite, Episode, Run, RunSeen, Step
from schemas.sealed import seal_claim, seal_episode
from schemas.vault import Vault

_PEOPLE = word_set("person people name user customer client contact patient employee member account holder email phone")
"""Kinds of entities that are somebody, as runtimes call them."""


def scan_run(author: Author, run: Run, floors: FloorRule, vault: Vault | None = None) -> list[Outgoing]:
    """RunSeen, then a proposal for each learning, then the findings. `vault`: seals what is its agent's alone."""
    found = _note(run)
    run_id = clean_name(author.ids, run.run_id)
    tools = frozenset((*run.tools, *(s.tool for s in run.steps if s.tool)))
    entities = Entities(
        [*(e.value for e in run.entities), *(v for v, (_, layer) in found.values.items() if layer != "credential")],
        {v: kind for v, (kind, layer) in found.values.items() if layer == "credential"},
    )
    told = [e.value for e in run.entities if e.kind.lower() in _PEOPLE]
    people = Entities(
        [*told, *(v for v, (kind, _) in found.values.items() if kind == "person")],
        {v: kind for v, (kind, layer) in found.values.items() if layer == "credential"},
        parts=False,
    )
    proposals = [propose(author, i, draft, entities, people, tools, found.failed) for i, draft in enumerate(run.learnings)]
    for proposal in proposals:
        found.met(proposal.marks)
    floor = found.floor(floors)
    own = floors == "narrow" and not found.failed
    episode, claims = _episode(author, run, run_id, found, _met(author.ids, run, found)), _claims(author, run, run_id, found)
    if vault is not None:
        episode, claims = seal_episode(vault, episode), [seal_claim(vault, claim) for claim in claims]
    seen = RunSeen(
        source=author.record.source(),
        sender=author.record.partition,
        org=author.org,
        agent=author.agent,
        run_id=run_id,
        parent_run_id=_name(author, run.parent_run_id),
        content=author.ids.content(canonical(dump(run))),
        floor=floor[0],
        floor_reason=floor[1],
        received_at=author.record.at,
        proposals=len(proposals),
        episode=episode,
        claims=tuple(claims),
    )
    return [
        author.clean(run_id, seen),
        *(p.record(author, run, p.floor() if own else floor, at=run.ended_at or run.started_at, run_id=run_id) for p in proposals),
        *_findings(author, run_id, found, proposals),
    ]


def _note(run: Run) -> Found:
    """Everything of a run but its learnings, read once."""
    found = Found()
    for where, value in (("goal", run.goal), ("exit_status", run.exit_status), ("model", run.model), ("runtime", run.runtime)):
        note(found, where, value)
    note(found, "environment", dict(run.environment))
    for i, step in enumerate(run.steps):
        for name, text in (("input", step.input), ("output", step.output)):
            if text is not None:
                note(found, f"steps[{i}].{name}", json.loads(text))
        note(found, f"steps[{i}].role", step.role)
    for i, entity in enumerate(run.entities):
        note(found, f"entities[{i}]", entity.value)
        found.value(entity.value, "entity_leak", "crosscheck")
    for i, claim in enumerate(run.claims):
        note(found, f"claims[{i}].value", json.loads(claim.value) if claim.value is not None else None)
    return found


def _name(author: Author, name: str | None) -> str | None:
    return None if name is None else clean_name(author.ids, name)


def named(ids: Ids, raw: object) -> tuple[str, ...]:
    """Stand-ins for the entities that a run or a claim names itself; other records name none."""
    match raw:
        case Run():
            names = [*(e.value for e in raw.entities), *(c.entity for c in raw.claims)]
        case ClaimWrite():
            names = [raw.claim.entity]
        case _:
            names = []
    return tuple(sorted({ids.entity(name) for name in names}))


def _met(ids: Ids, run: Run, found: Found) -> tuple[str, ...]:
    """Stand-ins for the entities that a run met: those that it names, and those that the scan saw (SPEC 8.3)."""
    seen = {ids.entity(value) for value, (_, layer) in found.values.items() if layer != "credential"}
    return tuple(sorted({*named(ids, run), *seen}))


def _episode(author: Author, run: Run, run_id: str, found: Found, entities: tuple[str, ...]) -> Episode:
    numbers = Numbers()
    at = author.record.at
    started = author.cut(run.started_at or run.ended_at) or at
    tools = tuple(clean_name(author.ids, t) for t in run.tools)
    return Episode(
        org=author.org,
        agent=author.agent,
        run_id=run_id,
        parent_run_id=_name(author, run.parent_run_id),
        session=_name(author, run.session),
        work_area=_name(author, run.work_area or run.session),
        space=_name(author, run.space),
        attempt=run.attempt,
        started_at=started,
        ended_at=author.cut(run.ended_at) or started,
        times_told=run.started_at is not None or run.ended_at is not None,
        producer=run.producer,
        model=clean(found, numbers, run.model),
        runtime=clean(found, numbers, run.runtime),
        environment=clean(found, numbers, dict(run.environment)),
        exit_status=clean(found, numbers, run.exit_status),
        cue=label(tools),
        steps=tuple(_step(author, s, found, numbers) for s in run.steps),
        tools=tools,
        recall_ids=tuple(clean_name(author.ids, r) for r in run.recall_ids),
        received_at=at,
        entities=entities,
    )


def _step(author: Author, step: Step, found: Found, numbers: Numbers) -> Step:
    return Step(
        kind=step.kind,
        role=clean(found, numbers, step.role),
        at=author.cut(step.at),
        duration_ms=step.duration_ms,
        call_id=_name(author, step.call_id),
        tool=_name(author, step.tool),
        input=clean_json(found, numbers, step.input),
        output=clean_json(found, numbers, step.output),
        status=step.status,
        exit_code=step.exit_code,
    )


def _claims(author: Author, run: Run, run_id: str, found: Found) -> list[Claim]:
    numbers = Numbers()
    return [claim_of(author, draft, found, numbers, f"claims[{i}].", run_id) for i, draft in enumerate(run.claims)]


def _findings(author: Author, run_id: str, found: Found, proposals: list[Proposal]) -> list[Outgoing]:
    marks = [("run", run_id, where, hit) for where, hit in found.marks]
    marks += [("learning", p.learning_id, where, hit) for p in proposals for where, hit in p.marks]
    return [author.finding(i, kind, subject, where, hit) for i, (kind, subject, where, hit) in enumerate(marks)]
