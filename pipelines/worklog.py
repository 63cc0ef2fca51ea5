"""A worker's log: what somebody should look at."""

import logging

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
CHATTY = ("aiokafka", "faust", "mode", "presidio-analyzer")
"""They tell of each message and each rebalance: only what is wrong there is of use."""
_SERVICE = "[^"
"""How Faust's services begin what they say, in the name of whichever class is one, ours too."""
_WATCHDOG = ("Stream has not started processing", "Stream stopped processing")
"""Faust's watchdog asks when the last event went through a stream; batches that are handed over whole go through none."""


class Quiet(logging.Filter):
    """Lets by what Faust's services say only where it is an error, and nothing of the watchdog that knows of no batch."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is let by."""
        text = str(record.msg)
        if not text.startswith(_SERVICE):
            return True
        return record.levelno >= logging.WARNING and not any(alarm in text for alarm in _WATCHDOG)


def begin() -> None:
    """Log to stderr."""
    logging.basicConfig(level=logging.INFO, format=FORMAT)
    for handler in logging.getLogger().handlers:
        handler.addFilter(Quiet())
    for chatty in CHATTY:
        logging.getLogger(chatty).setLevel(logging.ERROR)
