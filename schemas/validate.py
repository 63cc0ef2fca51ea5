"""The rules that a record from outside must keep beyond its schema: what may be empty, what may be said, how large it may be.

`produce` asks before it sends and the scan asks again, since not every producer is ours.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from schemas import codec
from schemas.jsonform import loads
from schemas.problem import Problem
from schemas.records import (
    ClaimDraft,
    ClaimWrite,
    CreditDraft,
    Erasure,
    Exposure,
    LearningDraft,
    Outcome,
    Principal,
    Review,
    Run,
    Step,
    Write,
)

RUN_BYTES = 32 * 1024 * 1024
"""Largest run, encoded and before compression."""
RECORD_BYTES = 1000 * 1000
"""Largest record of any other kind, encoded: what every broker takes by default, less a margin for headers."""
TEXT_BYTES = 256 * 1024
"""Largest texts of one learning or claim, together: its versions, with figures beside them, must fit a message."""
PARTS = 256
"""Most learnings or claims of a run, and credits of an outcome: what is kept of 64 messages must fit one, and each of them costs time."""
_OWNERS = ("org", "agent", "principal", "reviewer")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
NAME_CHARS = 1024
"""Longest name or id: they stand in keys."""

_HEX_32 = re.compile(r"[0-9a-f]{64}")
_ENTRY = re.compile(r"(public|restricted)/[1-9]\d{0,17}")
_ID, _WORDING = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{16}")
_TEXTS = ("rule", "value", "reason")
"""Names of the texts that the journal commits to."""
_SPACES = ("personal", "commons", "department")
"""Spaces of an organisation (SPEC 1); a department may have a name, and a path below it."""
_PRODUCERS = ("agent", "hook", "person", "tool")
_KINDS = ("memory", "skill", "document", "instruction")
_MEMORY_TYPES = ("fact", "belief", "experience", "procedure")
PRIVACIES = ("shareable", "agent_specific", "sensitive")
_STEP_KINDS = ("tool", "message", "thought", "other")
_STATUSES = ("ok", "error", "rejected", "interrupted", "timeout", "running", "unknown")
_RESULTS = ("success", "minor_failure", "failure", "critical_failure", "retracted")
ATTESTERS = ("agent", "ci", "human", "verifier", "customer")
ACTS = ("hide", "unhide", "demote", "approve", "reject", "lift", "object", "retract", "rollback", "merge", "split", "ban", "unban", "erase")
PRINCIPAL_KINDS = ("agent", "person", "hook", "tool")
ROLES = ("reader", "publisher", "reviewer", "administrator", "auditor", "analyst")
_HELPFUL = ("yes", "no", "unknown")


def problem(record: Any) -> Problem | None:
    """What is wrong with a Run, Outcome, Write, ClaimWrite, Review, Erasure, Principal or Exposure, the first thing only, or None."""
    match record:
        case Run():
            found = _run(record)
        case Outcome():
            found = _outcome(record)
        case Write():
            found = _write(record)
        case Review():
            found = _review(record)
        case Erasure():
            found = _erasure(record)
        case ClaimWrite():
            found = _claim_write(record)
        case Principal():
            found = _principal(record)
        case Exposure():
            found = _names(record, "", "org", "agent", "process")
        case _:
            raise TypeError(f"{type(record).__name__} is no record from outside")
    return next(found, None) or _size(record)


def unheeded(record: Any) -> Iterator[Problem]:
    """What a Run or a Write says in a word that nobody knows and that is taken all the same, and how it reads (SPEC 2.6)."""
    match record:
        case Run():
            for i, learning in enumerate(record.learnings):
                yield from _privacy(learning.privacy, f"learnings[{i}].", "agent_specific" if learning.shared is False else "shareable")
            for i, claim in enumerate(record.claims):
                yield from _privacy(claim.privacy, f"claims[{i}].", "agent_specific")
        case ClaimWrite():
            yield from _privacy(record.claim.privacy, "claim.", "agent_specific")
        case Write():
            yield from _privacy(record.learning.privacy, "learning.", "agent_specific" if record.learning.shared is False else "shareable")


def _privacy(privacy: str | None, path: str, reads: str) -> Iterator[Problem]:
    for wrong in _one_of(privacy, path + "privacy", PRIVACIES):
        yield Problem(wrong.code, wrong.field, f"{wrong.detail}: it reads {reads}")


def _run(run: Run) -> Iterator[Problem]:
    yield from _names(run, "", "org", "agent", "run_id")
    yield from _names(run, "", "parent_run_id", "session", "work_area", "space", needed=False)
    yield from _one_of(run.producer, "producer", _PRODUCERS)
    if run.attempt < 1:
        yield Problem("bad_value", "attempt", "attempts count from 1")
    yield from _all_names(run.recall_ids, "recall_ids")
    yield from _all_names(run.tools, "tools")
    for i, step in enumerate(run.steps):
        yield from _step(step, f"steps[{i}].")
    yield from _number(run.learnings, "learnings")
    yield from _number(run.claims, "claims")
    for i, learning in enumerate(run.learnings):
        yield from _learning(learning, f"learnings[{i}].")
    for i, claim in enumerate(run.claims):
        yield from _claim(claim, f"claims[{i}].")


def _write(write: Write) -> Iterator[Problem]:
    yield from _names(write, "", "org", "agent")
    yield from _names(write, "", "session", "work_area", "space", needed=False)
    yield from _one_of(write.producer, "producer", _PRODUCERS)
    if write.rollback_to is None and write.work_area is None and write.session is None:
        yield Problem("missing", "work_area", "is needed: it says where the learning was written")
    if write.rollback_to is not None and write.rollback_to < 1:
        yield Problem("bad_value", "rollback_to", "versions count from 1")
    yield from _learning(write.learning, "learning.")
    yield from _texts("source_goal", write.source_goal)


def _step(step: Step, path: str) -> Iterator[Problem]:
    yield from _names(step, path, "tool", "call_id", needed=False)
    yield from _one_of(step.kind, path + "kind", _STEP_KINDS)
    yield from _one_of(step.status, path + "status", _STATUSES)
    if step.duration_ms is not None and step.duration_ms < 0:
        yield Problem("bad_value", path + "duration_ms", "less than 0")
    yield from _json(step.input, path + "input")
    yield from _json(step.output, path + "output")


def _learning(draft: LearningDraft, path: str) -> Iterator[Problem]:
    yield from _names(draft, path, "entry_key", "branch")
    yield from _entry_key(draft.entry_key, path + "entry_key")
    if not draft.rule.strip():
        yield Problem("missing", path + "rule", "is needed")
    yield from _one_of(draft.memory_type, path + "memory_type", _MEMORY_TYPES)
    yield from _one_of(draft.kind, path + "kind", _KINDS)
    yield from _share(draft.confidence, path + "confidence")
    yield from _share(draft.importance, path + "importance")
    yield from _all_names(draft.tools, path + "tools")
    yield from _all_names(draft.pattern_refs, path + "pattern_refs")
    yield from _all_names(draft.value_bindings, path + "value_bindings")
    yield from _json(draft.value, path + "value")
    lists = (*draft.tools, *draft.goal_phrases, *draft.pattern_refs, *draft.value_bindings, *draft.environment, *draft.environment.values())
    yield from _texts(path, draft.rule, draft.value, draft.cue, draft.applies_to, *lists)


def _claim(draft: ClaimDraft, path: str) -> Iterator[Problem]:
    yield from _names(draft, path, "entity", "key")
    yield from _json(draft.value, path + "value")
    yield from _texts(path, draft.value)


def _claim_write(write: ClaimWrite) -> Iterator[Problem]:
    yield from _names(write, "", "org", "agent")
    yield from _claim(write.claim, "claim.")


def _outcome(outcome: Outcome) -> Iterator[Problem]:
    yield from _names(outcome, "", "org", "agent", "outcome_id")
    yield from _names(outcome, "", "run_id", "scorer", "amends", needed=False)
    yield from _one_of(outcome.result, "result", _RESULTS)
    yield from _one_of(outcome.verified_by, "verified_by", ATTESTERS)
    if outcome.result is None and outcome.score is None:
        yield Problem("missing", "result", "result or score is needed")
    if outcome.result is not None and outcome.score is not None:
        yield Problem("bad_value", "score", "stands in place of result: give one of them")
    if outcome.result == "retracted" and outcome.amends is None:
        yield Problem("missing", "amends", "is needed: it names the outcome that is retracted")
    yield from _share(outcome.score, "score")
    yield from _share(outcome.causal_confidence, "causal_confidence")
    yield from _all_names(outcome.recall_ids, "recall_ids")
    yield from _number(outcome.credits, "credits")
    for i, credit in enumerate(outcome.credits):
        yield from _credit(credit, f"credits[{i}].")


def _credit(credit: CreditDraft, path: str) -> Iterator[Problem]:
    if credit.entry_key is None and credit.ref is None:
        yield Problem("missing", path + "entry_key", "entry_key or ref is needed")
    if credit.entry_key is not None and credit.ref is not None:
        yield Problem("bad_value", path + "ref", "stands in place of entry_key: give one of them")
    yield from _names(credit, path, "entry_key", "ref", "branch", needed=False)
    if credit.entry_key is not None:
        yield from _entry_key(credit.entry_key, path + "entry_key")
    if credit.version is not None and credit.version < 1:
        yield Problem("bad_value", path + "version", "versions count from 1")
    yield from _one_of(credit.helpful, path + "helpful", _HELPFUL)


def _review(review: Review) -> Iterator[Problem]:
    yield from _names(review, "", "org", "subject", "reviewer")
    yield from _names(review, "", "agent", "space", needed=False)
    yield from _one_of(review.act, "act", ACTS)
    yield from _texts("reason", review.reason)
    # Ids and names are kept as they are, and in the journal for good: so they can be nothing else.
    for i, name in enumerate(review.names):
        yield from _one_of(name, f"names[{i}]", _TEXTS)
    if review.wording is not None and not _WORDING.fullmatch(review.wording):
        yield Problem("bad_value", "wording", "a hash of 16 hex digits is needed")
    if review.act in ("ban", "unban"):
        if review.agent is None or review.subject != review.agent:
            yield Problem("bad_value", "subject", "agent and subject are both the agent's name")
    elif review.act != "erase" and not _ID.fullmatch(review.subject):
        yield Problem("bad_value", "subject", "an id of 32 hex digits is needed")
    if review.act == "erase":
        if not _ENTRY.fullmatch(review.subject):
            yield Problem("bad_value", "subject", "public/N or restricted/N, the place of an entry in its chain, is needed")
        if not review.names:
            yield Problem("missing", "names", "is needed: which texts of the entry are erased")
    elif (review.agent is None) == (review.space is None):
        yield Problem("bad_value", "agent", "agent or space is needed, and not both")
    yield from _second(review)


def _second(review: Review) -> Iterator[Problem]:
    """What a merge, a split and a rollback are about besides."""
    if (review.act in ("merge", "split")) != (review.into is not None):
        yield Problem("bad_value", "into", "goes with merge and split, and is needed there")
    elif review.into is not None and not _ID.fullmatch(review.into):
        yield Problem("bad_value", "into", "an id of 32 hex digits is needed")
    if (review.act == "rollback") != (review.write is not None):
        yield Problem("bad_value", "write", "goes with rollback, and is needed there")
    elif (write := review.write) is not None:
        if (write.org, write.agent) != (review.org, review.agent) or write.rollback_to is None:
            yield Problem("bad_value", "write", "has another org or agent, or no rollback_to")
        for found in _write(write):
            yield Problem(found.code, f"write.{found.field}", found.detail)


def _erasure(erasure: Erasure) -> Iterator[Problem]:
    yield from _names(erasure, "", "org", "entity", "requested_by")
    yield from _texts("reason", erasure.reason)


def _principal(principal: Principal) -> Iterator[Problem]:
    yield from _names(principal, "", "org", "principal", "home_space")
    yield from _home(principal.home_space)
    yield from _one_of(principal.producer, "producer", _PRODUCERS)
    yield from _all_names(principal.tools, "tools")
    yield from _one_of(principal.kind, "kind", PRINCIPAL_KINDS)
    yield from _number(principal.keys, "keys")
    yield from _number(principal.roles, "roles")
    for i, key in enumerate(principal.keys):
        yield from _one_of(key.attests, f"keys[{i}].attests", ATTESTERS)
        for name in ("public_key", "secret_hash"):
            if (told := getattr(key, name)) is not None and not _HEX_32.fullmatch(told):
                yield Problem("bad_value", f"keys[{i}].{name}", "not 64 hex digits in small letters")
    for i, grant in enumerate(principal.roles):
        yield from _one_of(grant.role, f"roles[{i}].role", ROLES)


def _home(space: str) -> Iterator[Problem]:
    department = space.startswith("department/") and all(segment.strip() for segment in space.split("/"))
    if space.strip() and not (department or space in _SPACES):
        # A misspelt one would be a pool that nobody else looks into.
        yield Problem("bad_value", "home_space", f"not one of {', '.join(_SPACES)}, department/NAME")


def _names(record: Any, path: str, *names: str, needed: bool = True) -> Iterator[Problem]:
    for name in names:
        value = getattr(record, name)
        if value is None:
            continue
        if not value.strip():
            yield Problem("missing" if needed else "bad_value", path + name, "is needed" if needed else "is empty")
        elif len(value) > NAME_CHARS:
            yield Problem("too_large", path + name, f"{len(value)} characters long, where names have at most {NAME_CHARS}")
        elif name == "org" and "/" in value:
            # Keys and logs are org/agent and org/space: a slash in org would let one name an other's.
            yield Problem("bad_value", path + name, "holds a slash")
        elif name in _OWNERS and (value == "*" or _CONTROL.search(value)):
            # What says whose a row is must not read as somebody else's, or as everybody's.
            yield Problem("bad_value", path + name, "is *, or holds a control character")


def _all_names(names: Sequence[str], path: str) -> Iterator[Problem]:
    for i, name in enumerate(names):
        if not name.strip():
            yield Problem("bad_value", f"{path}[{i}]", "is empty")
        elif len(name) > NAME_CHARS:
            yield Problem("too_large", f"{path}[{i}]", f"{len(name)} characters long, where names have at most {NAME_CHARS}")


def _number(parts: Sequence[object], path: str) -> Iterator[Problem]:
    if len(parts) > PARTS:
        yield Problem("too_large", path, f"{len(parts)} of them, the limit is {PARTS}: send more than one message")


def _entry_key(entry_key: str, path: str) -> Iterator[Problem]:
    entity_path, _, key = entry_key.rpartition("/")
    if not entity_path.strip() or not key.strip():
        yield Problem("bad_value", path, "not entity_path/key")


def _one_of(value: str | None, path: str, allowed: Sequence[str]) -> Iterator[Problem]:
    if value is not None and value not in allowed:
        yield Problem("bad_value", path, f"not one of {', '.join(allowed)}")


def _share(value: float | None, path: str) -> Iterator[Problem]:
    if value is not None and not 0 <= value <= 1:
        yield Problem("bad_value", path, "not between 0 and 1")


def _json(text: str | None, path: str) -> Iterator[Problem]:
    if text is None:
        return
    value = loads(text)
    if isinstance(value, Problem):
        yield Problem(value.code, path, value.detail)


def _texts(path: str, *texts: str | None) -> Iterator[Problem]:
    size = sum(len(text.encode()) for text in texts if text is not None)
    if size > TEXT_BYTES:
        yield Problem("too_large", path.rstrip("."), f"its texts have {size} bytes, the limit is {TEXT_BYTES}")


def _size(record: Any) -> Problem | None:
    size = len(codec.encode(record))
    limit = RUN_BYTES if isinstance(record, Run) else RECORD_BYTES
    return Problem("too_large", None, f"{size} bytes, the limit is {limit}") if size > limit else None
