"""docs/wire.md says what the code does: each message, fingerprint, partition, limit, word and reason in it."""

import re
import typing

import pytest

from pipelines.kafka import FRAMING_BYTES
from pipelines.topics import MESSAGE_BYTES
from schemas import codec, validate
from schemas.jsonform import parse_line
from schemas.keys import parse
from schemas.partition import murmur2, partition_of
from schemas.records import Outcome, Principal, Run
from schemas.signing import HEADER, Signer
from schemas.store import HERE, SCHEMAS

DOC = (HERE.parent / "docs" / "wire.md").read_text()
MESSAGES = re.findall(r"```json\n(.*?)\n```\n```hex\n(.*?)\n```", DOC, re.DOTALL)


def rows(heading: str) -> list[list[str]]:
    """Cells of the table under a heading whose first column is called so."""
    table = re.search(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", DOC, re.MULTILINE)
    assert table, heading
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def test_the_document_has_an_example_of_each_record() -> None:
    kinds = {type(codec.decode(bytes.fromhex(hexed))) for _, hexed in MESSAGES}
    assert kinds == {Run, Outcome, Principal}


@pytest.mark.parametrize(("text", "hexed"), MESSAGES)
def test_messages_in_hex_are_those_in_json(text: str, hexed: str) -> None:
    record = codec.decode(bytes.fromhex(hexed))
    assert parse_line(type(record), text) == record
    assert codec.encode(record) == bytes.fromhex(hexed)
    assert validate.problem(record) is None


def test_fingerprints() -> None:
    for name, release, fingerprint in rows("record"):
        assert SCHEMAS[name].fingerprint.hex() == fingerprint
        assert (HERE / "released" / release / f"{name.lower()}.avsc").exists()


def test_partitions() -> None:
    for key, hashed, of_8, of_32 in rows("key"):
        found = murmur2(key.encode())
        assert (str(found), str(partition_of(found, 8)), str(partition_of(found, 32))) == (hashed, of_8, of_32)


def test_the_signature_is_that_of_the_first_outcome() -> None:
    """SPEC 9.1"""
    [signature] = re.findall(r"```signature\n(.*?)\n```", DOC)
    bearer = parse(next(iter(re.findall(r"`(tg_[0-9a-f]{16}_[\w-]+)`", DOC))))
    assert bearer is not None
    outcome = next(bytes.fromhex(hexed) for text, hexed in MESSAGES if "outcome_id" in text)
    assert Signer.of(bearer).header("outcomes", "acme", outcome) == (HEADER, signature.encode())
    assert f"`{HEADER}`" in DOC


def test_limits() -> None:
    limits = [int(limit.split()[0]) for _, limit in rows("what")]
    assert limits == [validate.RUN_BYTES, MESSAGE_BYTES, validate.RECORD_BYTES, validate.TEXT_BYTES, validate.PARTS, validate.NAME_CHARS]
    assert str(validate.RUN_BYTES + FRAMING_BYTES) in DOC


def test_every_word_that_is_taken_is_said() -> None:
    for name, words in vars(validate).items():
        if name.isupper() and isinstance(words, tuple):
            for word in typing.cast("tuple[str, ...]", words):
                assert f"`{word}`" in DOC, (name, word)


def test_every_end_and_its_reasons_are_said() -> None:
    """SPEC 9.3"""
    assert [end for end, _ in rows("end")] == ["stored", "held", "duplicate", "waiting", "refused", "dead_lettered"]
    code = "".join(path.read_text() for name in ("scan", "aggregate", "promote") for path in (HERE.parent / "agents" / name).glob("*.py"))
    reasons = set(re.findall(r'"(?:stored|duplicate|waiting|refused|dead_lettered)", "(\w+)"', code))
    reasons |= set(re.findall(r'(?:refused\(|_park\(turn, outcome, |UNKNOWN, LATE_AMENDMENT = "unknown_entry", )"(\w+)"', code))
    assert reasons >= {"bad_ref", "access_breach", "late_outcome", "late_amendment", "duplicate"}
    assert {reason for reason in reasons if f"`{reason}`" not in DOC} == set()


def test_every_reason_is_said() -> None:
    said = {reason for reason, _ in rows("reason")}
    source = "".join((HERE / f"{module}.py").read_text() for module in ("codec", "jsonform", "validate"))
    assert said == set(re.findall(r'Problem\("(\w+)"', source)) | set(re.findall(r'_Refused\("(\w+)"', source)) - {"unknown_field"}
