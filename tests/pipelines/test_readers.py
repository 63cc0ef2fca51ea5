"""Who reads what is told twice, so it must be told alike."""

import pytest

from agents.aggregate import agent as aggregate
from agents.journal import agent as journal
from agents.promote import agent as promote
from agents.scan import agent as scan
from pipelines.readers import READERS
from sinks.processors import processors


@pytest.mark.parametrize(
    ("group", "topics"),
    [
        ("scan", scan.SOURCES),
        ("aggregate", aggregate.SOURCES),
        ("promote", promote.SOURCES),
        ("journal", journal.SOURCES),
        ("sink", tuple(processors(b""))),
    ],
)
def test_readers_are_those_of_the_parts(group: str, topics: tuple[str, ...]) -> None:
    assert set(READERS[group]) == set(topics)
