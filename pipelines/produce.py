"""Records from lines of JSON onto a topic: each line is checked, what is wrong is refused by line, the rest is sent and confirmed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from pipelines.errors import Failure, Unreachable
from schemas import codec, validate
from schemas.jsonform import loads, parse, parse_line
from schemas.problem import Problem
from schemas.records import ClaimWrite, Erasure, Exposure, Outcome, Principal, Review, Run, Write
from schemas.signing import Signer

Record = Run | Outcome | Write | Review | Principal | Erasure | ClaimWrite
KINDS: Mapping[str, type[Record]] = {
    "runs": Run,
    "outcomes": Outcome,
    "writes": Write,
    "reviews": Review,
    "principals": Principal,
    "erasures": Erasure,
    "claim-writes": ClaimWrite,
}
"""What is sent to which topic (without prefix)."""

_IN_FLIGHT_BYTES = 64 * 1024 * 1024
_IN_FLIGHT_MESSAGES = 10_000
_TOO_LARGE = (KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.RECORD_LIST_TOO_LARGE)
_NOT_TAKEN = (*_TOO_LARGE, KafkaError.INVALID_RECORD, KafkaError.POLICY_VIOLATION)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line that was not sent. `error` never holds a value of the line."""

    line: int
    field: str | None
    error: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that the broker has. `parts`: the parts that its receipt will have (INTERFACES, `receipt`)."""

    line: int
    topic: str
    partition: int
    offset: int
    parts: tuple[str, ...]

    @property
    def receipt(self) -> str:
        """Receipt id of the message."""
        return f"{self.topic}:{self.partition}:{self.offset}"


class Interrupted(Failure):
    """Somebody pressed Ctrl-C."""

    status = 130


@dataclass(slots=True)
class Report:
    """What became of a file. `failure`: why not all of it was looked at, if so."""

    read: int = 0
    refused: list[Refusal] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    failure: Failure | None = None


Headers = list[tuple[str, str | bytes | None]]
"""As the client takes them."""
Taken = Callable[[Report, int, Record | Refusal], None]


def produce(
    lines: Iterable[tuple[int, bytes | Problem]],
    topic: str,
    producer: Producer,
    prefix: str,
    signer: Signer | None,
    defaults: Mapping[str, str],
    taken: Taken,
) -> Report:
    """Send each line's record to a raw topic, as `send` does. `defaults`: `org` and `agent` of lines that name none."""
    return send(parsed(lines, topic, defaults), topic, producer, prefix, signer, taken)


def parsed(lines: Iterable[tuple[int, bytes | Problem]], topic: str, defaults: Mapping[str, str]) -> Iterator[tuple[int, Record | Problem]]:
    """The record of each line, or what is wrong with it."""
    return ((number, text if isinstance(text, Problem) else _record(KINDS[topic], text, defaults)) for number, text in lines)


def send(
    records: Iterable[tuple[int, Record | Problem]], topic: str, producer: Producer, prefix: str, signer: Signer | None, taken: Taken
) -> Report:
    """Send numbered records to a raw topic, signed; returns once the broker has them all, or has stopped taking them.

    `producer` must be idempotent, so that a retry neither repeats nor reorders. `taken` is told of each record, with its number, as it is
    sent or refused. Memory is bounded by what is in flight and by the report.
    """
    return _Sending(topic, producer, prefix, signer, taken).run(records)


