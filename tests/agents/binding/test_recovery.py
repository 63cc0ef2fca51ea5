"""A table is what its changelog holds: a copy that was let go is made anew from the changelog's start."""

import asyncio
from pathlib import Path
from typing import Any

from faust.types import TP

from agents.binding.agent import Agent, App, Cluster
from agents.binding.batch import Result
from agents.binding.states import in_memory
from agents.binding.transport import end_anew

PARTITIONS = 2


class Idle:
    def step(self, *_: Any) -> Result:
        return Result()


def stateful(data: Path) -> Any:
    epochs = dict.fromkeys(("learnings", "aggregate-state-changelog"), "e")
    cluster = Cluster("127.0.0.1:1", "t-", PARTITIONS, data, epochs, "worker-0", in_memory)
    return App(Agent("aggregate", ("learnings",), Idle(), stateful=True), cluster)


def test_a_copy_that_was_let_go_is_not_gone_on_with(tmp_path: Path) -> None:
    """Also where Faust's recovery was never told so: it takes no notice of a rebalance that another is about to follow."""

    async def offsets() -> dict[int, int | None]:
        app = stateful(tmp_path)
        (table,) = app.tables.values()
        kept, gone = TP(app.changelog, 0), TP(app.changelog, 1)
        await table.data.on_rebalance({kept, gone}, set(), {kept, gone})
        for tp in (kept, gone):
            app.states.apply(tp.partition, {b"k": b"v"}, 100)
            app.tables.recovery.active_offsets[tp] = 100
        await table.data.on_rebalance({kept}, {gone}, set())
        await table.data.on_rebalance({kept, gone}, set(), {gone})
        for tp in (kept, gone):
            app.tables.recovery.add_active(table, tp)
        return {tp.partition: app.tables.recovery.active_offsets[tp] for tp in (kept, gone)}

    assert asyncio.run(offsets()) == {0: 100, 1: None}


def test_a_recovery_does_not_end_by_the_end_of_the_one_before(tmp_path: Path) -> None:
    """Where two rebalances come within seconds, what came with the second would not be copied. Found by `make chaos`."""

    async def ended() -> bool:
        recovery = stateful(tmp_path).tables.recovery
        end_anew(recovery)
        recovery.signal_recovery_end.set()
        recovery._set_recovery_started()
        told: bool = recovery.signal_recovery_end.is_set()
        return told

    assert not asyncio.run(ended())
