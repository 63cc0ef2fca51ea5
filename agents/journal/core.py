"""journal: every organisation's decisions in order, signed, in two chains (SPEC 6.8), as a pure function of a batch.

A chain keeps its tip, its Merkle tree's frontier and, of each partition of each log on which its authors decide, the newest decision it
took. Authors decide in the order of their log, so what is delivered again, by a crash of theirs or of this agent or by a rewind, is
known in a room that does not grow with the chain, and an entry costs the same at any length.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agents.binding.batch import Incoming, Outgoing, Read, Result
from agents.journal.chain import CHAINS, Tip, append, canonical_bytes, commit, entry_key
from agents.journal.merkle import Frontier, leaf_hash
from agents.journal.verify import checkpoint
from schemas.codec import decode_as, encode, load
from schemas.ids import ids_of
from schemas.partition import log_hash
from schemas.problem import Problem
from schemas.records import DeadLetter, Decision, JournalHead, JournalText, Source

_LOG_KEPT = timedelta(days=30)


class Journal:
    """The core of journal. `secret`: salts are made from it; `key` signs. A chain has each decision once, and no gap."""

    def __init__(self, secret: bytes, key: Ed25519PrivateKey) -> None:
        self._secret, self._key = secret, key

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        """Take a batch of decisions."""
        result = Result()
        chains: dict[tuple[str, str], _Chain] = {}
        for record in batch:
            decision = decode_as(Decision, record.value)
            if isinstance(decision, Problem):
                result.out.append(_unreadable(record, decision))
            elif decision.chain not in CHAINS:
                result.out.append(_unreadable(record, Problem("bad_value", "chain")))
            else:
                name = (decision.org, decision.chain)
                if name not in chains:
                    chains[name] = _Chain(*name, read(_key(*name)))
                result.out += self._enter(chains[name], decision)
        for chain in chains.values():
            if chain.newest is not None:
                point = checkpoint(chain.org, chain.name, chain.tree, chain.newest, self._key)
                result.out.append(_sent("journal-seals", f"{chain.org}/{chain.name}", point, chain.org))
                result.states[_key(chain.org, chain.name)] = chain.save()
        return result

    def _enter(self, chain: "_Chain", decision: Decision) -> Iterator[Outgoing]:
        """Append a decision to its chain, unless the chain took it already."""
        if not chain.take(decision.source):
            return
        salts = {name: ids_of(self._secret, decision.org).salt(decision.decision_id, name) for name in decision.texts}
        commitments = {name: commit(salts[name], name, text) for name, text in decision.texts.items()}
        entry, chain.tip = append(chain.tip, decision, commitments, self._key)
        chain.tree, chain.newest = chain.tree.append(leaf_hash(canonical_bytes(entry))), entry.at
        yield Outgoing("journal", entry_key(entry), encode(entry), log_hash(entry.org))
        for name, text in decision.texts.items():
            yield _text(entry.org, f"{entry.chain}/{entry.sequence}", name, text, salts[name].hex(), entry.at)
        if decision.decision == "text_erased":
            for name in decision.figures["names"].split(","):
                yield _text(entry.org, decision.subject, name, "", "", entry.at)


class _Chain:
    """A chain while a batch is taken. `newest`: time of the latest entry, None where the batch added none."""

    def __init__(self, org: str, name: str, value: bytes | None) -> None:
        self.org, self.name = org, name
        self.newest: datetime | None = None
        self.tip, self.tree = Tip(), Frontier()
        self._marks: dict[tuple[str, str, int], Source] = {}
        if value is not None:
            head = load(JournalHead, value)
            self.tip, self.tree = Tip(head.sequence, head.hash), Frontier.unpack(head.sequence, head.tree)
            self._marks = {(m.topic, m.epoch, m.partition): m for m in head.marks}

    def take(self, source: Source) -> bool:
        """Whether a decision is new to the chain; if so it counts as taken."""
        place = (source.topic, source.epoch, source.partition)
        mark = self._marks.get(place)
        if mark is not None and (source.offset, source.index) <= (mark.offset, mark.index):
            return False
        self._marks[place] = source
        return True

    def save(self) -> bytes:
        """The table's value of the chain as it is now."""
        marks = tuple(self._marks.values())
        return encode(JournalHead(sequence=self.tip.sequence, hash=self.tip.hash, tree=self.tree.pack(), marks=marks))


def _sent(topic: str, key: str, record: object, org: str) -> Outgoing:
    return Outgoing(topic, key.encode(), encode(record), log_hash(org))


def _text(org: str, place: str, name: str, text: str, salt: str, at: datetime) -> Outgoing:
    """A text that the entry at a place, chain/sequence, commits to; an empty one takes the place of what is erased."""
    chain, _, sequence = place.partition("/")
    kept = JournalText(org=org, chain=chain, sequence=int(sequence), name=name, text=text, salt=salt, at=at, erased=not salt)
    return _sent("journal-texts", f"{org}/{place}/{name}", kept, org)


def _unreadable(record: Incoming, problem: Problem) -> Outgoing:
    letter = DeadLetter(
        id=record.receipt,
        topic=record.topic,
        epoch=record.epoch,
        partition=record.partition,
        offset=record.offset,
        part="message",
        reason=problem.code,
        field=problem.field,
        at=record.at,
        replayable_until=record.at + _LOG_KEPT,
    )
    return Outgoing("dead-letters", record.topic.encode(), encode(letter), log_hash(record.topic))


def _key(*parts: str) -> bytes:
    return "\0".join(("head", *parts)).encode()