class _Sending:
    def __init__(self, topic: str, producer: Producer, prefix: str, signer: Signer | None, taken: Taken) -> None:
        self._topic, self._producer, self._prefix, self._signer, self._taken = topic, producer, prefix, signer, taken
        self._report = Report()
        self._bytes_in_flight = 0

    def run(self, records: Iterable[tuple[int, Record | Problem]]) -> Report:
        try:
            for number, record in records:
                self._report.read += 1
                if isinstance(record, Problem):
                    self._refuse(number, record)
                else:
                    self._send(number, record)
                if self._report.failure:
                    break
        except KeyboardInterrupt:
            self._producer.flush()
            self._report.failure = Interrupted(f"stopped by hand after {len(self._report.sent)} records were sent")
        self._producer.flush()
        self._report.sent.sort(key=lambda sent: sent.line)
        self._report.refused.sort(key=lambda refusal: refusal.line)
        return self._report

    def _send(self, number: int, record: Record) -> None:
        value = codec.encode(record)
        while self._bytes_in_flight > _IN_FLIGHT_BYTES or len(self._producer) >= _IN_FLIGHT_MESSAGES:
            self._producer.poll(0.1)
        self._bytes_in_flight += len(value)
        confirmed = partial(self._delivered, number, parts_of(record), len(value))
        headers: Headers = [self._signer.header(self._topic, record.org, value)] if self._signer else []
        try:
            self._producer.produce(self._prefix + self._topic, value, message_key(record), headers=headers, on_delivery=confirmed)
        except KafkaException as error:  # it has given up for good: what is still on its way is told by its delivery reports
            self._fail(number, error.args[0])
            return
        self._producer.poll(0)
        self._taken(self._report, number, record)

    def _delivered(self, number: int, parts: tuple[str, ...], size: int, error: KafkaError | None, message: Message) -> None:
        self._bytes_in_flight -= size
        if error is None:
            partition, offset = message.partition(), message.offset()
            assert partition is not None and offset is not None
            self._report.sent.append(Sent(number, self._topic, partition, offset, parts))
        elif error.code() in _NOT_TAKEN:
            what = f"{size} bytes, compressed still more than the topic takes" if error.code() in _TOO_LARGE else error.str()
            self._refuse(number, Problem("not_taken", None, f"the broker refused it: {what}"))
        else:
            self._fail(number, error)

    def _fail(self, number: int, error: KafkaError) -> None:
        if self._report.failure is None:
            self._report.failure = Unreachable(
                f"the broker did not take line {number}: {error.str()}; send the file again when it is back: "
                "what has arrived already counts once and ends as duplicate"
            )

    def _refuse(self, number: int, problem: Problem) -> None:
        refusal = Refusal(number, problem.field, problem.detail or problem.code)
        self._report.refused.append(refusal)
        self._taken(self._report, number, refusal)


def message_key(record: Record | Exposure) -> bytes:
    """Key of a record on its topic: org/agent, org/principal or org/subject."""
    match record:
        case Principal():
            name = record.principal
        case Review():
            name = record.subject
        case Erasure():
            name = record.requested_by
        case _:
            name = record.agent
    return f"{record.org}/{name}".encode()


def parts_of(record: Record) -> tuple[str, ...]:
    """The parts that a message's receipt will have. A message that can't be taken at all has one, `message`, in their place."""
    match record:
        case Run():
            return numbered_parts("runs", len(record.learnings), len(record.claims))
        case Outcome():
            return numbered_parts("outcomes", len(record.credits))
        case Write():
            return numbered_parts("writes", 1)
        case ClaimWrite():
            return numbered_parts("claim-writes", 0, 1)
        case Review():
            return ("review",)
        case Erasure():
            return numbered_parts("erasures", 1)
        case Principal():
            return ()


@lru_cache
def numbered_parts(topic: str, first: int, claims: int = 0) -> tuple[str, ...]:
    """The parts of a message by its topic and how many learnings, or credits, and claims it has."""
    if topic == "outcomes":
        return tuple(f"credit:{n}" for n in range(first)) or ("outcome",)
    if topic == "erasures":
        return ("erasure",)
    episode = ("episode",) if topic == "runs" else ()
    return (*episode, *(f"learning:{n}" for n in range(first)), *(f"claim:{n}" for n in range(claims)))


def _record(kind: type[Record], text: bytes, defaults: Mapping[str, str]) -> Record | Problem:
    if defaults:
        value = loads(text)
        if isinstance(value, Problem):
            return value
        record = parse(kind, {**defaults, **value} if isinstance(value, dict) else value)
    else:
        record = parse_line(kind, text)
    return record if isinstance(record, Problem) else validate.problem(record) or record
