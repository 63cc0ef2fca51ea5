"""The client's own codec writes what the service's does, of schemas that are copies of the service's (docs/wire.md)."""

import re
from typing import Any

import pytest
from hypothesis import given

from schemas import codec
from schemas.jsonform import dump, loads, parse
from schemas.problem import Problem
from schemas.records import Outcome, Run
from schemas.store import HERE, SCHEMAS
from tests.client.test_client import ROOT
from tests.schemas.strategies import values
from tidegate_client import codec as client
from tidegate_client.signing import Signer

WIRE = (HERE.parent / "docs" / "wire.md").read_text()
MESSAGES = [(loads(text), bytes.fromhex(hexed)) for text, hexed in re.findall(r"```json\n(.*?)\n```\n```hex\n(.*?)\n```", WIRE, re.DOTALL)]
TOLD = [(told, message) for told, message in MESSAGES if isinstance(codec.decode(message), Run | Outcome)]


@pytest.mark.parametrize("name", ["run.avsc", "outcome.avsc"])
def test_its_schemas_are_copies(name: str) -> None:
    """A schema that has changed is copied: cp schemas/avsc/{run,outcome}.avsc client/tidegate_client/avsc/."""
    assert (ROOT / "tidegate_client" / "avsc" / name).read_text() == (HERE / "avsc" / name).read_text()


@pytest.mark.parametrize(("told", "message"), TOLD)
def test_the_messages_of_the_document(told: Any, message: bytes) -> None:
    assert client.encode("runs" if "run_id" in told and "outcome_id" not in told else "outcomes", told) == message


@given(values(SCHEMAS["Run"].tree) | values(SCHEMAS["Outcome"].tree))
def test_any_record(record: Run | Outcome) -> None:
    told = dump(record)
    read = parse(type(record), told)
    if not isinstance(read, Problem):  # an outcome without credits, for one, is none as JSON
        assert client.encode("runs" if isinstance(record, Run) else "outcomes", told) == codec.encode(read)


OUTCOME = {"outcome_id": "o-1", "org": "acme", "agent": "agent/a", "result": "success", "credits": []}


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"outcome_id": None}, "outcome_id"),
        ({"agnt": "x"}, "agnt"),
        ({"result": 7}, "result"),
        ({"at": "2026-03-01T09:00:00"}, "at"),
        ({"at": 7}, "at"),
        ({"score": float("inf")}, "score"),
        ({"credits": [{"ref": "x", "version": 2**31}]}, "credits[0].version"),
        ({"credits": [{"ref": "x", "applied": "yes"}]}, "credits[0].applied"),
        ({"credits": {}}, "credits"),
        ({"credits": ["x"]}, "credits[0]"),
    ],
)
def test_what_does_not_fit_is_said_by_its_path(fields: dict[str, Any], where: str) -> None:
    with pytest.raises(client.Unfit) as raised:
        client.encode("outcomes", OUTCOME | fields)
    assert raised.value.field == where


def test_a_signature() -> None:
    """Signed: key id, topic, organisation and payload, each behind its length in four bytes; pinned, the service has the same."""
    message = next(message for told, message in TOLD if isinstance(told, dict) and "outcome_id" in told)
    signer = Signer.of("tg_56475aa75463474c_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
    assert signer.header("outcomes", "acme", message) == (
        "tidegate-signature",
        b"56475aa75463474c:X192Garg3ubMz/BwiJiv+DZ007vGJvrodSE3D7riLeAiQLESwSMsg0fTxMRsBKhDOWzvoZEPoDvYdNwPrO4eAA==",
    )
    with pytest.raises(ValueError, match="not a key"):
        Signer.of("swordfish")
