"""`python -m tests.chaos N [SEED [BROKER]]`: so many faults, drawn from a seed, on kafka (the default) or noida-db."""

import secrets
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType

from tests.chaos.broker import Unsteady
from tests.chaos.drive import Chaos, Wrong


def main(faults: int, seed: int, kind: str) -> int:
    """Drive them; the status for the shell."""
    data = Path(tempfile.mkdtemp(prefix="tidegate-chaos-"))
    print(f"seed {seed}: {faults} faults on {kind}", flush=True)
    try:
        Chaos(seed, Unsteady(kind, data), data / "data", lambda text: print(text, flush=True)).run(faults)
    except Wrong as wrong:
        print(wrong, f"what is left of it, its logs too, is in {data}", sep="\n", file=sys.stderr)
        return 1
    shutil.rmtree(data, ignore_errors=True)
    print(f"seed {seed}: {faults} faults, and everything is as it should be")
    return 0


def _asked_to_end(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _asked_to_end)
    arguments = [*sys.argv[1:], "", "", ""][:3]
    sys.exit(main(int(arguments[0] or 25), int(arguments[1] or secrets.randbelow(10**6)), arguments[2] or "kafka"))
