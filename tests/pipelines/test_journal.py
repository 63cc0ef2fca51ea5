"""SPEC 6.8: a journal as a file, verified by anybody with the public key alone; whatever was done to it is found."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agents.journal.chain import Tip, append, canonical_bytes, countersign, sign
from agents.journal.keys import JOURNAL, SECOND_GATE, key_id, published
from agents.journal.merkle import Frontier, leaf_hash
from agents.journal.verify import checkpoint
from pipelines.journal import Verified, as_json, as_line, checkpoints, from_file, verify
from pipelines.seals import Seals
from schemas.records import JournalCountersignature, JournalEntry
from tests.agents.journal.test_chain import AT, KEY, OTHER, decided

GATE, STRANGER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (8, 9))
PINNED = {key_id(KEY.public_key()): KEY.public_key()}
PUBLIC = ("acme", "public")
Lines = list[dict[str, Any]]


def entries(size: int = 6, chain: str = "public", rotated_at: int = 99) -> list[JournalEntry]:
    tip, out = Tip(), []
    for n in range(1, size + 1):
        decision = decided(f"d-{n}", chain=chain, subject=f"s-{n}", at=AT + timedelta(seconds=n))
        entry, tip = append(tip, decision, {"rule": "ab" * 32}, OTHER if n >= rotated_at else KEY)
        out.append(entry)
    return out


def seals(*countersigned: JournalEntry, by: Ed25519PrivateKey = GATE) -> Seals:
    found = Seals()
    for key in (published(KEY.public_key(), JOURNAL, AT), published(OTHER.public_key(), JOURNAL, AT, KEY)):
        found.add(key)
    if countersigned:
        found.add(published(by.public_key(), SECOND_GATE, AT))
    for entry in countersigned:
        who = {"key": key_id(by.public_key()), "signature": countersign(entry, by)}
        found.add(JournalCountersignature(org=entry.org, chain=entry.chain, sequence=entry.sequence, subject=entry.subject, at=AT, **who))
    return found


def exported(chain: list[JournalEntry], known: Seals | None = None) -> Lines:
    return [json.loads(json.dumps(as_line(e, known or seals()))) for e in chain]


def verified(path: Path, lines: Lines | list[str], **given: Any) -> dict[tuple[str, str], Verified]:
    """What the verification of a file with these lines came to."""
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    given = {"pinned": PINNED, "against": {}, "expected": []} | given
    return verify(from_file(str(path), None, None), **given)


def changed(n: int, **changes: Any) -> Callable[[Lines], Lines]:
    return lambda lines: [*lines[:n], lines[n] | changes, *lines[n + 1 :]]


TAMPERED: list[tuple[str, Callable[[Lines], Any], int, str]] = [
    ("a reason", changed(2, reason="none"), 3, "changed"),
    ("a figure", changed(0, figures={"applied": "9"}), 1, "changed"),
    ("a time", changed(5, at="2026-03-01T09:00:07.000Z"), 6, "changed"),
    ("a commitment", changed(2, commitments={"rule": "00" * 32}), 3, "changed"),
    ("a signature", changed(2, signature="00" * 64), 3, "changed"),
    ("no hex for a signature", changed(2, signature="zz"), 3, "changed"),
    ("one left out", lambda c: [*c[:2], *c[3:]], 3, "missing"),
    ("two exchanged", lambda c: [*c[:2], c[3], c[2], *c[4:]], 3, "reordered"),
    ("one twice", lambda c: [*c[:3], c[2], *c[3:]], 4, "repeated"),
    ("a line that is no JSON", lambda c: [*c[:2], "{", *c[3:]], 3, "unreadable"),
    ("the first line no JSON", lambda c: ["{", *c[1:]], 1, "unreadable"),
    ("a field left out", lambda c: [*c[:2], {k: v for k, v in c[2].items() if k != "reason"}, *c[3:]], 3, "unreadable"),
    ("a number that is a text", changed(2, sequence="3"), 3, "unreadable"),
    ("a text that is a number", changed(2, reason=3), 3, "unreadable"),
    ("a figure that is a number", changed(2, figures={"applied": 3}), 3, "unreadable"),
    ("a time without a zone", changed(2, at="2026-03-01T09:00:03"), 3, "unreadable"),
    ("a lone surrogate", changed(2, reason="\ud800"), 3, "unreadable"),
    ("a list", lambda c: [*c[:2], "[]", *c[3:]], 3, "unreadable"),
]


@pytest.mark.parametrize(("tamper", "first_bad", "problem"), [pytest.param(*t[1:], id=t[0]) for t in TAMPERED])
def test_tampering_with_a_file_is_found(tmp_path: Path, tamper: Callable[[Lines], Any], first_bad: int, problem: str) -> None:
    (found,) = verified(tmp_path / "f", tamper(exported(entries())), expected=[PUBLIC]).values()
    assert (found.verdict.first_bad, found.verdict.problem, found.verdict.entries) == (first_bad, problem, first_bad - 1)


def test_a_stranger_cannot_sign_a_chain_of_his_own(tmp_path: Path) -> None:
    """Not against a key that one got another way; beside what is published, who can publish could."""
    known = Seals()
    known.add(published(STRANGER.public_key(), JOURNAL, AT))
    lines = exported([sign(e, STRANGER) for e in entries()], known)
    assert verified(tmp_path / "f", lines)[PUBLIC].verdict.problem == "forged"
    assert verified(tmp_path / "f", lines, pinned=None)[PUBLIC].verdict.ok


def test_a_key_that_was_rotated_in_is_believed_by_the_first(tmp_path: Path) -> None:
    lines = exported(entries(rotated_at=4))
    assert verified(tmp_path / "f", lines)[PUBLIC].verdict.ok
    lines[3]["signed_by"]["endorsement"] = lines[4]["signed_by"]["endorsement"] = lines[5]["signed_by"]["endorsement"] = "00" * 64
    assert verified(tmp_path / "f", lines)[PUBLIC].verdict.problem == "forged"


def test_chains_are_verified_apart(tmp_path: Path) -> None:
    public, restricted = exported(entries()), exported(entries(4, "restricted"))
    mixed = [line for pair in zip(public, restricted, strict=False) for line in pair] + public[4:]
    found = verified(tmp_path / "f", mixed)
    assert {name: (v.verdict.entries, v.verdict.ok) for name, v in found.items()} == {PUBLIC: (6, True), ("acme", "restricted"): (4, True)}
    mixed[1]["reason"] = "none"
    assert {name: v.verdict.first_bad for name, v in verified(tmp_path / "f", mixed).items()} == {PUBLIC: None, ("acme", "restricted"): 1}


@pytest.mark.parametrize(("kept", "problem", "first_bad"), [(6, None, None), (7, None, None), (5, "cut", 6), (0, "cut", 1)])
def test_a_checkpoint_kept_elsewhere_shows_a_cut_tail(tmp_path: Path, kept: int, problem: str | None, first_bad: int | None) -> None:
    chain, tree = entries(7), Frontier()
    for entry in chain[:6]:
        tree = tree.append(leaf_hash(canonical_bytes(entry)))
    (tmp_path / "point").write_text(json.dumps(as_json(checkpoint(*PUBLIC, tree, AT, KEY))))
    points = checkpoints(str(tmp_path / "point"))
    found = verified(tmp_path / "f", exported(chain[:kept]), against=points)[PUBLIC].verdict
    assert (found.problem, found.first_bad) == (problem, first_bad)


@pytest.mark.parametrize("text", ["", "{}", '{"org":"acme"}', "[]"])
def test_what_is_no_checkpoint_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "point").write_text(text + "\n")
    if text:
        with pytest.raises(ValueError, match="point:1: no checkpoint"):
            checkpoints(str(tmp_path / "point"))
    else:
        assert checkpoints(str(tmp_path / "point")) == {}


def test_an_organisation_without_entries_is_whole(tmp_path: Path) -> None:
    found = verified(tmp_path / "f", [], expected=[PUBLIC, ("acme", "restricted")])
    assert [(v.verdict.entries, v.verdict.ok) for v in found.values()] == [(0, True), (0, True)]


def test_countersignatures_are_counted_where_they_hold(tmp_path: Path) -> None:
    """SPEC 6.8: of a second gate's key, over the entry as it stands; the journal's own key is no second gate."""
    chain = entries()
    assert verified(tmp_path / "f", exported(chain, seals(chain[0], chain[3])))[PUBLIC].countersigned == 2
    assert verified(tmp_path / "f", exported(chain, seals(chain[0], by=KEY)))[PUBLIC].countersigned == 0
    lines = exported(chain, seals(chain[0]))
    lines[0]["countersignatures"][0]["signature"] = countersign(chain[1], GATE)
    assert verified(tmp_path / "f", lines)[PUBLIC].countersigned == 0


def test_a_line_says_all_that_verifies_its_entry() -> None:
    """docs/journal.md: the entry's fields, its key's record, and the second gates'."""
    (entry,) = entries(1)
    line = as_line(entry, seals(entry))
    assert line.keys() == {*asdict(entry), "signed_by", "countersignatures"}
    assert (line["at"], line["signed_by"]["public"]) == ("2026-03-01T09:00:01.250Z", KEY.public_key().public_bytes_raw().hex())
    assert as_line(replace(entry, key="unknown"), seals())["signed_by"] is None
