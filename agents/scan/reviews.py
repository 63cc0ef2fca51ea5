"""What a reviewer says, scrubbed and put on the log of what it is about; an erasure of the journal's texts goes to the journal."""

from agents.binding.batch import Outgoing
from agents.scan.crosscheck import Entities
from agents.scan.findings import FloorRule
from agents.scan.mask import Numbers
from agents.scan.naming import clean_name
from agents.scan.say import Author, By
from agents.scan.scrub import scrub
from agents.scan.writes import scan_write
from schemas.codec import encode
from schemas.ids import agent_log, short_hash
from schemas.partition import log_hash
from schemas.records import Decision, Review, Reviewed

WITHHELD = "a reason that could not be made clean"


def scan_review(author: Author, review: Review, floors: FloorRule) -> list[Outgoing]:
    """What a review comes to on the log of an agent, of a pool or of the organisation's journal. `author` is the reviewer."""
    if review.write is not None:
        whose = Author(author.record, author.ids, clean_name(author.ids, review.write.agent))
        return scan_write(whose, review.write, floors, By(author.agent, kept_reason(review.reason)))
    if review.act == "erase":
        return [_erasure(author, review), author.receipt("review", "stored", "text_erased")]
    reviewed = Reviewed(
        source=author.record.source(),
        sender=author.record.partition,
        org=author.org,
        agent=None if review.agent is None else clean_name(author.ids, review.agent),
        space=None if review.space is None else clean_name(author.ids, review.space),
        subject=review.subject if review.agent != review.subject else clean_name(author.ids, review.subject),
        into=review.into,
        act=review.act,
        reviewer=author.agent,
        reason=kept_reason(review.reason),
        wording=review.wording,
        received_at=author.record.at,
    )
    if reviewed.agent is not None:
        return [Outgoing("learnings", reviewed.subject.encode(), encode(reviewed), agent_log(author.org, reviewed.agent))]
    return [Outgoing("candidates", reviewed.subject.encode(), encode(reviewed), log_hash(author.org, reviewed.space or ""))]


def kept_reason(reason: str | None, *named: str) -> str | None:
    """A reason as it may be kept, without some names; None where none was given."""
    if not reason:
        return None
    clean = scrub(reason, Entities([*named]), frozenset(), Numbers())
    return clean.text if clean.clean else WITHHELD


def _erasure(author: Author, review: Review) -> Outgoing:
    """Decided here, since nobody else has a say: the journal erases as it takes the decision down."""
    reason = kept_reason(review.reason)
    decision = Decision(
        source=author.record.source(),
        decision_id=short_hash(f"erased\0{author.record.epoch}\0{author.record.receipt}".encode()),
        org=author.org,
        chain="restricted",
        actor=author.agent,
        decision="text_erased",
        subject=review.subject,
        reason="review",
        figures={"names": ",".join(sorted(set(review.names)))},
        texts={"reason": reason} if reason else {},
        at=author.record.at,
    )
    return Outgoing("decisions", author.org.encode(), encode(decision), log_hash(author.org))
