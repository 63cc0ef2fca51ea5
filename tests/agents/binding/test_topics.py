"""A leader gives nobody nothing: DESIGN, "The flow". Found by `make chaos`: a broker that had just come back knew of no topic."""

import asyncio

from aiokafka.cluster import ClusterMetadata
from aiokafka.protocol.metadata import MetadataResponse_v0 as Response

from agents.binding.transport import know_topics


class Client:
    """As aiokafka's, of a broker that tells of its topics one at a time, from the second time on that it is asked."""

    def __init__(self, *topics: str) -> None:
        self.cluster = ClusterMetadata()
        self.told, self.topics = 0, topics

    async def _maybe_wait_metadata(self) -> None:
        pass

    async def force_metadata_update(self) -> bool:
        self.told += 1
        topics = [(0, topic, [(0, 0, 1, [1], [1])]) for topic in self.topics[: self.told - 1]]
        self.cluster.update_metadata(Response([(1, "localhost", 9092)], topics))
        return True


def test_a_leader_knows_every_topic_before_it_shares_them_out() -> None:
    client = Client("runs", "outcomes")
    know_topics(client, ["runs", "outcomes"])
    asyncio.run(asyncio.wait_for(client._maybe_wait_metadata(), 10))
    assert client.told == 3
    assert all(client.cluster.partitions_for_topic(topic) == {0} for topic in client.topics)


def test_what_is_known_is_not_asked_for() -> None:
    client = Client("runs")
    know_topics(client, [])
    asyncio.run(asyncio.wait_for(client._maybe_wait_metadata(), 10))
    assert client.told == 0
