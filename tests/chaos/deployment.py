"""A deployment that is mistreated: `tidegate up`, workers beside it, and a producer that waits for a broker that is away."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any, TypeVar

from clickhouse_connect.driver.exceptions import ClickHouseError
from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka import Message as Delivered

from pipelines import runtime
from pipelines.errors import Unreachable
from pipelines.kafka import client_config, producer_config
from pipelines.offsets import Offsets
from pipelines.produce import Headers
from pipelines.settings import load
from pipelines.status import lags
from schemas.signing import Signer
from sinks.client import connect
from tests.chaos.broker import Unsteady
from tests.chaos.story import Message
from tests.pipeline.flow import Flow, until

ANSWER_SECONDS = 60.0

T = TypeVar("T")


class Deployment(Flow):
    """`tidegate up`, and workers beside it by number. What it is asked, it is asked until it answers."""

    def __init__(self, broker: Unsteady, data: Path, prefix: str) -> None:
        super().__init__(broker.broker, data, prefix)
        self.broker = broker
        self.workers: dict[int, subprocess.Popen[bytes]] = {}
        self._timers: list[Timer] = []
        self._leaving: list[subprocess.Popen[bytes]] = []
        self._producer: Producer | None = None

    # What it does

    def add(self, number: int) -> None:
        """Start a worker, and do not wait for it."""
        self.workers[number] = self.begin_worker()

    def pid(self, child: str | int) -> int:
        """Process of a child of `up`, or of a worker beside it; waits for a child that is on its way back."""
        if isinstance(child, int):
            return self.workers[child].pid
        found: list[int] = []

        def there() -> bool:
            with suppress(StopIteration, ProcessLookupError):
                pid = super(Deployment, self).pid(child)
                os.kill(pid, 0)
                found.append(pid)
            return bool(found)

        until(there, f"{child} to be started again")
        return found[0]

    def signal(self, name: str | int, number: int) -> None:
        """Send a signal to one of them, where it still runs."""
        with suppress(ProcessLookupError):
            os.kill(self.pid(name), number)

    def pause(self, name: str | int, seconds: float) -> None:
        """Stop one of them where it stands, and wake it so much later; goes on at once."""
        pid = self.pid(name)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
        timer = Timer(seconds, _wake, [pid])
        timer.start()
        self._timers.append(timer)

    def away(self, seconds: float) -> None:
        """Let time go by on which everything must do without a broker."""
        time.sleep(seconds)

    def mend(self) -> None:
        """Wake what sleeps, and start workers again that died, as whoever looks after them would."""
        for timer in self._timers:
            timer.join()
        self._timers.clear()
        for process in self._leaving:
            process.wait(60)
        self._leaving.clear()
        for number, process in list(self.workers.items()):
            if process.poll() is not None:
                self.add(number)

    def let_go(self, number: int, how: int) -> None:
        """Tell a worker to end, by a signal; it is not started again."""
        process = self.workers.pop(number)
        process.send_signal(how)
        self._leaving.append(process)

    def die(self) -> None:
        """kill -9 of `up`, which takes its children along, and start it again."""
        assert self._up is not None
        self._up.kill()
        self._up.communicate()
        self.start()

    def end(self) -> None:
        """Stop everything."""
        for timer in self._timers:
            timer.cancel()
            timer.join()
            _wake(*timer.args)
        super().stop()

    def rewound(self, group: str, topics: Sequence[str]) -> None:
        """Set a group back while nobody is in it; `up` is held so that it starts nobody."""
        assert self._up is not None
        child = "engine" if group == "sink" else "worker"
        pid = self.pid(child)  # `up` starts again what it lost, as long as it may
        self._up.send_signal(signal.SIGSTOP)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        if child == "worker":
            for process in self.workers.values():
                process.terminate()
            for process in self.workers.values():
                process.wait(60)
        self.rewind(group, topics)
        self._up.send_signal(signal.SIGCONT)
        if child == "worker":
            for number in self.workers:
                self.add(number)

    # What it is told and asked

    def tell(self, messages: Iterable[Message]) -> None:
        """Send messages in order; `told` waits for them."""
        if self._producer is None:
            self._producer = Producer(producer_config(load(self.environ), self.brokers) | {"log_level": 0})
        signer = Signer.operator(load(self.environ).need_secret())
        for message in messages:
            org = (message.key or b"").partition(b"/")[0].decode(errors="replace")
            headers: Headers = [signer.header(message.topic, org, message.value or b"")]
            topic = self.prefix + message.topic
            self._producer.produce(topic, message.value, message.key, headers=headers, on_delivery=_delivered(message))
            self._producer.poll(0)

    def told(self) -> None:
        """Wait until the broker has all messages."""
        assert self._producer is None or self._producer.flush(120) == 0, "the broker did not take what was sent"

    def ask(self, question: Callable[[], T]) -> T:
        """An answer, as soon as there is one."""
        end = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                return question()
            except (KafkaException, ClickHouseError, Unreachable):
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of ClickHouse."""

        def query() -> list[tuple[Any, ...]]:
            ends = runtime.resolve(load(self.environ))
            with connect(ends.clickhouse_dsn, ends.token) as client:
                return [tuple(row) for row in client.query(sql).result_rows]

        return self.ask(query)

    def rest(self) -> None:
        """Wait until no group has a record left to read."""
        offsets = Offsets(client_config(load(self.environ), self.brokers) | {"log_level": 0}, self.prefix)
        last: list[Any] = []

        def idle() -> bool:
            last[:] = [row for row in self.ask(lambda: lags(offsets)) if row.lag]
            return not last

        try:
            until(idle, "the flow to come to rest")
        except AssertionError as error:
            raise AssertionError(f"{error}: {[(r.group, r.topic, r.partition, r.committed, r.end) for r in last[:8]]}") from None


def _wake(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def _delivered(message: Message) -> Callable[[KafkaError | None, Delivered], None]:
    def done(error: KafkaError | None, sent: Delivered) -> None:
        assert error is None, f"the broker did not take a message: {error}"
        message.receipt = f"{message.topic}:{sent.partition()}:{sent.offset()}"

    return done
