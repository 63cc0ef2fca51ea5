"""The batch writer: messages of any topics in, rows of all their tables in ClickHouse; what can't be taken comes back as refusals."""

import logging
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from itertools import groupby
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DataError, Error, OperationalError
from clickhouse_connect.driver.insert import InsertContext

from schemas.problem import Problem
from sinks import postings
from sinks.batch import Batch, Message, Pair, Refusal
from sinks.columns import ColumnInsert, avro_file, distinct
from sinks.erasure import Erasing
from sinks.meaning import Model
from sinks.postings import Wording
from sinks.processors import Processor
from sinks.projection import Projection, Row

log = logging.getLogger(__name__)

ROW_FAULTS = frozenset({6, 26, 27, 33, 38, 41, 53, 69, 70, 72, 117, 128, 131, 321, 349, 407, 469, 691})
"""ClickHouse's error codes that blame the data: CANNOT_PARSE_…, TYPE_MISMATCH, INCORRECT_DATA, …_OUT_OF_BOUND, DECIMAL_OVERFLOW,
VIOLATED_CONSTRAINT, UNKNOWN_ELEMENT_OF_ENUM and the like. Any other error blames the engine, and is tried again."""


_PARTITION, _PLACE = attrgetter("topic", "partition"), attrgetter("topic", "partition", "offset")
COLUMNS_FROM = 200
"""Messages of a kind from which on chDB decodes them itself: less than that is not worth a file."""


class Unavailable(Exception):
    """ClickHouse can't be reached, or can't write now: try again later."""


