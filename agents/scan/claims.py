"""A claim, scrubbed: for its agent alone, whatever it states (SPEC 8.1)."""

import json

from agents.binding.batch import Outgoing
from agents.scan.findings import Found
from agents.scan.mask import Numbers
from agents.scan.naming import clean_name
from agents.scan.private import clean_json, note
from agents.scan.say import Author
from schemas.records import Claim, ClaimDraft, ClaimSeen, ClaimWrite
from schemas.sealed import seal_claim
from schemas.validate import PRIVACIES
from schemas.vault import Vault

PRIVATE = "agent_specific"


def claim_of(author: Author, draft: ClaimDraft, found: Found, numbers: Numbers, path: str, run_id: str | None) -> Claim:
    """A claim as it may be kept; `found`: what was found in all that it came with, `path`: where it stands there."""
    entity, key = clean_name(author.ids, draft.entity), clean_name(author.ids, draft.key)
    reasons = {hit.kind for where, hit in found.marks if where.startswith(path)}
    if draft.privacy is not None and draft.privacy not in PRIVACIES:
        reasons.add("unknown_privacy")
    return Claim(
        org=author.org,
        agent=author.agent,
        claim_id=author.ids.claim(author.agent, entity, key),
        entity=entity,
        key=key,
        value=clean_json(found, numbers, draft.value),
        privacy=draft.privacy if draft.privacy in PRIVACIES else PRIVATE,
        run_id=run_id,
        received_at=author.record.at,
        entity_id=author.ids.entity(draft.entity),
        reason=", ".join(sorted(reasons)),
    )


def scan_claim(author: Author, write: ClaimWrite, vault: Vault | None) -> list[Outgoing]:
    """A claim written outside of a run, then its findings."""
    found, draft = Found(), write.claim
    note(found, "claim.value", json.loads(draft.value) if draft.value is not None else None)
    claim = claim_of(author, draft, found, Numbers(), "claim.", None)
    seen = ClaimSeen(
        source=author.record.source(),
        sender=author.record.partition,
        org=author.org,
        agent=author.agent,
        received_at=author.record.at,
        claim=claim if vault is None else seal_claim(vault, claim),
    )
    findings = (author.finding(i, "claim", claim.claim_id, where, hit) for i, (where, hit) in enumerate(found.marks))
    return [author.clean(claim.claim_id, seen), *findings]
