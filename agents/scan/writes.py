"""A learning written outside of a run, scrubbed: a direct write, or a version that is to be the newest again (SPEC 2.8, 9.2)."""

from agents.binding.batch import Outgoing
from agents.scan.crosscheck import Entities
from agents.scan.findings import FloorRule, Found
from agents.scan.goal import credential_in
from agents.scan.learning import propose
from agents.scan.say import Author, By
from schemas.records import Write


def scan_write(author: Author, write: Write, floors: FloorRule, by: By | None = None) -> list[Outgoing]:
    """A proposal, then its findings. There is no run, so nothing was met that its wording could be checked against.

    `by`: the reviewer who rolls back."""
    if write.source_goal is not None and credential_in(write.source_goal):
        return [author.receipt("learning:0", "refused", "credential_in_goal")]
    draft, found = write.learning, Found()
    proposal = propose(author, 0, draft, Entities([]), Entities([]), frozenset(draft.tools), failed=False)
    found.met(proposal.marks)
    floor = proposal.floor() if floors == "narrow" else found.floor(floors)
    findings = (author.finding(i, "learning", proposal.learning_id, where, hit) for i, (where, hit) in enumerate(proposal.marks))
    return [proposal.record(author, write, floor, rollback_to=write.rollback_to, by=by), *findings]
