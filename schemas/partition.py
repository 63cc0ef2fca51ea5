"""The partition of a record: Kafka's own murmur2, so that every producer of ours agrees whatever its client's default is."""

_MULTIPLIER = 0x5BD1E995
_MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Kafka's 32-bit murmur2 of `data` (org.apache.kafka.common.utils.Utils.murmur2), without the sign bit cleared."""
    length = len(data)
    h = 0x9747B28C ^ length
    whole = length & ~3
    for i in range(0, whole, 4):
        k = int.from_bytes(data[i : i + 4], "little") * _MULTIPLIER & _MASK
        k ^= k >> 24
        h = (h * _MULTIPLIER & _MASK) ^ (k * _MULTIPLIER & _MASK)
    if length & 3:
        h = (h ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _MASK
    h ^= h >> 13
    h = h * _MULTIPLIER & _MASK
    return h ^ (h >> 15)


def log_hash(*names: str) -> int:
    """murmur2 of names joined by "/": org/agent for an agent's log, org/space for a pool's, org for a journal's."""
    return murmur2("/".join(names).encode())


def partition_of(hash32: int, partitions: int) -> int:
    """Partition that Kafka's default partitioner gives a key with this murmur2."""
    return (hash32 & 0x7FFFFFFF) % partitions
