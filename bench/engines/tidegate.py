"""Tidegate's own binding with the cores of this job: `split` and `count`, each a Faust app, wired as the product's agents are."""

import asyncio
import gc
import logging
import signal
import struct
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import lru_cache
from pathlib import Path

import uvloop

from agents.binding.agent import Agent, App, Cluster, run
from agents.binding.batch import Incoming, Outgoing, Read, Result
from agents.binding.guard import Guarded
from bench import job
from schemas.partition import murmur2, partition_of

KEPT = timedelta(days=7)
CREDITS_A_MESSAGE = 4_000
_PACKED = struct.Struct(f"<{job.LEARNING_BYTES}s8sBq")


@lru_cache(maxsize=1_000_000)
def _place(learning: str) -> tuple[bytes, int]:
    key = learning.encode()
    return key, partition_of(murmur2(key), job.PARTITIONS)


class Split:
    """Outcomes in; their credits out, packed: one message a partition and batch."""

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        """Take a batch."""
        packed: list[list[bytes]] = [[] for _ in range(job.PARTITIONS)]
        for record in batch:
            outcome = job.decode(record.value or b"")
            id_, at = bytes.fromhex(outcome["outcome_id"][:16]), outcome["at"]
            for credit in outcome["credits"]:
                key, to = _place(credit["learning"])
                packed[to].append(_PACKED.pack(key, id_, credit["applied"] | credit["helpful"] << 1, at))
        return Result(list(_messages(packed)))


def _messages(packed: list[list[bytes]]) -> Iterable[Outgoing]:
    for to, credits in enumerate(packed):
        for first in range(0, len(credits), CREDITS_A_MESSAGE):
            yield Outgoing("credits", b"", b"".join(credits[first : first + CREDITS_A_MESSAGE]), to)


class Count:
    """Credits in; each learning's state, and the candidates."""

    def __init__(self, progress: job.Progress) -> None:
        self._progress = progress

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        """Take a batch. A credit that comes again makes a candidate come again: a crash may have kept the one and lost the other."""
        out: list[Outgoing] = []
        states: dict[bytes, bytes | None] = {}
        again: dict[bytes, int] = {}
        counted = 0
        for record in batch:
            for key, id_, flags, at in _PACKED.iter_unpack(record.value or b""):
                before = states[key] if key in states else read(key)
                after, passes = job.count(before, id_, flags)
                counted += 1
                if after is before:
                    if after[8]:
                        again[key] = at
                    continue
                states[key] = after
                if passes:
                    out.append(Outgoing("candidates", key, job.candidate(key, after, at), partition))
        for key, at in again.items():
            out.append(Outgoing("candidates", key, job.candidate(key, states.get(key) or read(key) or b"", at), partition))
        self._progress.counted += counted
        return Result(out, states)


async def main() -> None:
    """Run both agents in this process, as a worker does."""
    setting = job.Setting()
    epochs = {"outcomes": "bench", "credits": "bench"}
    member = Path(setting.data).name
    cluster = Cluster(setting.brokers, f"{setting.name}-", job.PARTITIONS, Path(setting.data), epochs, member)
    apps = [
        App(Agent("split", ("outcomes",), Guarded(Split(), KEPT)), cluster),
        App(Agent("count", ("credits",), Guarded(Count(job.Progress()), KEPT), stateful=True), cluster),
    ]
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    gc.collect()
    gc.freeze()
    await run(apps, stop, lambda: None)


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    uvloop.run(main())
