"""The schemas on disk: what we write today (avsc/) and every released version that we still read (released/)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro.schema

HERE = Path(__file__).parent
NAMESPACE = "tidegate"


@dataclass(frozen=True, slots=True)
class Schema:
    """One version of a record's schema.

    `tree`: its JSON, with a record that is only named the second time written out there too; `parsed`: as fastavro takes it;
    `fingerprint`: CRC-64-AVRO of its parsing canonical form, 8 bytes little endian.
    """

    name: str
    tree: dict[str, Any]
    parsed: Any
    fingerprint: bytes


def read_schema(path: Path) -> Schema:
    """The schema in a file. Raises ValueError, naming the file, where it is no schema."""
    try:
        tree = json.loads(path.read_text())
        canonical = fastavro.schema.to_parsing_canonical_form(tree)
        fingerprint = bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))
        return Schema(tree["name"], _written_out(tree, {}), fastavro.parse_schema(tree), fingerprint)
    except (ValueError, KeyError, fastavro.schema.SchemaParseException) as error:
        raise ValueError(f"{path}: not an Avro schema: {error}") from error


def _written_out(tree: Any, named: dict[str, Any]) -> Any:
    if isinstance(tree, str):
        return named.get(tree.removeprefix(f"{NAMESPACE}."), tree)
    if isinstance(tree, list):
        return [_written_out(branch, named) for branch in tree]
    if tree["type"] == "array":
        return {**tree, "items": _written_out(tree["items"], named)}
    if tree["type"] != "record":
        return tree
    whole = {**tree, "fields": [{**field, "type": _written_out(field["type"], named)} for field in tree["fields"]]}
    named[tree["name"]] = whole
    return whole


SCHEMAS: dict[str, Schema] = {s.name: s for s in map(read_schema, sorted((HERE / "avsc").glob("*.avsc")))}
WRITERS: dict[bytes, Schema] = {
    s.fingerprint: s for s in [*map(read_schema, sorted((HERE / "released").glob("*/*.avsc"))), *SCHEMAS.values()]
}
