"""Each private part of Faust and aiokafka that the binding stands on. A release that moves one fails here, by name, before it fails in use.

Mend: read the same method in the new release, then agents/binding/agent.py, which says what each is for.
"""

import inspect
from importlib.metadata import version

import pytest
from aiokafka.consumer.fetcher import Fetcher
from aiokafka.consumer.group_coordinator import GroupCoordinator
from aiokafka.producer.message_accumulator import BatchBuilder
from faust.app.base import App
from faust.tables.recovery import Recovery
from faust.transport.consumer import Consumer, ThreadDelegateConsumer
from faust.transport.drivers import aiokafka as driver


def test_the_release_that_was_read() -> None:
    """A new release of Faust is read before it is used."""
    assert version("faust-streaming") == "0.15.3"


@pytest.mark.parametrize(
    ("owner", "name", "parameters"),
    [
        (Consumer, "_drain_messages", ["self", "fetcher"]),
        (Consumer, "_wait_next_records", ["self", "timeout"]),
        (Consumer, "_filter_tps_with_pending_acks", ["self", "topics"]),
        (Consumer, "_new_offset", ["self", "tp"]),
        (Consumer, "on_partitions_revoked", ["self", "revoked"]),
        (Consumer, "on_partitions_assigned", ["self", "assigned", "generation_id"]),
        (Consumer, "seek", ["self", "partition", "offset"]),
        (driver.Consumer, "_to_message", ["self", "tp", "record"]),
        (driver.Producer, "_settings_extra", ["self"]),
        (App, "_new_transport", ["self"]),
        (App, "_new_producer_transport", ["self"]),
        (GroupCoordinator, "_do_heartbeat", ["self"]),
        (Fetcher, "_proc_fetch_request", ["self", "assignment", "node_id", "request"]),
        (BatchBuilder, "append", ["self", "timestamp", "key", "value", "headers"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_method_is_where_it_was(owner: type, name: str, parameters: list[str]) -> None:
    """The binding overrides or calls it with just these parameters."""
    assert list(inspect.signature(getattr(owner, name)).parameters) == parameters


@pytest.mark.parametrize(
    ("owner", "needles"),
    [
        (Consumer.__init__, ["_read_offset = defaultdict"]),
        (Consumer._reset_state, ["self.flow_active = True"]),
        (ThreadDelegateConsumer.__init__, ["self._thread = "]),
        (driver.Producer.on_start, ["self._producer = self._new_producer()"]),
        (driver.AIOKafkaConsumerThread.on_start, ["self._consumer = self._create_consumer"]),
        (GroupCoordinator._maybe_leave_group, ["self._group_instance_id is None", "LeaveGroupRequest(self.group_id, self.member_id)"]),
        (Recovery.__init__, ["self.completed = Event()"]),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_an_attribute_is_made_where_it_was(owner: object, needles: list[str]) -> None:
    """The binding reads it."""
    source = inspect.getsource(owner)  # type: ignore[arg-type]
    assert [needle for needle in needles if needle not in source] == []
