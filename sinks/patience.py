"""Whether a broker holds a fetch that finds nothing: Kafka does (fetch.wait.max.ms), noida-db answers at once, and librdkafka asks again
at once, which takes a core between the two of them. librdkafka has no setting for such a broker."""

import json

FETCHES_PER_SECOND = 20.0
"""A broker that holds its answers is asked 2 times a second by a reader that waits."""


class Patience:
    """Counts the fetches of a reader that has nothing to read, as librdkafka's statistics tell them."""

    def __init__(self) -> None:
        self.needed = False
        self._fetches = 0
        self._told_at = 0.0
        self._read = True

    def read(self) -> None:
        """There was something to read: fetches since are no sign."""
        self._read = True

    def told(self, statistics: str) -> None:
        """librdkafka's `stats_cb`: JSON with a time (`ts`, in microseconds) and each broker's requests since the start."""
        told = json.loads(statistics)
        fetches = sum(broker["req"].get("Fetch", 0) for broker in told["brokers"].values())
        at = told["ts"] / 1e6
        if not self._read and not self.needed:
            self.needed = (fetches - self._fetches) / (at - self._told_at) > FETCHES_PER_SECOND
        self._fetches, self._told_at, self._read = fetches, at, False
