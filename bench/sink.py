"""Into ClickHouse (chDB): the sink's own writer, by column, beside rows decoded with fastavro, on the same receipts."""

import io
import itertools
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import fastavro
from clickhouse_connect.driver.client import Client

from schemas.codec import HEADER_BYTES, encode
from schemas.records import Receipt
from schemas.store import SCHEMAS
from sinks import migrate
from sinks.batch import Message
from sinks.client import connect
from sinks.processors import processors
from sinks.writer import Writer

BATCH = 50_000
"""The sink's own largest batch."""
_AT = datetime(2026, 3, 1, tzinfo=UTC)
_NAMES = [field.name for field in fields(Receipt)]


@dataclass(slots=True)
class Load:
    """What a way into ClickHouse took. `cpu`: seconds, the engine's threads too."""

    way: str
    rows: int
    seconds: float
    cpu: float
    kind: str = "sink"


def loads(rows: int, folder: Path) -> list[Load]:
    """Load receipts both ways, each into a database of its own. Raises RuntimeError where rows are missing."""
    messages = _receipts(rows)
    out = []
    with tempfile.TemporaryDirectory(dir=folder) as path:
        client = connect(f"chdb://{path}", None)
        for number, (way, made) in enumerate({"by column, the product's writer": _writer, "by row, fastavro": _by_row}.items()):
            client.command(f"CREATE DATABASE w{number}")
            client.database = f"w{number}"
            migrate.forwards(client)
            write = made(client)
            write(messages[:1_000])
            wall, cpu = time.monotonic(), time.process_time()
            for first in range(0, rows, BATCH):
                write(messages[first : first + BATCH])
            out.append(Load(way, rows, time.monotonic() - wall, time.process_time() - cpu))
            found = client.query("SELECT count() FROM receipts FINAL").result_rows[0][0]
            if found != rows:
                raise RuntimeError(f"{way}: {found} of {rows} rows arrived")
        client.close()
    return out


def _receipts(rows: int) -> list[Message]:
    random_ = random.Random(3)
    made = []
    for offset in range(rows):
        agent = f"agent/support-{random_.randrange(400)}"
        record = Receipt(
            id=f"outcomes:0:{offset}", org="acme", agent=agent, part="credit:0", end="stored", reason=None, at=_AT, revision=2
        )  # fmt: skip
        made.append(Message("receipts", 0, offset, 0, encode(record)))
    return made


def _writer(client: Client) -> Callable[[Sequence[Message]], object]:
    writer = Writer(client, processors(b"benchmark" * 4))
    writer.prepare()
    return writer.write


def _by_row(client: Client) -> Callable[[Sequence[Message]], object]:
    schema = SCHEMAS["Receipt"].parsed
    tokens = itertools.count()

    def write(messages: Sequence[Message]) -> None:
        rows = []
        for message in messages:
            body = io.BytesIO(message.value or b"")
            body.seek(HEADER_BYTES)
            plain = fastavro.schemaless_reader(body, schema, None)
            rows.append([plain[name] if plain[name] is not None else "" for name in _NAMES])  # type: ignore[call-overload, index]
        client.insert("receipts", rows, column_names=_NAMES, settings={"insert_deduplication_token": str(next(tokens))})

    return write
