"""Each private part of Faust and aiokafka that the binding stands on. A release that moves one fails here, by name, before it fails in use.

Mend: read the same method in the new release, then agents/binding/transport.py and agent.py, which say what each is for.
"""

import inspect
from importlib.metadata import version

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.client import AIOKafkaClient
from aiokafka.consumer.fetcher import Fetcher
from aiokafka.consumer.group_coordinator import GroupCoordinator
from aiokafka.producer.message_accumulator import BatchBuilder
from aiokafka.producer.sender import SendProduceReqHandler
from faust.app.base import App
from faust.tables.base import Collection as Table
from faust.tables.recovery import Recovery
from faust.transport.consumer import Consumer, ThreadDelegateConsumer
from faust.transport.drivers import aiokafka as driver
from mode.threads import ServiceThread


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
        (Consumer, "position", ["self", "tp"]),
        (driver.Consumer, "_to_message", ["self", "tp", "record"]),
        (driver.Consumer, "_new_consumer_thread", ["self"]),
        (driver.AIOKafkaConsumerThread, "_create_worker_consumer", ["self", "transport"]),
        (driver.Producer, "_settings_extra", ["self"]),
        (driver.Producer, "_new_producer", ["self", "transactional_id"]),
        (App, "_new_transport", ["self"]),
        (App, "_new_producer_transport", ["self"]),
        (Table, "_new_store", ["self"]),
        (Table, "persisted_offset", ["self", "tp"]),
        (Consumer, "_get_active_partitions", ["self"]),
        (Recovery, "need_recovery", ["self"]),
        (Recovery, "revoke", ["self", "tp"]),
        (Recovery, "_set_recovery_ended", ["self"]),
        (Recovery, "_set_recovery_started", ["self"]),
        (AIOKafkaConsumer, "commit", ["self", "offsets"]),
        (AIOKafkaConsumer, "committed", ["self", "partition"]),
        (AIOKafkaClient, "_maybe_wait_metadata", ["self"]),
        (AIOKafkaClient, "force_metadata_update", ["self"]),
        (AIOKafkaClient, "send", ["self", "node_id", "request", "group"]),
        (GroupCoordinator, "_do_heartbeat", ["self"]),
        (GroupCoordinator, "fetch_committed_offsets", ["self", "partitions"]),
        (Fetcher, "seek_to", ["self", "tp", "offset"]),
        (Fetcher, "_proc_fetch_request", ["self", "assignment", "node_id", "request"]),
        (BatchBuilder, "__init__", ["self", "batch_size", "compression_type", "is_transactional", "key_serializer", "value_serializer"]),
        (BatchBuilder, "append", ["self", "timestamp", "key", "value", "headers"]),
        (BatchBuilder, "record_count", ["self"]),
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
        (
            GroupCoordinator._perform_assignment,
            ["await self._client._maybe_wait_metadata()", "assignor.assign(self._cluster, member_metadata)"],
        ),
        (AIOKafkaConsumer.__init__, ["self._client = AIOKafkaClient("]),
        (GroupCoordinator._maybe_leave_group, ["self._group_instance_id is None", "LeaveGroupRequest(self.group_id, self.member_id)"]),
        (Recovery.__init__, ["self.completed = Event()", "self.active_offsets = Counter()", "self.active_highwaters = Counter()"]),
        (Recovery._add, ["table.persisted_offset(tp)", "offsets[tp] = persisted_offset"]),
        (
            Recovery._restart_recovery.fun,
            ["self.signal_recovery_end.wait()", "if self.need_recovery():\n                    self._set_recovery_started()"],
        ),
        (ServiceThread.__init__, ["thread_loop or asyncio.new_event_loop()", "self._close_thread_loop_on_stop = "]),
        (Consumer.perform_seek, ["self.seek_to_committed()"]),
        (AIOKafkaConsumer.seek_to_committed, ["await self.committed(tp)"]),
        (AIOKafkaConsumer.start, ["isolation_level=self._isolation_level"]),
        (SendProduceReqHandler.do, ["self._client.send(node_id, request)"]),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_an_attribute_is_made_where_it_was(owner: object, needles: list[str]) -> None:
    """The binding reads it."""
    source = inspect.getsource(owner)  # type: ignore[arg-type]
    assert [needle for needle in needles if needle not in source] == []
