"""The client tells everything once, whatever the other side does meanwhile, and says what it could not tell."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

import tidegate_client
from schemas import validate
from schemas.jsonform import parse
from schemas.records import Outcome, Run
from tests.client.server import Server, problem, serving
from tidegate_client import Client, Credit, Lost, NotSent, Unavailable, over_http
from tidegate_client.buffer import InUse

ROOT = Path(tidegate_client.__file__).parents[1]
KEY = "tg_0123456789abcdef_" + "A" * 43
PATIENCE = 20.0
NOWHERE = "http://127.0.0.1:9"
WHO = {"org": "acme", "agent": "agent/support-1"}


@pytest.fixture
def server() -> Iterator[Server]:
    """One that takes what it gets."""
    with serving(Server()) as found:
        yield found


def client(url: str, **more: Any) -> Client:
    return over_http(url, key=KEY, **more)


def test_a_run_and_its_outcome(server: Server) -> None:
    with client(server.url) as tidegate:
        with tidegate.run("refund order 7", run_id="r-1", work_area="support/refunds", tools=["orders.cancel"]) as run:
            advice = run.recall("customer wants a refund", limit=5)
            run.message("user", "Where is my money?")
            run.step("orders.get", input={"order": 7}, output="in transit", status="ok", duration=0.25)
            run.met("person", "Ann Example")
            run.learn("support/refunds/pattern-check-status", "Check the status first.", tools=["orders.get"], privacy="shareable")
            run.claim("Acme", "billing/terms", {"days": 30})
        outcome = run.report("success", verified_by="ci", outcome_id="o-1", credits=[Credit(ref=advice.rows[0]["ref"], helpful="yes")])
        assert run.sent is not None
        receipts = {run.sent.result(PATIENCE), outcome.result(PATIENCE)}
    assert receipts == {f"receipt-of-{key}" for key in server.taken}
    assert server.ids() == {"r-1", "o-1"}
    told = {path: body for path, _, body in server.requests}
    for kind, path in ((Run, "/runs"), (Outcome, "/outcomes")):
        record = parse(kind, {**WHO, **told[path]})
        assert isinstance(record, kind), record
        assert validate.problem(record) is None
    sent = told["/runs"]
    assert (sent["goal"], sent["exit_status"], sent["tools"], sent["recall_ids"]) == (
        "refund order 7",
        "completed",
        ["orders.cancel", "orders.get"],
        ["rc-1"],
    )
    assert [step.get("tool") for step in sent["steps"]] == [None, "orders.get"]
    assert told["/outcomes"]["credits"] == [{"ref": "ref-1", "helpful": "yes", "applied": True}]
    assert told["/outcomes"]["run_id"] == "r-1"
    assert {headers["Authorization"] for _, headers, _ in server.requests} == {f"Bearer {KEY}"}


def test_a_run_that_an_exception_ends_is_told_and_the_exception_goes_on(server: Server) -> None:
    with client(server.url) as tidegate, pytest.raises(ZeroDivisionError), tidegate.run(run_id="r-1"):
        1 / 0  # noqa: B018
    [body] = server.taken.values()
    assert body["exit_status"] == "error"


@pytest.mark.parametrize(
    "answer",
    [
        problem(500, "fault"),
        problem(503, "unavailable", Retry_After="0"),
        problem(429, "rate_limited", Retry_After="0"),
        problem(401, "unauthorized"),
        problem(403, "another_author", "Tidegate-Agent"),
        (404, {}, {}),
        (302, {}, {"Location": "/elsewhere"}),
        (200, {}, {}),
    ],
)
def test_what_says_nothing_of_the_record_is_tried_again_under_the_same_key(server: Server, answer: Any) -> None:
    server.answers = [answer] * 3
    with client(server.url) as tidegate:
        tidegate.report("success", outcome_id="o-1").result(PATIENCE)
    tried = [(headers["Idempotency-Key"], body) for _, headers, body in server.requests]
    assert len(tried) == 4
    assert all(one == tried[0] for one in tried)


@pytest.mark.parametrize("status", [413, 415, 422])
def test_what_is_refused_is_told_and_the_rest_goes_on(server: Server, status: int) -> None:
    server.answers = [problem(status, "bad_value", "credits[0].ref")]
    told: list[Lost] = []
    tidegate = client(server.url, on_lost=told.append)
    with pytest.raises(NotSent) as raised:
        tidegate.report("success", outcome_id="o-1").result(PATIENCE)
    tidegate.report("success", outcome_id="o-2").result(PATIENCE)
    closed = tidegate.close()
    lost = Lost("outcomes", "o-1", "bad_value: not like that", "bad_value", "credits[0].ref")
    assert (told, raised.value.lost, closed.lost, closed.sent) == ([lost], lost, (lost,), 1)
    assert server.ids() == {"o-2"}


def test_the_other_side_comes_back() -> None:
    """Down before, killed in the middle: everything arrives, each under one key."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    first, second = Server(), Server()
    with client(f"http://127.0.0.1:{port}") as tidegate:
        receipts = [tidegate.report("success", outcome_id=f"o-{n}") for n in range(50)]
        with serving(first, port):
            receipts[0].result(PATIENCE)
        receipts += [tidegate.report("success", outcome_id=f"o-{n}") for n in range(50, 100)]
        with serving(second, port):
            assert tidegate.flush(PATIENCE)
    assert all(receipt.done() and receipt.exception() is None for receipt in receipts)
    assert first.ids() | second.ids() == {f"o-{n}" for n in range(100)}
    keys = {body["outcome_id"]: key for server in (first, second) for key, body in server.taken.items()}
    assert len(keys) == len(set(keys.values())) == len({*first.taken, *second.taken}) == 100


