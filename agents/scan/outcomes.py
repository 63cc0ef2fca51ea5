"""An outcome, with its credits resolved to what they are about (SPEC 5.1)."""

from agents.binding.batch import Outgoing
from agents.scan.naming import clean_name
from agents.scan.say import Author
from schemas.jsonform import canonical, dump
from schemas.records import Credit, CreditDraft, Outcome, OutcomeReported

_SUCCESS, _MINOR = 0.7, 0.4
"""From which score on an evaluator's verdict is a success, a minor failure (SPEC 5.1)."""


def scan_outcome(author: Author, outcome: Outcome, attested_by: str) -> list[Outgoing]:
    """OutcomeReported, and the receipts of credits that go no further. `attested_by`: what the key of who sent it allows (SPEC 5.7)."""
    ids, at = author.ids, author.record.at
    result = outcome.result or _result(outcome.score or 0.0)
    credits: dict[str, Credit] = {}
    ended = []
    for part, draft in enumerate(outcome.credits):
        credit = _credit(author, part, draft, result)
        if credit is None:
            ended.append(author.receipt(f"credit:{part}", "refused", "bad_ref"))
        elif credit.subject in credits:
            ended.append(author.receipt(f"credit:{part}", "duplicate", "same_subject"))
        else:
            credits[credit.subject] = credit
    outcome_id = clean_name(ids, outcome.outcome_id)
    reported = OutcomeReported(
        source=author.record.source(),
        sender=author.record.partition,
        org=author.org,
        agent=author.agent,
        outcome_id=outcome_id,
        run_id=_name(author, outcome.run_id),
        content=ids.content(canonical(dump(outcome))),
        at=author.cut(outcome.at) or at,
        at_told=outcome.at is not None,
        received_at=at,
        result=result,
        score=outcome.score,
        scorer=_name(author, outcome.scorer),
        amends=_name(author, outcome.amends),
        verified_by=outcome.verified_by,
        attested_by=attested_by,
        causal_confidence=outcome.causal_confidence,
        recall_ids=tuple(clean_name(ids, r) for r in outcome.recall_ids),
        credits=tuple(credits.values()),
        parts=max(1, len(outcome.credits)),
    )
    return [author.clean(outcome_id, reported), *ended]


def _credit(author: Author, part: int, draft: CreditDraft, result: str) -> Credit | None:
    """What a credit is about, or None where its ref is none of this organisation's, or names another agent's own learning."""
    helpful = draft.helpful or ("yes" if result == "success" else "no")
    if draft.entry_key is not None:
        entry_key = clean_name(author.ids, draft.entry_key)
        subject = author.ids.learning(author.agent, clean_name(author.ids, draft.branch), entry_key)
        own, log, wording = True, author.log, None
    else:
        ref = author.ids.read_ref(draft.ref or "")
        if ref is None or (ref.own and ref.log != author.log):
            return None
        entry_key, subject, own, log, wording = None, ref.subject, ref.own, ref.log, ref.wording
    return Credit(
        part=part,
        own=own,
        subject=subject,
        entry_key=entry_key,
        log=log,
        wording=wording,
        version=draft.version,
        applied=draft.applied,
        helpful=helpful,
    )


def _result(score: float) -> str:
    if score >= _SUCCESS:
        return "success"
    return "minor_failure" if score >= _MINOR else "failure"


def _name(author: Author, name: str | None) -> str | None:
    return None if name is None else clean_name(author.ids, name)
