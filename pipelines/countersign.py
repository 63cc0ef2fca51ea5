"""The second gate at work: it verifies the public chain, looks at each promotion, and signs those that hold (SPEC 6.8)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from confluent_kafka import KafkaException, Producer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agents.journal.chain import countersign as sign
from agents.journal.keys import JOURNAL, SECOND_GATE, key_id, published
from agents.journal.second import PROVISIONAL, objections
from pipelines import keyring
from pipelines.admin import Layout
from pipelines.errors import SettingsError
from pipelines.journal import Verified, from_kafka, verify
from pipelines.meta import ClientConfig
from pipelines.seals import Seals, send
from pipelines.settings import Settings
from schemas.records import JournalCountersignature, JournalEntry

CHAIN = "public"


@dataclass(frozen=True, slots=True)
class Signed:
    """What a second gate made of a promotion. `problem`: why it did not sign; None: it did."""

    org: str
    sequence: int
    subject: str
    problem: str | None


def countersign(
    settings: Settings, config: ClientConfig, layout: Layout, producer: Producer, path: Path, org: str | None, at: datetime
) -> Iterator[Signed]:
    """Every promotion that this key has not signed yet, of one organisation or of all. Raises SettingsError, KafkaException."""
    own = keyring.public_file(settings.data)
    pinned = keyring.read_public(own) if own.exists() else None
    whole = verify(from_kafka(config, layout, org, CHAIN), pinned, {}, [])
    journal = from_kafka(config, layout, org, CHAIN)
    key = _key(path, journal.seals)
    name = key_id(key.public_key())
    for (of, _), verified in whole.items():
        if not verified.verdict.ok:
            yield Signed(of, verified.verdict.first_bad or 0, "", f"the chain is broken: {verified.verdict.problem}")
    new: list[JournalCountersignature] = []
    for entry in journal.entries:
        if not isinstance(entry, JournalEntry) or entry.decision != PROVISIONAL or not _is_whole(whole.get((entry.org, CHAIN)), entry):
            continue
        known = journal.seals.countersignatures.get((entry.org, CHAIN, entry.sequence), ())
        if name not in {c.key for c in known}:
            missing = list(objections(entry, settings.promotion_min_applied, settings.promotion_min_success_ratio))
            problem = f"does not hold: {', '.join(missing)}" if missing else None
            if problem is None:
                new.append(_signature(entry, key, at))
            yield Signed(entry.org, entry.sequence, entry.subject, problem)
    if name not in {record.key for record in journal.seals.keys}:
        send(producer, layout, [published(key.public_key(), SECOND_GATE, at)])
    send(producer, layout, new)
    if producer.flush(30.0):
        raise KafkaException("the broker did not take the countersignatures")


def _is_whole(verified: Verified | None, entry: JournalEntry) -> bool:
    """Whether an entry is of a whole chain, and was there when it was verified."""
    return verified is not None and verified.verdict.ok and entry.sequence <= verified.verdict.entries


def _key(path: Path, known: Seals) -> Ed25519PrivateKey:
    key = keyring.read(path) if path.exists() else keyring.make(path)
    if key_id(key.public_key()) in {record.key for record in known.keys if record.role == JOURNAL}:
        raise SettingsError(f"{path} is the journal's own key: a second gate has another")
    return key


def _signature(entry: JournalEntry, key: Ed25519PrivateKey, at: datetime) -> JournalCountersignature:
    return JournalCountersignature(
        org=entry.org,
        chain=entry.chain,
        sequence=entry.sequence,
        subject=entry.subject,
        key=key_id(key.public_key()),
        signature=sign(entry, key),
        at=at,
    )
