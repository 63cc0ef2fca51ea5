"""A client's session beside `tidegate up`, which is killed and started again in the middle: everything counts once (SPEC 5.2, 9.3)."""

from pathlib import Path

import pytest

from pipelines.runtime import token_file
from tests.pipelines.api.test_killed import AGENT, ENTRY, PATIENCE, Up, tries
from tidegate_client import Credit, over_http

pytestmark = pytest.mark.processes

OUTCOMES = 40


def test_a_session_in_which_the_server_is_killed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    up = Up(data)
    with over_http(up.http, key=token_file(data).read_text().strip(), org="acme", agent=AGENT, buffer=tmp_path / "buffer") as tidegate:
        with tidegate.run("refund order 7", run_id="r-1", work_area="support/refunds") as run:
            run.step("orders.get", input={"order": 7}, output="in transit", status="ok")
            run.learn(ENTRY, "Check the status first.", tools=["orders.get"])
        assert run.sent is not None
        run.sent.result(PATIENCE)
        told = [
            tidegate.report("success", outcome_id=f"o-{n}", verified_by="ci", credits=[Credit(entry_key=ENTRY)]) for n in range(OUTCOMES)
        ]
        for _ in tries():
            if sum(receipt.done() for receipt in told) >= OUTCOMES // 4:
                break
        up.kill("up")
        up.process.wait()
        with tidegate.run("another", run_id="r-2") as other:  # nobody is there
            other.learn("support/refunds/pattern-ask", "Ask for the order's number.")
        up.start()
        assert tidegate.flush(PATIENCE)
        receipts = [run.sent.result(), *(receipt.result() for receipt in told)]
        assert other.sent is not None
        for receipt in (*receipts, other.sent.result()):
            for _ in tries():
                shown = tidegate.receipt(receipt)
                if shown["done"]:
                    break
            # What was taken before the crash, and not answered, was sent again: a duplicate.
            assert {part["end"] for part in shown["parts"]} <= {"stored", "duplicate"}, shown
        rows = {row["entry_key"]: row for row in tidegate.recall("status of the order")}
        assert (rows[ENTRY]["applied"], rows[ENTRY]["helpful"]) == (OUTCOMES, OUTCOMES)
        closed = tidegate.close()
    assert (closed.sent, closed.lost, closed.kept) == (OUTCOMES + 2, (), 0)
    up.process.terminate()
    assert up.process.wait(60) == 0
