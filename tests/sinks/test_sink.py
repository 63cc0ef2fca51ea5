"""The sink between a real broker and a real ClickHouse: what is committed is there, what is there again changes nothing."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import OperationalError
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from schemas.codec import encode
from schemas.partition import log_hash
from sinks.client import connect
from sinks.processors import processors
from sinks.sink import Sink
from tests.brokers import Broker
from tests.sinks import records as r

PARTITIONS = 2
PATIENCE = 60.0


def until(true: Callable[[], bool], what: str) -> None:
    """Wait for it."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, f"still not: {what}"
        threading.Event().wait(0.02)


class Outage:
    """While `away` is set, a client's inserts fail as they do where ClickHouse can't be reached."""

    def __init__(self, client: Client) -> None:
        self.away = threading.Event()
        self.tries = 0
        self._insert = client.data_insert
        client.data_insert = self  # type: ignore[method-assign]

    def __call__(self, context: Any) -> Any:
        self.tries += 1
        if self.away.is_set():
            raise OperationalError("connection refused")
        return self._insert(context)


class Bench:
    """Topics of one test, and a sink that reads them."""

    def __init__(self, broker: Broker, prefix: str, path: str, database: str) -> None:
        self.prefix = prefix
        self._config: dict[str, Any] = {"bootstrap.servers": broker.bootstrap}
        self._kafka = AdminClient(self._config)
        topics = [NewTopic(prefix + topic, PARTITIONS, 1) for topic in processors(r.SECRET)]
        for made in self._kafka.create_topics(topics).values():
            made.result(PATIENCE)
        self._onlooker = Consumer({**self._config, "group.id": f"{prefix}sink"})  # it asks, and never joins
        self._producer = Producer({**self._config, "partitioner": "murmur2_random", "linger.ms": 5})
        self.clickhouse = connect(f"chdb://{path}", None)
        self.clickhouse.database = database
        self.outage = Outage(self.clickhouse)
        self._running: list[tuple[Sink, threading.Thread, threading.Event]] = []

    def send(self, *records: Any) -> None:
        """Send records as their agents do."""
        for record in records:
            key = f"{log_hash(record.org or '', getattr(record, 'agent', ''))}"
            self.send_raw(r.topic_of(record), encode(record), key.encode())
        assert self._producer.flush(PATIENCE) == 0

    def send_raw(self, topic: str, value: bytes, key: bytes = b"") -> None:
        """Send bytes."""
        self._producer.produce(self.prefix + topic, value, key or None)
        self._producer.poll(0)

    def start(self) -> Sink:
        """Start a member of the sink's group."""
        stop = threading.Event()
        sink = Sink(self.clickhouse, self._config, self._config, self.prefix, r.SECRET, None, stop)
        thread = threading.Thread(target=sink.run)
        thread.start()
        self._running.append((sink, thread, stop))
        return sink

    def stop(self) -> None:
        """Stop all members."""
        for _, _, stop in self._running:
            stop.set()
        for _, thread, _ in self._running:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        self._running.clear()

    def close(self) -> None:
        """Stop, and leave."""
        self.stop()
        self._onlooker.close()
        self._producer.close()
        self.clickhouse.close()

    def committed(self) -> dict[tuple[str, int], int]:
        """Where the group stands."""
        asked = [TopicPartition(self.prefix + t, p) for t in processors(r.SECRET) for p in range(PARTITIONS)]
        found = self._onlooker.committed(asked, timeout=PATIENCE)
        return {(tp.topic.removeprefix(self.prefix), tp.partition): max(tp.offset, 0) for tp in found}

    def ends(self) -> dict[tuple[str, int], int]:
        """Where the topics end."""
        asked = [(t, p) for t in processors(r.SECRET) for p in range(PARTITIONS)]
        return {(t, p): self._onlooker.get_watermark_offsets(TopicPartition(self.prefix + t, p), timeout=PATIENCE)[1] for t, p in asked}

    def until_idle(self) -> None:
        """Wait until the group has committed all that there is."""

        def idle() -> bool:
            try:
                return self.committed() == self.ends()
            except KafkaException:  # the broker is still looking for a coordinator or a leader
                return False

        until(idle, "idle")


@pytest.fixture
def bench(broker: Broker, prefix: str, client: Client, engine_path: Any, migrated: str) -> Iterator[Bench]:
    """Topics, and a sink into the test's database."""
    made = Bench(broker, prefix, str(engine_path), migrated)
    yield made
    made.outage.away.clear()
    made.close()


def learnings(first: int, count: int) -> list[Any]:
    """Versions of as many learnings, of some agents."""
    return [r.learning(entry_key=f"a/{n}", agent=f"agent/{n % 5}") for n in range(first, first + count)]


def number(client: Client, table: str) -> int:
    """Rows of a table."""
    found: int = client.query(f"SELECT count() FROM {table} FINAL").result_rows[0][0]
    return found


