"""The partition of a key is the one that Kafka's own client gives it."""

import pytest

from schemas.partition import log_hash, murmur2, partition_of


@pytest.mark.parametrize(
    ("key", "signed"),
    [
        # org.apache.kafka.common.utils.UtilsTest.testMurmur2
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
        # each length of a tail, and nothing at all
        (b"", 275646681),
        (b"1", -1993445489),
        (b"12", 126087238),
        (b"123", -267702483),
        (b"1234", -1614185708),
        (b"12345", -1188365604),
    ],
)
def test_kafkas_own_vectors(key: bytes, signed: int) -> None:
    assert murmur2(key) == signed & 0xFFFFFFFF
    assert partition_of(murmur2(key), 12) == (signed & 0x7FFFFFFF) % 12


def test_names_are_joined_by_a_slash() -> None:
    assert log_hash("foo", "bar") == murmur2(b"foo/bar")
    assert log_hash("größe") == murmur2("größe".encode())
