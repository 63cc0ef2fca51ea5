"""A learning, scrubbed: its wording, cue and value, whether it is held, and with what findings (SPEC 3.10, 3.14)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agents.binding.batch import Outgoing
from agents.scan.crosscheck import Entities
from agents.scan.findings import Floor, floor_of
from agents.scan.hit import RANK, Hit
from agents.scan.mask import Numbers
from agents.scan.naming import clean_name, orders
from agents.scan.say import Author, By
from agents.scan.scrub import scrub
from agents.scan.telling import words_of
from agents.scan.words import word_set
from schemas.ids import Ids
from schemas.jsonform import canonical
from schemas.records import FindingMark, LearningDraft, LearningProposed, Run, Write

_PRIVACY = ("shareable", "agent_specific", "sensitive")
_CASE = word_set(
    "repo repository branch remote ref commit sha tag url origin project cwd pwd path dir directory folder home workspace worktree "
    "user username login account email owner author host hostname ip tenant customer client org organization organisation"
)
"""Words of keys by which an environment would tell a case, a place or a person: it describes a kind of machine (SPEC 2.2)."""

Marks = list[tuple[str, Hit]]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A scrubbed learning. `rule` None: held without its wording. `marks`: findings by field."""

    part: int
    draft: LearningDraft
    learning_id: str
    entry_key: str
    rule: str | None
    value: str | None
    cue: str
    tools: tuple[str, ...]
    goal_phrases: tuple[str, ...]
    environment: Mapping[str, str]
    applies_to: str | None
    marks: Marks

    def record(
        self,
        author: Author,
        written: Run | Write,
        floor: Floor,
        *,
        at: datetime | None = None,
        run_id: str | None = None,
        rollback_to: int | None = None,
        by: By | None = None,
    ) -> Outgoing:
        """It for the agent's log, with the floor of what it was written with, when (None: the broker's time) and in which run; `by`: a
        reviewer who wrote it in its author's place."""
        draft, ids, hold = self.draft, author.ids, self._hold()
        proposed = LearningProposed(
            source=author.record.source(self.part + 1),
            sender=author.record.partition,
            part=self.part,
            org=author.org,
            agent=author.agent,
            learning_id=self.learning_id,
            entry_key=self.entry_key,
            branch=clean_name(ids, draft.branch),
            run_id=run_id,
            session=_name(ids, written.session),
            work_area=_name(ids, written.work_area or written.session),
            space=_name(ids, written.space),
            written_at=author.cut(at) or author.record.at,
            received_at=author.record.at,
            rule=self.rule,
            value=self.value,
            cue=self.cue,
            tools=self.tools,
            goal_phrases=self.goal_phrases,
            memory_type=draft.memory_type,
            kind=draft.kind,
            privacy=_privacy(draft),
            floor=floor[0],
            floor_reason=floor[1],
            producer=written.producer,  # as its author tells it (SPEC 2.5)
            environment=self.environment,
            applies_to=self.applies_to,
            confidence=draft.confidence,
            importance=draft.importance,
            is_artifact=draft.is_artifact,
            ttl_at=draft.ttl_at,
            pattern_refs=tuple(clean_name(ids, r) for r in draft.pattern_refs),
            value_bindings=tuple(clean_name(ids, b) for b in draft.value_bindings),
            # Without its wording, the hash of the raw one: it knows a restatement, and is keyed.
            wording=ids.wording(self.rule, self.value) if self.rule is not None else ids.wording(draft.rule, draft.value),
            hold=hold,
            hold_hard=self.rule is None or any(h.hard for _, h in self.marks),
            findings=tuple(dict.fromkeys(FindingMark(layer=h.layer, kind=h.kind, severity=h.severity, hard=h.hard) for _, h in self.marks)),
            rollback_to=rollback_to,
            reviewer=by.reviewer if by else None,
            reason=by.reason if by else None,
            source_goal=written.source_goal if isinstance(written, Write) else None,
        )
        return author.clean(self.learning_id, proposed)

    def floor(self) -> Floor:
        """What its own findings pull it to, whatever its run met."""
        secrets = {h.kind for _, h in self.marks if h.layer == "credential" and h.hard}
        return floor_of(secrets, {h.kind for _, h in self.marks if h.floor})

    def _hold(self) -> str | None:
        """Why it is held: a credential, an injection of medium or more, or that it can't be made clean (SPEC 3.14, 4.1)."""
        if self.rule is None:
            return "unclean"
        kinds = {h.kind for _, h in self.marks if h.hard or (h.layer == "injection" and RANK[h.severity] >= RANK["medium"])}
        return ", ".join(sorted(kinds)) or None


