"""Become another program that dies with its parent: `tether.py PARENT_PID PROGRAM ARGUMENT…`.

A supervisor that is killed with -9 can stop nobody. On Linux the kernel does it: the signal asked for here outlives the exec, so that
even a program that knows nothing of this, like the broker, goes with its parent. Run as a file, not as a module: it imports nothing of
ours and is there in some 15 ms. Elsewhere the next start clears what was left (pipelines.datadir).
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> None:
    """Tie this process to its parent and become `command`."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit(1)  # it died before the kernel was asked
    os.execv(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
