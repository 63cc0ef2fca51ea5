"""Tidegate's own binding with the cores of this job: `split` and `count`, each a Faust app, wired as the product's agents are."""

import asyncio
import gc
import logging
import os
import signal
import struct
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import uvloop
from numpy.typing import NDArray

from agents.binding.agent import Agent, App, Cluster, run
from agents.binding.batch import Incoming, Outgoing, Read, Result
from agents.binding.guard import Guarded
from agents.binding.states import in_memory
from bench import job
from schemas import columns
from schemas.partition import murmur2, partition_of
from schemas.store import Schema

KEPT = timedelta(days=7)
_PACKED = struct.Struct(f"<{job.LEARNING_BYTES}s8sBq")


_ROW = np.dtype([("learning", "u1", job.LEARNING_BYTES), ("outcome", "u1", 8), ("flags", "u1"), ("at", "<i8")])
"""A credit behind its learning, as `_PACKED` reads it."""
_HEX = np.zeros(256, np.uint8)
_HEX[list(b"0123456789abcdef")] = range(16)
SCHEMA = Schema("Outcome", job.SCHEMA, job.PARSED, job.FINGERPRINT)


@lru_cache(maxsize=100_000)
def _partition(learning: bytes) -> int:
    return partition_of(murmur2(learning), job.PARTITIONS)


class Split:
    """Outcomes in; their credits out, packed: one message a partition and batch."""

    def step(self, partition: int, batch: Sequence[Incoming], read: Read) -> Result:
        """Take a batch, by column where it is worth it; what can't be read so is read one by one."""
        messages = [record.value or b"" for record in batch]
        packed: list[list[bytes]] = [[] for _ in range(job.PARTITIONS)]
        odd: Iterable[int] = range(len(messages))
        if len(messages) >= columns.WORTH_IT:
            found = columns.read(SCHEMA, messages)
            if found.rows:
                _pack(found.record, packed)
            odd = found.odd
        for number in odd:
            outcome = job.decode(messages[number])
            for learning, credit in job.split(outcome):
                packed[_partition(learning)].append(learning + credit)
        return Result([Outgoing("credits", b"", b"".join(credits), to) for to, credits in enumerate(packed) if credits])


def _pack(record: columns.Record, packed: list[list[bytes]]) -> None:
    outcomes: Any = record["outcome_id"]
    ids = _unhex(outcomes.matrix(16))
    credits: Any = record["credits"]
    of = credits.items
    learnings, at = of["learning"].matrix(job.LEARNING_BYTES), record["at"]
    rows = np.empty(credits.rows.size, _ROW)
    rows["learning"] = learnings
    rows["outcome"] = ids[credits.rows]
    rows["flags"] = of["applied"] | of["helpful"].astype(np.uint8) << 1
    rows["at"] = at[credits.rows]  # type: ignore[index]
    to = (murmur2_of(learnings) & 0x7FFFFFFF) % job.PARTITIONS
    for partition, credits_ in enumerate(packed):
        if (mine := rows[to == partition]).size:
            credits_.append(mine.tobytes())


def _unhex(digits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    values = _HEX[digits]
    return (values[:, ::2] << np.uint8(4)) | values[:, 1::2]


def murmur2_of(keys: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Kafka's murmur2 of many keys of one length, a row each; the length is a multiple of 4."""
    words = np.ascontiguousarray(keys).view("<u4")
    many = np.uint32(0x5BD1E995)
    h = np.full(len(keys), 0x9747B28C ^ keys.shape[1], np.uint32)
    for word in words.T:
        k = word * many
        k ^= k >> np.uint32(24)
        h = h * many ^ k * many
    h ^= h >> np.uint32(13)
    h *= many
    return h ^ h >> np.uint32(15)


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
    data = Path(setting.data)
    cluster = Cluster(
        brokers=setting.brokers,
        prefix=f"{setting.name}-",
        partitions=job.PARTITIONS,
        data=data,
        epochs=dict.fromkeys(("outcomes", "credits", "count-state-changelog"), "bench"),
        member=data.name,
        new_states=in_memory,
        transactions=os.environ.get("FENCE") == "transactions",
    )
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
