"""What ends a command: one line that says what is wrong and what to do, and the exit status that goes with it."""

from typing import ClassVar


class Failure(Exception):
    """A reason to stop, as one line for a person. `status` is the exit status (INTERFACES, "Commands")."""

    status: ClassVar[int] = 1


class SettingsError(Failure):
    """A setting, an option or the data directory is wrong."""

    status = 2


class Unreachable(Failure):
    """An engine can't be reached, or would not stay up."""

    status = 3
