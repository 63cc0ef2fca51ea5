"""scan: the raw side in, one clean log an agent out, as a pure function of a batch. It keeps no state."""

import sqlite3
from collections.abc import Sequence

from agents.acts import MAY
from agents.binding.batch import Incoming, Outgoing, Read, Result
from agents.binding.lease import EXIT_STORE_FAILED, die
from agents.scan.claims import scan_claim
from agents.scan.directory import Directory, Speaker
from agents.scan.erasures import scan_erasure
from agents.scan.findings import FloorRule
from agents.scan.naming import clean_name, found_in
from agents.scan.outcomes import scan_outcome
from agents.scan.private import excerpt
from agents.scan.reviews import scan_review
from agents.scan.runs import named, scan_run
from agents.scan.say import Author, dead_letter
from agents.scan.writes import scan_write
from schemas.codec import decode_as, encode
from schemas.ids import agent_log, ids_of
from schemas.keys import bounded
from schemas.problem import Problem
from schemas.records import (
    AgentChanged,
    ClaimWrite,
    Erasure,
    Exposure,
    Grant,
    Identity,
    Outcome,
    Principal,
    Recalled,
    Receipt,
    Review,
    Run,
    Write,
)
from schemas.validate import NAME_CHARS
from schemas.validate import problem as problem_of
from schemas.vault import Vault

Raw = Run | Outcome | Write | Review | Principal | Exposure | Erasure | ClaimWrite
_KINDS: dict[str, type[Raw]] = {
    "runs": Run,
    "outcomes": Outcome,
    "writes": Write,
    "reviews": Review,
    "principals": Principal,
    "recalls": Exposure,
    "erasures": Erasure,
    "claim-writes": ClaimWrite,
}


class Scan:
    """The core of scan. `secret`: what the organisations' keys are derived from; `directory`: who may speak; `floors`: what pulls
    learnings down (SPEC 3.11); `vault`: has the keys of what is private; None: it is not sealed."""

    def __init__(self, secret: bytes, directory: Directory, floors: FloorRule = "standard", vault: Vault | None = None) -> None:
        self._secret, self._directory, self._vault = secret, directory, vault
        self._floors = floors

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        """Take a batch of raw records; nothing is read and no state changes."""
        if self._vault is None:
            return Result(out=[out for record in batch for out in self._one(record)])
        try:
            result = Result(out=[out for record in batch for out in self._one(record)])
            self._vault.commit()  # before anything that is sealed with them is sent
        except sqlite3.Error as error:
            # No record's fault: put aside one by one they would all be dead letters, where they only have to wait.
            die(EXIT_STORE_FAILED, f"the store of keys can't be read or written ({type(error).__name__}: {error})")
        finally:
            self._vault.forget()
        return result

    def _one(self, record: Incoming) -> list[Outgoing]:
        kind = _KINDS[record.topic]
        if record.value is None and kind is Principal:
            return []  # a principal that was removed: what is known of it stays as it was
        raw = decode_as(kind, record.value)
        if isinstance(raw, Problem):
            return _unreadable(record, raw)
        if not isinstance(raw, Raw):
            raise TypeError(f"{kind.__name__} is not scanned")
        name = _author(raw)
        wrong = problem_of(raw)
        if len(raw.org) > NAME_CHARS or len(name) > NAME_CHARS:
            # Whatever names them would be as large, and no topic of ours takes that.
            return [dead_letter(record, Problem("too_large", "org" if len(raw.org) > NAME_CHARS else "agent"))]
        if found_in(raw.org):
            # Not even a receipt may carry such a name.
            return [dead_letter(record, Problem("org_name", "org", "an organisation's name may hold no credential and no personal data"))]
        ids = ids_of(self._secret, raw.org)
        author = Author(record, ids, clean_name(ids, name))
        if record.key != f"{raw.org}/{raw.subject if isinstance(raw, Review) else name}".encode():
            return author.refused("access_breach")
        speaker = self._directory.speaker(record, raw.org)
        if speaker is None or not self._may(speaker, raw, name):
            return author.refused("access_breach")
        if wrong:
            if isinstance(raw, Erasure):
                return author.dead_letter(wrong, None)  # whom it names is not kept
            return author.dead_letter(wrong, excerpt(raw, wrong.field), named(ids, raw))
        return _taken(author, speaker, raw, self._floors, self._vault)

    def _may(self, speaker: Speaker, raw: Raw, name: str) -> bool:
        """Whether who signed may say it: of himself alone, a review by a role, who there is by the operator (SPEC 4.9, 9.1, 10.1)."""
        if speaker.principal is None:
            return True
        if isinstance(raw, Principal) or speaker.principal != name:
            return False
        if isinstance(raw, Erasure):
            return speaker.has("administrator", None)
        if not isinstance(raw, Review):
            return True
        space = raw.space
        if raw.agent is not None:
            whose = self._directory.find(raw.org, raw.agent)
            space = whose.home_space if whose is not None else None
        return any(speaker.has(role, space) for role in MAY.get(raw.act, ()))


