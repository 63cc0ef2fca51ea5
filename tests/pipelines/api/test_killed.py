"""Nothing that was accepted is lost, and what is sent again counts once, whatever is killed with -9 (SPEC 5.2, 9.3)."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil
import pytest

from pipelines.runtime import find, token_file
from pipelines.settings import load

pytestmark = pytest.mark.processes

WRITES, SENDERS = 60, 12
PATIENCE = 120.0
AGENT = "agent/support-1"
ENTRY = "support/refunds/pattern-check-status"


class Up:
    """A `tidegate up` that may be killed and started again on its data."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.environ = {k: v for k, v in os.environ.items() if not k.startswith("TIDEGATE_")} | {"TIDEGATE_DATA": str(data)}
        self.environ |= {"TIDEGATE_PARTITIONS": "2"}
        self.start()

    def start(self) -> None:
        """Until it is ready."""
        with (self.data / "up.err").open("a") as err:
            command = [sys.executable, "-m", "pipelines.cli.main", "up", "--json"]
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=err, text=True, env=self.environ, start_new_session=True
            )
        assert self.process.stdout is not None
        told = self.process.stdout.readline()
        assert told, (self.data / "up.err").read_text()
        self.http = json.loads(told)["http"]

    def kill(self, name: str) -> None:
        """A part of it, or with "up" all of it, at once."""
        running = find(load(self.environ))
        assert running is not None
        [process] = [p for p in (running.up, *running.children) if p.name == name]
        psutil.Process(process.pid).send_signal(signal.SIGKILL)

    def client(self) -> httpx.Client:
        """Asks as the agent. Each request has a connection of its own: the other side may be another process by then."""
        headers = {"Authorization": f"Bearer {token_file(self.data).read_text().strip()}", "Tidegate-Org": "acme", "Tidegate-Agent": AGENT}
        return httpx.Client(base_url=self.http, headers=headers, timeout=30, limits=httpx.Limits(max_keepalive_connections=0))

    def send(self, path: str, key: str, body: dict[str, object]) -> str:
        """The receipt of a write, which is tried under one key until it is accepted."""
        with self.client() as client:
            for _ in tries():
                try:
                    answer = client.post(path, json=body, headers={"Idempotency-Key": key})
                except httpx.TransportError:
                    continue  # killed, or not there again yet
                assert answer.status_code in (202, 503), answer.text
                if answer.status_code == 202:
                    receipt: str = answer.json()["id"]
                    return receipt
        raise AssertionError("never accepted")

    def ends(self, receipt: str) -> set[str]:
        """How the parts of a write have ended, once they all have."""
        with self.client() as client:
            for _ in tries():
                told = client.get(f"/receipts/{receipt}").json()
                if told["done"]:
                    return {part["end"] for part in told["parts"]}
        raise AssertionError(told)


def tries() -> Iterator[None]:
    """Again and again, for as long as patience lasts."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        yield
        time.sleep(0.1)


def outcome(number: int) -> dict[str, object]:
    """A success that relied on the learning."""
    return {"outcome_id": f"o-{number}", "result": "success", "verified_by": "ci", "credits": [{"entry_key": ENTRY}]}


def test_killed_in_the_middle_of_writes(tmp_path: Path) -> None:
    """The engine, which serves HTTP, and then everything, the broker too."""
    up = Up(tmp_path)
    run = up.send("/runs", "run", {"run_id": "r-1", "learnings": [{"entry_key": ENTRY, "rule": "Check the status first."}]})
    assert up.ends(run) == {"stored"}
    with ThreadPoolExecutor(SENDERS) as senders:
        sent = [senders.submit(up.send, "/outcomes", f"k-{n}", outcome(n)) for n in range(WRITES)]
        for victim, after in (("engine", WRITES // 4), ("up", WRITES // 2)):
            for _ in tries():
                if sum(s.done() for s in sent) >= after:
                    break
            up.kill(victim)
        up.process.wait()
        up.start()
        receipts = {n: s.result() for n, s in enumerate(sent)}
    again = {n: up.send("/outcomes", f"k-{n}", outcome(n)) for n in range(0, WRITES, 7)}
    assert again == {n: receipts[n] for n in again}
    ends = [up.ends(receipt) for receipt in receipts.values()]
    # One that was sent, but not told before the crash, was sent again: a duplicate.
    assert [end for end in ends if not end <= {"stored", "duplicate"}] == []
    with up.client() as client:
        [row] = client.post("/learnings/search", json={"text": "status"}).json()["rows"]
    assert (row["applied"], row["helpful"]) == (WRITES, WRITES)
    up.process.terminate()
    assert up.process.wait(60) == 0
