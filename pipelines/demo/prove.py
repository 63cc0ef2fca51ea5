"""Looks for planted values wherever they must not be: every topic but the raw side, every table of ClickHouse, every log.

A value is looked for as it is and as other layers write it: escaped in JSON, URL-encoded, in base64, in lower case. The raw side is
looked at too: that each value is found there shows that this would find it elsewhere.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, quote_plus

import hyperscan
from clickhouse_connect.driver.client import Client
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

from pipelines.demo.plant import Planted
from pipelines.kafka import Config
from pipelines.topics import TOPICS

_SILENCE_SECONDS = 10.0
_CHUNK_BYTES = 4 * 1024 * 1024
_BASE64_LEAST = 8
"""Fewest characters of a value's base64 that are looked for: fewer stand anywhere by chance."""
_RAW = {topic.name for topic in TOPICS if topic.side == "raw"}


class Finder:
    """Looks for all of some values at once."""

    def __init__(self, planted: Sequence[Planted]) -> None:
        forms = [(number, form) for number, value in enumerate(planted) for form in _forms(value.value)]
        self.longest = max(len(form) for _, form in forms)
        self._database = hyperscan.Database()
        self._database.compile(
            expressions=[form for _, form in forms],
            ids=[number for number, _ in forms],
            elements=len(forms),
            flags=hyperscan.HS_FLAG_SINGLEMATCH,
            literal=True,
        )

    def look(self, data: bytes) -> set[int]:
        """The numbers of the values that stand in some bytes."""
        found: set[int] = set()

        def on_match(number: int, start: int, end: int, flags: int, context: object) -> None:
            found.add(number)

        if data:
            self._database.scan(data, match_event_handler=on_match)
        return found


@dataclass(slots=True)
class Search:
    """What was looked at, and the numbers of the values found there. `raw`: found on the raw side, where they belong."""

    messages: int = 0
    topics: int = 0
    tables: int = 0
    files: int = 0
    bytes: int = 0
    raw: set[int] = field(default_factory=set)
    leaks: dict[str, set[int]] = field(default_factory=dict)

    def note(self, place: str, found: set[int]) -> None:
        """Values that stand where they must not."""
        if found:
            self.leaks.setdefault(place, set()).update(found)


def search(planted: Sequence[Planted], kafka: Config, prefix: str, client: Client, logs: Path) -> Search:
    """Look everywhere. `logs`: a folder of log files. Raises KafkaException, and what clickhouse-connect raises."""
    finder, result = Finder(planted), Search()
    for topic, text in _messages(kafka, prefix, result):
        if topic in _RAW:
            result.raw |= finder.look(text)
        else:
            result.messages += 1
            result.bytes += len(text)
            result.note(f"topic {topic}", finder.look(text))
    for table in _tables(client):
        result.tables += 1
        for text in _chunks(client, table, finder.longest):
            result.bytes += len(text)
            result.note(f"table {table}", finder.look(text))
    for file in sorted(logs.rglob("*")):
        if file.is_file():
            result.files += 1
            text = file.read_bytes()
            result.bytes += len(text)
            result.note(f"log {file.name}", finder.look(text))
    return result


def _forms(value: str) -> Iterable[bytes]:
    forms = {
        value,
        value.lower(),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        quote(value, safe=""),
        quote_plus(value),
    }
    return {form.encode() for form in forms} | set(_base64_forms(value.encode()))


def _base64_forms(value: bytes) -> Iterator[bytes]:
    """What of a value's base64 is the same wherever in a longer text it stands, for each of the three ways to stand there."""
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + value)
        end = len(whole) - (4 if (len(value) + before) % 3 else 0)
        part = whole[4 if before else 0 : end]
        if len(part) >= _BASE64_LEAST:
            yield part
            yield part.replace(b"+", b"-").replace(b"/", b"_")


def _messages(kafka: Config, prefix: str, result: Search) -> Iterator[tuple[str, bytes]]:
    """Topic without prefix, and key, value and headers of every record that the broker has, also of transactions that were given up."""
    config = {"group.id": f"{prefix}look", "enable.auto.commit": False, "enable.partition.eof": True, "isolation.level": "read_uncommitted"}
    consumer = Consumer({**kafka, **config})
    try:
        there = consumer.list_topics(timeout=_SILENCE_SECONDS).topics
        wanted = [TopicPartition(name, p, OFFSET_BEGINNING) for name in there if name.startswith(prefix) for p in there[name].partitions]
        result.topics = len({tp.topic for tp in wanted} - {prefix + name for name in _RAW})
        consumer.assign(wanted)
        left = {(tp.topic, tp.partition) for tp in wanted}
        while left:
            # Not by batches: consume() waits for a full one, ten seconds at the end.
            message = consumer.poll(_SILENCE_SECONDS)
            if message is None:
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"{len(left)} partitions did not come to their end"))
            error = message.error()
            if error is None:
                text = b"\0".join((message.key() or b"", message.value() or b"", repr(message.headers()).encode()))
                yield str(message.topic()).removeprefix(prefix), text
            elif error.code() == KafkaError._PARTITION_EOF:
                left.discard((str(message.topic()), message.partition()))
            else:
                raise KafkaException(error)
    finally:
        consumer.close()


def _tables(client: Client) -> list[str]:
    """Tables that hold something: the product's, and the logs that a server keeps of its queries."""
    sql = """SELECT concat(database, '.', name) FROM system.tables WHERE NOT is_temporary AND engine NOT LIKE '%View'
        AND (database = currentDatabase() OR (database = 'system' AND name LIKE '%\\_log')) ORDER BY 1"""
    return [row[0] for row in client.query(sql).result_rows]


def _chunks(client: Client, table: str, overlap: int) -> Iterator[bytes]:
    """A table's rows as ClickHouse's binary form, which holds texts as they are."""
    before = b""
    with client.raw_stream(f"SELECT * FROM {table}", fmt="RowBinary") as answer:
        while chunk := answer.read(_CHUNK_BYTES):
            yield before + chunk
            before = chunk[-overlap:]


def kinds_of(planted: Sequence[Planted], found: Iterable[int]) -> Mapping[str, int]:
    """How many values of each kind were found."""
    kinds: dict[str, int] = {}
    for number in found:
        kinds[planted[number].kind] = kinds.get(planted[number].kind, 0) + 1
    return kinds
