"""What is wrong with a message, as data: nothing in the pipeline raises for it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A reason of ours why something was refused.

    `code` is stable and machine-readable, `field` the path of the field that is wrong ("learnings[2].rule"),
    `detail` a sentence for people. None of them ever holds a value from the message.
    """

    code: str
    field: str | None = None
    detail: str = ""