def propose(
    author: Author, part: int, draft: LearningDraft, entities: Entities, people: Entities, tools: frozenset[str], failed: bool
) -> Proposal:
    """Scrub a draft. `people`: whom the run met and its secrets, which no name that crosses may hold; `failed`: a detector raised elsewhere
    in its run, so that nothing can be checked against what the run met.
    """
    ids = author.ids
    entry_key = clean_name(ids, draft.entry_key)
    shown_tools = tuple(clean_name(ids, t, people) for t in draft.tools)
    generic = label(shown_tools)
    marks: Marks = []
    for field, name in (
        ("entry_key", draft.entry_key),
        ("applies_to", draft.applies_to or ""),
        *((f"tools[{i}]", t) for i, t in enumerate(draft.tools)),
    ):
        marks += ((field, hit) for hit in orders(name))
    cleaned = None if failed else _wording(draft, entities, tools | frozenset(draft.tools), generic, marks)
    rule, value, cue, phrases, environment = cleaned or (None, None, generic, (), {})
    return Proposal(
        part=part,
        draft=draft,
        learning_id=ids.learning(author.agent, clean_name(ids, draft.branch), entry_key),
        entry_key=entry_key,
        rule=rule,
        value=value,
        cue=cue,
        tools=shown_tools,
        goal_phrases=phrases,
        environment=environment,
        applies_to=None if draft.applies_to is None else clean_name(ids, draft.applies_to, people),
        marks=marks,
    )


def label(tools: tuple[str, ...]) -> str:
    """The generic cue of a task (SPEC 3.10)."""
    return "a task using " + (", ".join(dict.fromkeys(tools)) or "no tools")


def _wording(
    draft: LearningDraft, entities: Entities, tools: frozenset[str], generic: str, marks: Marks
) -> tuple[str, str | None, str, tuple[str, ...], Mapping[str, str]] | None:
    """Rule, value, cue, goal phrases and environment made clean, or None where rule or value can't be."""
    numbers = Numbers([draft.rule, draft.value or "", draft.cue or ""])

    def scrubbed(field: str, text: str) -> str | None:
        done = scrub(text, entities, tools, numbers)
        marks.extend((field, h) for h in done.hits)
        return done.text if done.clean else None

    def tree(field: str, value: Any) -> Any:
        if isinstance(value, str):
            text = scrubbed(field, value)
            if text is None:
                raise _Unclean
            return text
        if isinstance(value, dict):
            shown = {k: tree(field, k) for k in value}
            return {
                shown[k]: tree(f"{field}.{k}" if shown[k] == k and k.isidentifier() and len(k) < 32 else field, v) for k, v in value.items()
            }
        if isinstance(value, list):
            return [tree(f"{field}[{i}]", v) for i, v in enumerate(value)]
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = tree(field, str(value))
            return value if text == str(value) else text
        return value

    try:
        rule = scrubbed("rule", draft.rule)
        value = None if draft.value is None else canonical(tree("value", json.loads(draft.value)))
        cue = scrubbed("cue", draft.cue) if draft.cue else None
        phrases = tuple(tree("goal_phrases", list(draft.goal_phrases)))
        environment = tree("environment", {k: v for k, v in draft.environment.items() if _CASE.isdisjoint(words_of(k))})
    except Exception:  # fail closed (SPEC 3.10): a detector that raises is as good as a finding
        return None
    return None if rule is None else (rule, value, cue or generic, phrases, environment)


class _Unclean(Exception):
    """A text in a value could not be made clean."""


def _privacy(draft: LearningDraft) -> str:
    """Privacy as stated: unknown and missing read shareable, `shared: false` agent_specific (SPEC 2.6)."""
    stated = draft.privacy if draft.privacy in _PRIVACY else "shareable"
    return "agent_specific" if draft.shared is False and stated == "shareable" else stated


def _name(ids: Ids, name: str | None) -> str | None:
    return None if name is None else clean_name(ids, name)