def test_what_a_file_keeps_outlives_the_process(tmp_path: Path, server: Server) -> None:
    """A client that is killed at once has lost nothing that it was told."""
    file = tmp_path / "buffer"
    program = f"""
import os, signal
from tidegate_client import over_http
tidegate = over_http({NOWHERE!r}, key="k", buffer={str(file)!r})
for n in range(20):
    tidegate.report("success", outcome_id=f"o-{{n}}")
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    with client(server.url, buffer=file) as tidegate:
        assert tidegate.flush(PATIENCE)
    assert server.ids() == {f"o-{n}" for n in range(20)}
    with client(server.url, buffer=file) as tidegate:
        assert tidegate.close().sent == 0


def test_a_clean_exit_sends_what_is_left(server: Server) -> None:
    """Nobody closes the client; Python ends."""
    program = f"""
from tidegate_client import over_http
tidegate = over_http({server.url!r}, key="k")
for n in range(20):
    tidegate.report("success", outcome_id=f"o-{{n}}")
"""
    done = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert server.ids() == {f"o-{n}" for n in range(20)}


def test_what_can_not_be_sent_is_told_at_the_end_or_kept(tmp_path: Path) -> None:
    told: list[Lost] = []
    tidegate = client(NOWHERE, on_lost=told.append)
    receipt = tidegate.report("success", outcome_id="o-1")
    closed = tidegate.close(0.1)
    assert [(lost.topic, lost.id) for lost in closed.lost] == [("outcomes", "o-1")]
    assert isinstance(receipt.exception(0), NotSent)
    assert (tuple(told), closed.kept) == (closed.lost, 0)
    keeping = client(NOWHERE, buffer=tmp_path / "buffer", on_lost=told.append)
    kept = keeping.report("success", outcome_id="o-2")
    assert not kept.cancel()  # it is on its way
    assert (keeping.close(0.1).kept, len(told)) == (1, 1)
    assert isinstance(kept.exception(0), CancelledError)
    with pytest.raises(RuntimeError):
        keeping.report("success")


def test_a_full_buffer_says_so_and_keeps_what_came_first(server: Server) -> None:
    server.held.clear()
    told: list[Lost] = []
    with client(server.url, limit=1000, on_lost=told.append) as tidegate:
        with tidegate.run(run_id="r-1") as run:
            run.step("x", output="y" * 500)
        with tidegate.run(run_id="r-2") as other:
            other.step("x", output="y" * 500)
        assert other.sent is not None and isinstance(other.sent.exception(PATIENCE), NotSent)
        server.held.set()
        assert tidegate.flush(PATIENCE)
        assert tidegate.report("success", outcome_id="o-1").result(PATIENCE)
    assert [(lost.id, lost.reason) for lost in told] == [("r-2", "the buffer is full")]
    assert server.ids() == {"r-1", "o-1"}


def test_a_file_belongs_to_one_client(tmp_path: Path) -> None:
    with client(NOWHERE, buffer=tmp_path / "buffer"), pytest.raises(InUse):
        client(NOWHERE, buffer=tmp_path / "buffer")


def test_recall_says_at_once_that_nobody_answers(server: Server) -> None:
    with client(NOWHERE) as tidegate, pytest.raises(Unavailable):
        tidegate.recall("refund")
    server.answers = [problem(422, "missing", "area"), (200, {"recall_id": None, "known": False, "rows": []}, {})]
    with client(server.url, **WHO) as tidegate:
        with pytest.raises(tidegate_client.Refused) as raised:
            tidegate.recall("refund", scope="walk")
        assert raised.value.field == "area"
        found = tidegate.recall("refund", scope="own", depth=1)
    assert (found.known, found.recall_id, list(found)) == (False, None, [])
    _, headers, body = server.requests[-1]
    assert body == {"text": "refund", "scope": "own", "depth": 1}
    assert (headers["Tidegate-Org"], headers["Tidegate-Agent"]) == ("acme", "agent/support-1")


def test_what_is_no_record_is_said_where_it_is_made(server: Server) -> None:
    """Not later, by a thread that knows nothing of the line."""
    with client(server.url) as tidegate:
        with tidegate.run(run_id="r-1") as run:
            with pytest.raises(TypeError):
                run.step("x", input=object())
            with pytest.raises(ValueError, match="JSON"):
                run.step("x", output=float("nan"))
            with pytest.raises(ValueError, match="entity_path/key"):
                run.learn("pattern", "Check.")
            run.step("cut", output="smile \ud83d")
        with pytest.raises(ValueError, match="a result or a score"):
            tidegate.report()
        with pytest.raises(ValueError, match="by ref or by entry_key"):
            Credit()
    [body] = server.taken.values()
    assert json.dumps(body["steps"][0]["output"]) == '"smile ?"'


def test_the_readme_s_example(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs as it stands, but for the address and the key."""
    example = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert example is not None
    monkeypatch.chdir(tmp_path)
    exec(example[1].replace("http://127.0.0.1:8080", server.url).replace("tg_…", KEY), {})
    assert sorted(path for path, _, _ in server.requests) == ["/learnings/search", "/outcomes", "/runs"]
