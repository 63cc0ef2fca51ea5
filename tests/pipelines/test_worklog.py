"""A worker's log holds what somebody should look at, and no false alarms."""

import logging

import pytest
from faust.transport.drivers import aiokafka
from mode import Service

from pipelines.worklog import Quiet


class Part(Service):
    """One of ours, under Faust."""


@pytest.mark.parametrize(
    ("level", "text", "stays"),
    [
        (logging.INFO, "Starting...", False),
        (logging.INFO, "Flush producer buffer...", False),
        (logging.WARNING, "Something odd", True),
        (logging.ERROR, "Crashed reason=%r", True),
        (logging.ERROR, aiokafka.SLOW_PROCESSING_STREAM_IDLE_SINCE_START, False),
        (logging.ERROR, aiokafka.SLOW_PROCESSING_STREAM_IDLE, False),
        (logging.ERROR, aiokafka.SLOW_PROCESSING_NO_RECENT_FETCH, True),
    ],
)
def test_what_services_say(caplog: pytest.LogCaptureFixture, level: int, text: str, stays: bool) -> None:
    """Faust's watchdog looks at events in streams, of which batches that are handed over whole have none."""
    caplog.set_level(logging.INFO)
    part = Part()
    with caplog.filtering(Quiet()):
        part.log.log(level, text, *["x"] * text.count("%"))
        logging.getLogger("agents.binding.lease").info("taken up")
    assert (len(caplog.records) == 2, caplog.messages[-1]) == (stays, "taken up")