class Writer:
    """Writes batches. One written again changes nothing: rows have deterministic keys and revisions, inserts a token of what they hold.

    `model`: makes vectors of wordings, for recall by meaning.
    """

    def __init__(self, client: Client, processors: dict[str, Processor], model: Model | None = None) -> None:
        self._client = client
        self._model = model
        self._erasing = Erasing(client)
        self._processors = processors
        self._in_process = client.uri.startswith("chdb:")
        self._contexts: dict[str, InsertContext] = {}
        self._by_columns: dict[str, ColumnInsert] = {}

    def prepare(self) -> None:
        """Before the first batch: mend what a crash left, and catch up with a model that is new. Raises Unavailable."""
        _guarded(lambda: postings.mend(self._client))
        if (model := self._model) is not None:
            _guarded(lambda: postings.catch_up(self._client, model))

    def write(self, messages: Sequence[Message]) -> list[Refusal]:
        """Write all rows of a batch; the messages that can't be taken are returned. Raises Unavailable: then write it again."""
        by_topic: dict[str, list[Message]] = {}
        for topic, together in groupby(messages, key=attrgetter("topic")):
            by_topic.setdefault(topic, []).extend(together)
        refusals: dict[Message, Problem] = {}
        for topic, processor in self._processors.items():
            if topic in by_topic:
                self._write_topic(processor, by_topic[topic], refusals)
        _guarded(lambda: self._erasing.after(messages))
        return [Refusal(message, problem) for message, problem in refusals.items()]

    def _write_topic(self, processor: Processor, messages: Iterable[Message], refusals: dict[Message, Problem]) -> None:
        batch = Batch(processor, messages, refusals)
        with ExitStack() as files:
            told: dict[type, str] = {}
            for kind, plain in batch.plain.items():
                if self._in_process and len(plain) >= COLUMNS_FROM:
                    told[kind] = files.enter_context(avro_file(kind, [m.value or b"" for m in plain]))
            for projection in processor.projections:
                if self._insert_columns(projection, told.get(projection.kind), batch):
                    pairs = batch.odd(projection.kind)
                else:
                    pairs = batch.odd(projection.kind) + batch.decoded(projection.kind)
                self._insert_all(projection, pairs, refusals)
            if processor.wording is not None:
                self._index(processor.wording, batch, told)

    def _insert_columns(self, projection: Projection, file: str | None, batch: Batch) -> bool:
        """Let ClickHouse decode a file of messages; whether it took them all. Where not, the way by rows tells why."""
        if file is None or not ColumnInsert.fits(projection):
            return False
        token = _token(projection.table, batch.plain[projection.kind])
        try:
            return _guarded(lambda: self._client.command(self._columns(projection).statement(file, token))) is None
        except Unavailable as error:
            log.info("a batch of %s goes by rows: %s", projection.table, error)
            return False

    def _index(self, wording: Callable[[Any], Wording | None], batch: Batch, told: Mapping[type, str]) -> None:
        """Write the postings of what was taken. What was never decoded here, ClickHouse tells: of many versions, few wordings."""
        records: list[Any] = [record for message, record in batch.pairs() if message not in batch.refusals]
        for kind in batch.plain.keys() - batch.kinds_decoded:
            sql = distinct(postings.FIELDS[kind], told[kind])
            _guarded(lambda sql=sql: records.extend(SimpleNamespace(**row) for row in self._client.query(sql).named_results()))  # type: ignore[misc]
        wordings = [w for record in records if (w := wording(record))]
        _guarded(lambda: postings.write(self._client, wordings, self._model))

    def _columns(self, projection: Projection) -> ColumnInsert:
        found = self._by_columns.get(projection.table)
        if found is None:
            context = self._context(projection)
            types = {name: t.name for name, t in zip(context.column_names, context.column_types, strict=True)}
            found = self._by_columns[projection.table] = ColumnInsert(projection, types)
        return found

    def _context(self, projection: Projection) -> InsertContext:
        context = self._contexts.get(projection.table)
        if context is None:
            context = self._client.create_insert_context(projection.table, column_names=list(projection.columns))
            self._contexts[projection.table] = context
        return context

    def _insert_all(self, projection: Projection, pairs: Sequence[Pair], refusals: dict[Message, Problem]) -> None:
        """Insert the rows of all records, halving the batch again and again around one that ClickHouse refuses."""
        if not pairs:
            return
        rows = [row for _, record in pairs for row in projection.rows(record)]
        if not rows:
            return
        fault = _guarded(lambda: self._insert(projection, rows, _token(projection.table, [message for message, _ in pairs])))
        if fault is None:
            return
        if len(pairs) == 1:
            log.warning("clickhouse refused a row of %s from %s:%d:%d", projection.table, *_PLACE(pairs[0][0]))
            detail = f"ClickHouse refused its row of {projection.table}: {fault}"
            refusals.setdefault(pairs[0][0], Problem("refused_by_store", None, detail))
            return
        half = len(pairs) // 2
        self._insert_all(projection, pairs[:half], refusals)
        self._insert_all(projection, pairs[half:], refusals)

    def _insert(self, projection: Projection, rows: Sequence[Row], token: str) -> None:
        context = self._context(projection)
        context.settings = {"insert_deduplication_token": token}
        context.data = rows
        self._client.data_insert(context)


def _guarded(insert: Callable[[], object]) -> str | None:
    """Run an insert. The name of the fault in its data, or None where it went through. Raises Unavailable for all else."""
    try:
        insert()
    except OperationalError as error:
        raise Unavailable(str(error)) from error
    except DataError as error:
        return type(error).__name__
    except Error as error:
        if error.code not in ROW_FAULTS:
            raise Unavailable(str(error)) from error
        return error.name or f"code {error.code}"
    except OSError as error:
        raise Unavailable(str(error)) from error
    except (ValueError, TypeError, ArithmeticError, AttributeError) as error:
        return type(error).__name__  # the client could not put a value into its column
    return None


def _token(table: str, messages: Sequence[Message]) -> str:
    """What an insert holds: topic, partitions with their offsets, and a hash of the content."""
    in_order = sorted(messages, key=_PLACE)
    spans = []
    for (topic, partition), group in groupby(in_order, key=_PARTITION):
        of_partition = list(group)
        spans.append(f"{topic}:{partition}:{of_partition[0].offset}-{of_partition[-1].offset}")
    values = [message.value or b"" for message in in_order]
    content = blake2b(b"".join(values), digest_size=16)
    content.update(array("q", [message.offset for message in in_order]))
    content.update(array("q", map(len, values)))
    return f"{table} {','.join(spans)} {content.hexdigest()}"