def _author(raw: Raw) -> str:
    match raw:
        case Principal():
            return raw.principal
        case Review():
            return raw.reviewer
        case Erasure():
            return raw.requested_by
        case _:
            return raw.agent


def _taken(author: Author, speaker: Speaker, raw: Raw, floors: FloorRule, vault: Vault | None) -> list[Outgoing]:
    match raw:
        case Run():
            return scan_run(author, raw, floors, vault)
        case Outcome():
            return scan_outcome(author, raw, speaker.attested(raw.verified_by))
        case Write():
            return scan_write(author, raw, floors)
        case Review():
            return scan_review(author, raw, floors)
        case ClaimWrite():
            return scan_claim(author, raw, vault)
        case Erasure():
            return scan_erasure(author, raw, vault)
        case Principal():
            return [_identity(author, raw), *([_agent_changed(author, raw)] if raw.kind == "agent" else [])]
        case Exposure():
            return _recalled(author, raw)


def _identity(author: Author, principal: Principal) -> Outgoing:
    at = author.record.at
    identity = Identity(
        org=author.org,
        principal=author.agent,
        kind=principal.kind,
        home_space=clean_name(author.ids, principal.home_space),
        keys=bounded(principal.keys, at),
        roles=tuple(Grant(role=grant.role, space=clean_name(author.ids, grant.space)) for grant in principal.roles),
        # By broker time, then offset: the newest counts whatever is delivered again, and after the topic was made anew.
        revision=round(at.timestamp() * 1000) << 20 | author.record.offset & 0xFFFFF,
        at=at,
    )
    return Outgoing("identities", f"{author.org}/{author.agent}".encode(), encode(identity), author.log)


def _agent_changed(author: Author, principal: Principal) -> Outgoing:
    changed = AgentChanged(
        source=author.record.source(),
        sender=author.record.partition,
        org=author.org,
        agent=author.agent,
        received_at=author.record.at,
        home_space=clean_name(author.ids, principal.home_space),
        producer=principal.producer,
        hosted=principal.hosted,
        shared_learning=principal.shared_learning,
        tools=tuple(clean_name(author.ids, t) for t in principal.tools),
    )
    return author.clean(f"{author.org}/{author.agent}", changed)


def _recalled(author: Author, exposure: Exposure) -> list[Outgoing]:
    """The agent's own learnings that recalls showed it, once for each time; rows of a pool are not counted (SPEC 7.8)."""
    shown = tuple(row.subject for recall in exposure.recalls for row in recall.rows if row.own)
    if not shown:
        return []
    recalled = Recalled(
        source=author.record.source(),
        sender=author.record.partition,
        org=author.org,
        agent=author.agent,
        received_at=author.record.at,
        learning_ids=shown,
    )
    return [author.clean(f"{author.org}/{author.agent}", recalled)]


def _unreadable(record: Incoming, problem: Problem) -> list[Outgoing]:
    """A message that can't be read: whose it is only its key says, and that was not checked, so the receipt alone tells it."""
    out = [dead_letter(record, problem)]
    org, _, agent = (record.key or b"").decode("utf-8", "replace").partition("/")
    if 0 < len(org) <= NAME_CHARS and 0 < len(agent) <= NAME_CHARS and not found_in(org) and not any(found_in(s) for s in agent.split("/")):
        receipt = Receipt(
            id=record.receipt, org=org, agent=agent, part="message", end="dead_lettered", reason=problem.code, at=record.at, revision=0
        )
        out.append(Outgoing("receipts", receipt.id.encode(), encode(receipt), agent_log(org, agent)))
    return out
