"""How much may be held (SPEC 4.5): beyond it runs and learnings are refused with a hint, and what makes room is taken."""

from collections.abc import Callable
from typing import Any

import pytest

from pipelines.api.held import WAIT_SECONDS, Most
from sinks.writer import Writer
from tests.pipelines.api.conftest import Http
from tests.sinks import records as r

RUN: dict[str, Any] = {"run_id": "r-1", "learnings": [{"entry_key": "a/b", "rule": "Look first."}]}
OUTCOME: dict[str, Any] = {"outcome_id": "o-1", "result": "success", "credits": [{"entry_key": "a/b"}]}
ENOUGH = Most(10, 10, 10)


@pytest.mark.parametrize(
    ("most", "key", "taken"),
    [
        (ENOUGH, "key-of-support-1", True),
        (Most(10, 10, 2), "key-of-support-1", False),
        (Most(10, 10, 2), "key-of-support-2", True),
        (Most(10, 2, 10), "key-of-support-2", False),
        (Most(10, 2, 10), "key-of-globex", True),
        (Most(2, 10, 10), "key-of-globex", False),
    ],
)
def test_beyond_it(writer: Writer, changed: Callable[..., Http], most: Most, key: str, taken: bool) -> None:
    held = [r.learning("Wait.", entry_key=f"a/{n}", state="held") for n in range(2)]
    over = r.learning("Gone.", entry_key="a/over", state="expired")
    assert writer.write(r.messages(r.agent_changed(), *held, over)) == []
    http = changed(most_held=most)
    answer = http("POST", "/runs", RUN, key)
    assert answer.status_code == (202 if taken else 429)
    assert http("POST", "/outcomes", OUTCOME, key).status_code == 202
    if not taken:
        assert (answer.json()["code"], answer.headers["Retry-After"]) == ("too_many_held", str(WAIT_SECONDS))


def test_what_was_taken_before_is_told_again(writer: Writer, changed: Callable[..., Http]) -> None:
    http = changed(most_held=Most(1, 1, 1))
    once: dict[str, Any] = {"headers": {"Idempotency-Key": "once"}}
    first = http("POST", "/runs", RUN, **once)
    assert writer.write(r.messages(r.agent_changed(), r.learning("Wait.", state="held"))) == []
    http.services.held._read_at = float("-inf")
    again = http("POST", "/runs", RUN, **once)
    assert (first.status_code, again.status_code, again.json()["id"]) == (202, 202, first.json()["id"])
    assert http("POST", "/runs", RUN | {"run_id": "r-2"}).status_code == 429
