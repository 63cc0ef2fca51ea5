"""When the embedded broker has on disk what it was sent, a second or two after it acknowledged: until then nothing counts as accepted."""

import asyncio
from pathlib import Path

from pipelines.broker import Saved

GLANCE_SECONDS = 0.05


class Durable:
    """One look at the broker's file serves all who wait."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._waiting: dict[asyncio.Future[None], Saved] = {}
        self._watch: asyncio.Task[None] | None = None

    async def wait(self) -> None:
        """Until the broker has saved what it has now."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[done] = Saved(self._data)
        if self._watch is None:
            self._watch = asyncio.create_task(self._look())
        await done

    async def _look(self) -> None:
        while self._waiting:
            await asyncio.sleep(GLANCE_SECONDS)
            seen = next(iter(self._waiting.values())).look()
            for done in [done for done, saved in self._waiting.items() if saved.over(seen)]:
                del self._waiting[done]
                if not done.done():
                    done.set_result(None)
        self._watch = None
