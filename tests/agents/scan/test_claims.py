"""A claim written outside of a run: scrubbed, private by default, never without its organisation (SPEC 8.1)."""

from datetime import UTC, datetime

import pytest

from agents.binding.batch import Incoming, Outgoing
from agents.scan.core import Scan
from agents.scan.directory import Directory
from schemas.codec import decode, encode
from schemas.ids import ids_of
from schemas.records import ClaimDraft, ClaimSeen, ClaimWrite, DeadLetter, Finding

SECRET = b"0" * 32
IDS = ids_of(SECRET, "acme")
AT = datetime(2026, 3, 1, tzinfo=UTC)
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2fG4"


def scanned(draft: ClaimDraft, org: str = "acme") -> list[Outgoing]:
    write = ClaimWrite(org=org, agent="agent/a", claim=draft)
    raw = Incoming("claim-writes", "e1", 3, 7, AT, f"{org}/agent/a".encode(), encode(write))
    return Scan(SECRET, Directory(SECRET, admits_unsigned=True)).step(3, [raw], lambda _: None).out


def seen(draft: ClaimDraft) -> ClaimSeen:
    return next(r for o in scanned(draft) if isinstance(r := decode(o.value), ClaimSeen))


def test_it_goes_to_its_agents_log() -> None:
    """SPEC 8.1: under the id that a run's claim would have, with a stand-in by which its entity can be erased."""
    claim = seen(ClaimDraft(entity="Globex", key="billing/terms", value='"by invoice"')).claim
    assert (claim.claim_id, claim.entity_id) == (IDS.claim("agent/a", "Globex", "billing/terms"), IDS.entity("globex"))
    assert (claim.value, claim.run_id, claim.reason) == ('"by invoice"', None, "")


@pytest.mark.parametrize(
    ("stated", "reads", "reason"),
    [
        (None, "agent_specific", ""),
        ("sensitive", "sensitive", ""),
        ("shareable", "shareable", ""),
        ("open", "agent_specific", "unknown_privacy"),
    ],
)
def test_it_is_private_where_nothing_known_is_stated(stated: str | None, reads: str, reason: str) -> None:
    """SPEC 2.7, 8.2: an unknown word reads private, and a person may look at it."""
    claim = seen(ClaimDraft(entity="Globex", key="billing/terms", privacy=stated)).claim
    assert (claim.privacy, claim.reason) == (reads, reason)


def test_what_is_found_in_it_is_masked_and_quarantined() -> None:
    """SPEC 3.9, 8.2: the value is gone from every record, a finding says where it was, and curation shows it."""
    out = scanned(ClaimDraft(entity="Globex", key="api/key", value=f'"use {TOKEN}"'))
    claim = next(r for o in out if isinstance(r := decode(o.value), ClaimSeen)).claim
    [finding] = [r for o in out if isinstance(r := decode(o.value), Finding)]
    assert (finding.subject, finding.subject_kind, finding.field) == (claim.claim_id, "claim", "claim.value")
    assert claim.reason == finding.kind
    assert not any(TOKEN.encode() in (o.value or b"") for o in out)


def test_without_an_organisation_it_is_refused() -> None:
    """SPEC 8.1"""
    out = [decode(o.value) for o in scanned(ClaimDraft(entity="Globex", key="billing/terms"), org="")]
    assert [(letter.field, letter.reason) for letter in out if isinstance(letter, DeadLetter)] == [("org", "missing")]
    assert not any(isinstance(r, ClaimSeen) for r in out)
