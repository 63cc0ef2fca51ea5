"""The schemas on disk: what we write today (avsc/) and every released version that we still read (released/)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro.schema

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Schema:
    """One version of a record's schema. `fingerprint`: CRC-64-AVRO of its parsing canonical form, 8 bytes little endian."""

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
        return Schema(tree["name"], tree, fastavro.parse_schema(tree), fingerprint)
    except (ValueError, KeyError, fastavro.schema.SchemaParseException) as error:
        raise ValueError(f"{path}: not an Avro schema: {error}") from error


SCHEMAS: dict[str, Schema] = {s.name: s for s in map(read_schema, sorted((HERE / "avsc").glob("*.avsc")))}
WRITERS: dict[bytes, Schema] = {
    s.fingerprint: s for s in [*map(read_schema, sorted((HERE / "released").glob("*/*.avsc"))), *SCHEMAS.values()]
}
