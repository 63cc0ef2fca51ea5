"""The one job that every engine does: outcomes credit learnings, and a learning that proves itself becomes a candidate.

Topic `outcomes` (Avro single-object) is split into credits, which go by learning through topic `credits`; a learning counts each outcome
once, as far as its latest WINDOW outcomes tell, and goes to `candidates` when it passes the gate. Its state outlives the process.

State of a learning, the same bytes in every engine's store: u32 applied, u32 helpful, u8 whether it was sent, then 8 bytes of each of the
latest WINDOW outcomes. A credit: 8 bytes of the outcome's id, u8 flags (1 applied, 2 helpful), i64 when the outcome was made (ms).
"""

import io
import json
import os
import struct
import threading
import time
from collections.abc import Mapping
from typing import Any

import fastavro
import orjson

SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "Outcome",
    "namespace": "bench",
    "fields": [
        {"name": "outcome_id", "type": "string"},
        {"name": "org", "type": "string"},
        {"name": "agent", "type": "string"},
        {"name": "run_id", "type": ["null", "string"]},
        {"name": "at", "type": "long"},
        {"name": "result", "type": {"type": "enum", "name": "Result", "symbols": ["success", "partial", "failure"]}},
        {"name": "verified_by", "type": ["null", "string"]},
        {"name": "causal_confidence", "type": "double"},
        {
            "name": "credits",
            "type": {
                "type": "array",
                "items": {
                    "type": "record",
                    "name": "Credit",
                    "fields": [
                        {"name": "learning", "type": "string"},
                        {"name": "applied", "type": "boolean"},
                        {"name": "helpful", "type": "boolean"},
                    ],
                },
            },
        },
    ],
}
PARSED = fastavro.parse_schema(json.loads(json.dumps(SCHEMA)))
FINGERPRINT = bytes.fromhex(fastavro.schema.fingerprint(fastavro.schema.to_parsing_canonical_form(SCHEMA), "CRC-64-AVRO"))
HEADER = b"\xc3\x01" + FINGERPRINT

PARTITIONS = 4
WINDOW = 100
LEARNING_BYTES = 32
MIN_APPLIED, MIN_RATIO = 3, 0.70

_CREDIT = struct.Struct("<8sBq")
_COUNTS = struct.Struct("<IIB")
CREDIT_BYTES = _CREDIT.size
pack_credit = _CREDIT.pack
unpack_credit = _CREDIT.unpack
counts_of = _COUNTS.unpack_from
_NEW = _COUNTS.pack(0, 0, 0)
_FIRST = _COUNTS.size
_FULL = _FIRST + 8 * WINDOW


def encode(outcome: Mapping[str, Any]) -> bytes:
    """The message of an outcome."""
    out = io.BytesIO()
    out.write(HEADER)
    fastavro.schemaless_writer(out, PARSED, outcome)
    return out.getvalue()


def decode(message: bytes) -> dict[str, Any]:
    """The outcome in a message. Raises ValueError where it is none."""
    if not message.startswith(HEADER):
        raise ValueError("not an outcome")
    body = io.BytesIO(message)
    body.seek(len(HEADER))
    outcome: Any = fastavro.schemaless_reader(body, PARSED, None)
    if body.tell() != len(message):
        raise ValueError("bytes stand behind the outcome")
    return outcome  # type: ignore[no-any-return]


def split(outcome: Mapping[str, Any]) -> list[tuple[bytes, bytes]]:
    """Learning and credit, for each credit of an outcome."""
    id_, at = bytes.fromhex(outcome["outcome_id"][:16]), outcome["at"]
    return [(c["learning"].encode(), pack_credit(id_, c["applied"] | c["helpful"] << 1, at)) for c in outcome["credits"]]


def count(state: bytes | None, id_: bytes, flags: int) -> tuple[bytes, bool]:
    """A learning's state after a credit, and whether it passes the gate now. A credit that counted already gives the state itself."""
    if state is None:
        state = _NEW
    at = state.find(id_, _FIRST)
    while at >= 0:
        if (at - _FIRST) % 8 == 0:
            return state, False
        at = state.find(id_, at + 1)
    applied, helpful, sent = counts_of(state)
    if flags & 1:
        applied += 1
        helpful += flags >> 1
    passes = not sent and applied >= MIN_APPLIED and helpful >= MIN_RATIO * applied
    kept = state[_FIRST:] if len(state) < _FULL else state[_FIRST + 8 :]
    return _COUNTS.pack(applied, helpful, sent or passes) + kept + id_, passes


def candidate(learning: bytes, state: bytes, at: int) -> bytes:
    """The message of a candidate; `at`: of the credit that made it one."""
    applied, helpful, _ = counts_of(state)
    return orjson.dumps({"learning": learning.decode(), "applied": applied, "helpful": helpful, "at": at})


class Setting:
    """What the runner tells an engine: where the broker is, how this run's topics are called, where it may keep files."""

    def __init__(self) -> None:
        self.brokers = os.environ["BENCH_BROKERS"]
        self.name = os.environ["BENCH_NAME"]
        self.data = os.environ["BENCH_DATA"]

    def topic(self, topic: str) -> str:
        """Full name of a topic."""
        return f"{self.name}-{topic}"


class Progress(threading.Thread):
    """Tells the runner how many credits were counted: a line with the number, up to fifty a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.counted = 0
        self.start()

    def run(self) -> None:
        """Write until the process ends; not by print: a Faust worker makes log records of what is printed."""
        told = -1
        while True:
            if self.counted != told:
                told = self.counted
                os.write(1, b"%d\n" % told)
            time.sleep(0.02)
