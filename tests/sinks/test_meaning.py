"""Recall by meaning too (SPEC 7.6): with the model that its package ships."""

from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from sinks import meaning, postings
from sinks.ask import Ask
from sinks.processors import processors
from sinks.recall import Recall
from sinks.writer import Writer
from tests.sinks import records as r

pytest.importorskip("wordllama", reason="the extra `meaning` is not installed")

ASKED = "How do I give a customer money back?"
NEAR = "Refund a customer's payment in full, by the way in which it was paid."
FAR = "Index the customer table at night."
NOWHERE = "Rebase before you push."


@pytest.fixture(scope="module")
def model() -> meaning.Model:
    """The model."""
    found = meaning.load("wordllama")
    assert found is not None
    return found


def told(client: Client, model: meaning.Model | None) -> Writer:
    """A writer that has written three learnings."""
    writer = Writer(client, processors(r.SECRET), model)
    rules = {"near": NEAR, "far": FAR, "nowhere": NOWHERE}
    writer.write(r.messages(r.agent_changed(), *(r.learning(rule, entry_key=f"support/{key}") for key, rule in rules.items())))
    return writer


def asked(client: Client, model: meaning.Model | None) -> list[dict[str, Any]]:
    """The rows of an answer."""
    return Recall(client, r.SECRET, None, model).answer(Ask(org=r.ORG, agent=r.AGENT, text=ASKED, scope="own")).rows


def test_what_means_the_same_comes_first(client: Client, model: meaning.Model) -> None:
    """SPEC 7.6, 7.7: words choose, meaning ranks, and the row says so."""
    told(client, model)
    assert [row["rule"] for row in asked(client, None)] == [FAR, NEAR]
    rows = asked(client, model)
    assert [row["rule"] for row in rows] == [NEAR, FAR]
    assert all("near in meaning (" in row["why"] for row in rows)


def test_a_model_that_is_new_catches_up(client: Client, model: meaning.Model) -> None:
    """What was written without it has its vectors before the next batch, once."""
    told(client, None)
    assert all("meaning" not in row["why"] for row in asked(client, model))
    told(client, model).prepare()
    assert client.query("SELECT count(), uniqExact(id) FROM vectors").result_rows == [(3, 3)]
    assert [row["rule"] for row in asked(client, model)] == [NEAR, FAR]
    assert postings.catch_up(client, model) == 0


def test_a_replay_writes_no_vector_twice(client: Client, model: meaning.Model) -> None:
    """SPEC 7.6: vectors are of wordings."""
    told(client, model)
    told(client, model)
    assert client.query("SELECT count() FROM vectors").result_rows == [(3,)]


def test_a_wording_without_a_vector_is_as_near_as_the_others(model: meaning.Model) -> None:
    near = {1: 0.5, 2: 0.1}
    assert meaning.fused({1: 10.0, 2: 8.0, 3: 6.0}, near) == pytest.approx({1: 14.0, 2: 8.8, 3: 8.4})
    assert meaning.fused({1: 10.0}, {}) == {1: 10.0}


def test_vectors_are_of_the_text_alone(model: meaning.Model) -> None:
    """A text's vector does not hang on what else is in the batch; no known word is no meaning."""
    together = model.vectors([NEAR, FAR, ""])
    assert together == [*model.vectors([NEAR]), *model.vectors([FAR]), bytes(meaning.DIMENSIONS)]
