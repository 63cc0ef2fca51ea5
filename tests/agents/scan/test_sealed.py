"""What is its agent's alone leaves scan sealed; who has the key reads it, until it is destroyed (SPEC 8.3)."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agents.binding.batch import Incoming, Outgoing
from agents.binding.lease import EXIT_STORE_FAILED
from agents.scan.core import Scan
from agents.scan.directory import Directory
from schemas.codec import decode, encode
from schemas.records import ClaimDraft, Decision, Entity, Erasure, Run, RunSeen, Step
from schemas.sealed import open_claim, open_episode
from schemas.vault import Vault

SECRET = b"0" * 32
ROOT = Path(__file__).parents[3]
AT = datetime(2026, 3, 1, tzinfo=UTC)
SAID, TERMS = "the parcel stands in the yard", "net thirty by invoice"
RUN = Run(
    run_id="r-1",
    org="acme",
    agent="agent/a",
    environment={"place": SAID},
    entities=(Entity(kind="customer", value="Globex"),),
    claims=(ClaimDraft(entity="Globex", key="billing/terms", value=f'"{TERMS}"'),),
    steps=(Step(kind="tool", tool="orders.get", input=f'"{SAID}"', output=f'["{SAID}"]', status="ok"),),
)


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    vault = Vault(tmp_path / "vault.db")
    yield vault
    vault.close()


def scanned(vault: Vault | None, *records: Run | Erasure) -> list[Outgoing]:
    """Records a minute after each other."""
    raw = [
        Incoming("erasures" if isinstance(record, Erasure) else "runs", "e1", 3, n, AT + timedelta(minutes=n), b"", encode(record))
        for n, record in enumerate(records)
    ]
    for message, record in zip(raw, records, strict=True):
        message.key = f"{record.org}/{record.requested_by if isinstance(record, Erasure) else record.agent}".encode()
    return Scan(SECRET, Directory(SECRET, admits_unsigned=True), vault=vault).step(3, raw, lambda _: None).out


def seen(out: list[Outgoing]) -> RunSeen:
    return next(r for o in out if isinstance(r := decode(o.value), RunSeen))


def test_nothing_that_leaves_scan_shows_it(vault: Vault) -> None:
    """Neither the agents' log nor any other topic; what figures are made of stays readable."""
    out = scanned(vault, RUN)
    assert not any(text.encode() in (o.value or b"") for o in out for text in (SAID, TERMS, "Globex"))
    assert [(s.tool, s.status) for s in seen(out).episode.steps] == [("orders.get", "ok")]


def test_who_has_the_key_reads_it_as_it_was(vault: Vault) -> None:
    plain, sealed = seen(scanned(None, RUN)), seen(scanned(vault, RUN))
    assert open_episode(vault, sealed.episode) == plain.episode
    assert [open_claim(vault, claim) for claim in sealed.claims] == list(plain.claims)
    assert open_episode(vault, plain.episode) == plain.episode  # from before there were keys


def test_a_run_that_is_scanned_again_is_sealed_the_same(vault: Vault) -> None:
    """Exactly once by construction: what is sent again is the same."""
    assert [o.value for o in scanned(vault, RUN)] == [o.value for o in scanned(vault, RUN)]


def test_an_erasure_makes_every_copy_unreadable_and_no_other_entitys(vault: Vault) -> None:
    """SPEC 8.3: at once, before anything else hears of it; the journal is told how many keys went."""
    other = replace(RUN, run_id="r-2", entities=(), claims=(replace(RUN.claims[0], entity="Initech"),))
    erasure = Erasure(org="acme", entity="globex", requested_by="person/mina")
    copy, kept = seen(scanned(vault, RUN)), seen(scanned(vault, other))
    out = scanned(vault, RUN, other, erasure)
    assert [open_episode(vault, copy.episode), *(open_claim(vault, c) for c in copy.claims)] == [None, None]
    assert open_episode(vault, kept.episode) is not None
    assert [open_claim(vault, c) is not None for c in kept.claims] == [True]
    assert [r.figures["keys"] for o in out if isinstance(r := decode(o.value), Decision)] == ["2"]


def test_a_run_that_an_erasure_overtook_is_sealed_for_nobody(vault: Vault) -> None:
    """SPEC 8.4: it was sent before, and is scanned after."""
    scanned(vault, replace(RUN, run_id="r-0"), Erasure(org="acme", entity="Globex", requested_by="person/mina"))
    late = seen(scanned(vault, RUN))
    assert open_episode(vault, late.episode) is None


def test_without_its_store_a_worker_ends_and_puts_nothing_aside(tmp_path: Path) -> None:
    """A store that fails is no record's fault: what it had taken is taken again."""
    code = (
        "import sys; from pathlib import Path; from schemas.vault import Vault; from tests.agents.scan.test_sealed import RUN, scanned;"
        "vault = Vault(Path(sys.argv[1])); vault.close(); scanned(vault, RUN)"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "vault.db"], capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, "store of keys" in done.stderr) == (EXIT_STORE_FAILED, True)
