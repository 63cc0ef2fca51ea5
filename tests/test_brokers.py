"""What the pipeline relies on in a broker, asked of each kind of broker that tests run on."""

from pathlib import Path

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from pipelines.kafka import client_config, consumer_config, producer
from pipelines.settings import load
from pipelines.topics import MESSAGE_BYTES, RUN_BYTES
from schemas.partition import murmur2, partition_of
from tests.brokers import Broker


def test_a_run_of_the_largest_size_goes_through_where_its_key_belongs(broker: Broker, prefix: str, tmp_path: Path) -> None:
    """DESIGN, "The forms on the wire": 32 MB uncompressed, 8 MB on the wire; DESIGN, "The flow": Kafka's own murmur2."""
    settings = load({"TIDEGATE_DATA": str(tmp_path)})
    config = client_config(settings, broker.bootstrap)
    topic = prefix + "runs"
    new = NewTopic(topic, 4, 1, config={"max.message.bytes": str(MESSAGE_BYTES), "message.timestamp.type": "LogAppendTime"})
    admin = AdminClient(config)
    admin.create_topics([new])[topic].result(30)
    sent = producer(settings, broker.bootstrap)
    errors: list[KafkaError | None] = []
    key = b"acme/agent/support-1"
    sent.produce(topic, b"x" * RUN_BYTES, key, on_delivery=lambda error, _: errors.append(error))
    assert sent.flush(60) == 0
    assert errors == [None]
    consumer = Consumer(consumer_config(settings, broker.bootstrap, prefix + "g"))
    consumer.assign([TopicPartition(topic, partition_of(murmur2(key), 4), 0)])
    message = consumer.poll(60)
    consumer.close()
    assert message is not None
    assert message.error() is None
    assert message.value() == b"x" * RUN_BYTES


def test_no_topic_is_made_by_being_read(broker: Broker, prefix: str, tmp_path: Path) -> None:
    """DESIGN: a changelog that the broker made would have one partition, and tables would be misplaced."""
    settings = load({"TIDEGATE_DATA": str(tmp_path)})
    consumer = Consumer(consumer_config(settings, broker.bootstrap, prefix + "g"))
    consumer.subscribe([prefix + "nobody"])
    message = consumer.poll(10)
    assert message is not None
    assert message.error() is not None
    consumer.close()
    admin = AdminClient(client_config(settings, broker.bootstrap))
    assert prefix + "nobody" not in admin.list_topics(timeout=30).topics
