"""A broker that does not hold an empty fetch is told apart from one that does, and from a busy one."""

import json

import pytest

from sinks.patience import Patience


def statistics(seconds: float, *fetches: int) -> str:
    """What librdkafka tells at a time of as many brokers."""
    return json.dumps({"ts": int(seconds * 1e6), "brokers": {str(n): {"req": {"Fetch": count}} for n, count in enumerate(fetches)}})


@pytest.mark.parametrize(
    ("told", "read_between", "needed"),
    [
        ([statistics(100, 40), statistics(105, 55)], False, False),  # 3 a second: it holds them
        ([statistics(100, 40), statistics(105, 1_000)], False, True),
        ([statistics(100, 40), statistics(105, 1_000)], True, False),  # there was something to read
        ([statistics(100, 40), statistics(105, 1_000), statistics(110, 1_010)], False, True),  # resting, it asks rarely: it goes on to rest
        ([statistics(100, 40, 40), statistics(105, 80, 85)], False, False),  # 17 a second from two brokers
        ([statistics(100, 9_000)], False, False),  # the start tells nothing: what is there is read then
    ],
)
def test_who_is_left_alone(told: list[str], read_between: bool, needed: bool) -> None:
    patience = Patience()
    for number, text in enumerate(told):
        if number and read_between:
            patience.read()
        patience.told(text)
    assert patience.needed is needed