def test_what_is_sent_is_there_and_committed(bench: Bench, client: Client) -> None:
    bench.start()
    bench.send(*learnings(0, 300), r.shared(), r.receipt(), r.outcome(credits=(r.credit(r.learning()),)))
    bench.until_idle()
    assert [number(client, t) for t in ("entries", "learnings", "pool", "receipts", "outcomes", "credits")] == [300, 300, 1, 1, 1, 1]


@pytest.mark.parametrize("broker", ["kafka"], indirect=True)
def test_a_member_whose_name_another_took_ends(bench: Bench) -> None:
    """It reads nothing more, so whoever looks after it must hear of it and start it again."""
    stop, ended = threading.Event(), threading.Event()
    config = bench._config | {"group.instance.id": "engine"}
    sinks = [Sink(bench.clickhouse, config, bench._config, bench.prefix, r.SECRET, None, stop) for _ in range(2)]

    def run(sink: Sink) -> None:
        try:
            sink.run()
        except KafkaException:
            ended.set()

    threads = [threading.Thread(target=run, args=(sink,)) for sink in sinks]
    try:
        for sink, thread in zip(sinks, threads, strict=True):
            thread.start()
            until(sink.has_part.is_set, "a part of the topics")
        until(ended.is_set, "the end of the first")
    finally:
        stop.set()
        for thread in threads:
            thread.join(PATIENCE)


def test_a_sink_that_rests_still_takes_what_comes(bench: Bench, client: Client) -> None:
    """As with a broker that does not hold an empty fetch."""
    sink = bench.start()
    sink._patience.needed = True
    bench.send(*learnings(0, 3))
    bench.until_idle()
    bench.send(*learnings(3, 3))
    bench.until_idle()
    assert number(client, "entries") == 6


def test_a_message_that_cannot_be_taken_is_dead_lettered_and_the_rest_lands(bench: Bench, client: Client) -> None:
    """SPEC 9.4: a pointer, our own code, never the exception's text."""
    bench.send(*learnings(0, 20))
    bench.send_raw("entries", b"poison", b"1")
    bench.send_raw("receipts", encode(r.receipt())[:-2], b"1")
    bench.send(r.counter(r.learning(), tier=300), *learnings(20, 20), r.receipt())
    bench.start()
    bench.until_idle()
    assert [number(client, table) for table in ("entries", "counters", "receipts")] == [40, 0, 1]
    letters = client.query(
        "SELECT topic, reason, part, id = concat(topic, ':', toString(partition), ':', toString(offset)) FROM dead_letters ORDER BY topic"
    )
    assert [tuple(row) for row in letters.result_rows] == [
        ("counters", "refused_by_store", "message", True),
        ("entries", "not_avro", "message", True),
        ("receipts", "damaged", "message", True),
    ]


def test_clickhouse_is_away_and_comes_back(bench: Bench, client: Client) -> None:
    """Nothing is lost, nothing committed before it is there; the sink stays in its group."""
    bench.outage.away.set()
    bench.start()
    bench.send(*learnings(0, 50))
    until(lambda: bench.outage.tries >= 3, "tried again")
    assert set(bench.committed().values()) == {0}
    assert number(client, "entries") == 0
    bench.send(*learnings(50, 50))
    bench.outage.away.clear()
    bench.until_idle()
    assert number(client, "entries") == 100


def test_stopped_while_clickhouse_is_away(bench: Bench, client: Client) -> None:
    bench.outage.away.set()
    bench.start()
    bench.send(*learnings(0, 5))
    until(lambda: bench.outage.tries >= 1, "tried")
    bench.stop()
    assert set(bench.committed().values()) == {0}
    bench.outage.away.clear()
    bench.start()
    bench.until_idle()
    assert number(client, "entries") == 5


def test_a_second_member_joins_in_mid_stream(bench: Bench, client: Client) -> None:
    bench.send(*learnings(0, 200))
    bench.start()
    until(lambda: number(client, "entries") > 0, "the first has begun")
    second = bench.start()
    bench.send(*learnings(200, 200))
    until(second.has_part.is_set, "the second has its part")
    bench.send(*learnings(400, 200))
    bench.until_idle()
    assert number(client, "entries") == 600
    told = client.query("SELECT sum(terms) FROM wordings FINAL").result_rows
    assert client.query("SELECT count() FROM postings FINAL").result_rows == told


def test_one_message_does_not_wait_for_a_batch(bench: Bench, client: Client) -> None:
    """Somebody may be waiting for it (`produce --wait`)."""
    sink = bench.start()
    until(sink.has_part.is_set, "its part")
    bench.send(*learnings(0, 1))
    until(lambda: number(client, "entries") == 1, "there")
    waits = []
    for n in range(1, 6):
        sent = time.monotonic()
        bench.send(*learnings(n, 1))
        until(lambda n=n: number(client, "entries") == n + 1, "there")  # type: ignore[misc]
        waits.append(time.monotonic() - sent)
    assert min(waits) < 0.9, waits
