"""Postings: each wording once, whatever is delivered again; frequencies exact; what a crash left twice is mended."""

import itertools
from typing import Any

import pytest
from clickhouse_connect.driver.client import Client

from sinks import postings, relevance, words
from sinks.relevance import Question
from sinks.writer import Writer
from tests.sinks import records as r

OWN = postings.own(r.AGENT)


def _question(client: Client, text: str, *audiences: str) -> Question:
    return Question(client, r.ORG, audiences or (OWN,), text)


def _texts(*texts: str) -> list[Any]:
    return [r.learning(text, entry_key=f"a/{i}", tools=()) for i, text in enumerate(texts)]


def test_evidence_moves_without_touching_them(client: Client, writer: Writer) -> None:
    for version in range(1, 4):
        writer.write(r.messages(r.learning(version=version, applied=version), first_offset=version))
    assert client.query("SELECT count() FROM wordings").result_rows == [(1,)]
    assert client.query("SELECT count() FROM postings").result_rows == client.query("SELECT sum(terms) FROM wordings").result_rows


def test_a_crash_between_the_two_inserts_is_mended(client: Client, writer: Writer) -> None:
    writer.write(r.messages(*_texts("refund status", "refund date")))
    before = client.query("SELECT * FROM postings ORDER BY ALL").result_rows
    client.command("TRUNCATE TABLE wordings")  # as if they had not been written yet
    writer.write(r.messages(*_texts("refund status"), first_offset=5))
    writer.write(r.messages(*_texts("refund status", "refund date"), first_offset=5))
    assert client.query("SELECT count() FROM postings").result_rows != [(len(before),)]
    assert postings.mend(client)
    assert client.query("SELECT * FROM postings ORDER BY ALL").result_rows == before
    assert not postings.mend(client)


def test_bm25(client: Client, writer: Writer) -> None:
    """The score is BM25's, with the average length pinned at 20."""
    texts = ("refund status refund", "status of an order", "shipping")
    writer.write(r.messages(*_texts(*texts)))
    best = _question(client, "refund status").best(10)
    idf = {"refund": words.rarity(1, 3) / 100, "status": words.rarity(2, 3) / 100}

    def weight(n: int, length: int) -> float:
        return n * 2.2 / (n + 1.2 * (0.25 + 0.75 * length / 20))

    assert list(best.values()) == pytest.approx(
        [idf["refund"] * weight(2, 3) + idf["status"] * weight(1, 3), idf["status"] * weight(1, 2)], abs=0.02
    )


def test_frequencies_come_from_what_the_caller_may_be_shown(client: Client, writer: Writer) -> None:
    """SPEC 7.1, 4.4: what others wrote moves no score."""
    writer.write(r.messages(*_texts("refund status", "shipping")))
    before = _question(client, "refund").best(10)
    others = [r.learning("refund", agent=r.OTHER, entry_key=f"b/{i}") for i in range(20)]
    writer.write(r.messages(*others, r.shared("refund", space="sales"), first_offset=50))
    assert _question(client, "refund").best(10) == before
    assert len(_question(client, "refund", OWN, postings.pool("sales")).best(10)) == 2


@pytest.mark.parametrize(("selective", "chosen"), [(0, 2), (3, 2), (100, 5)])
def test_many_postings_are_ranked_by_way_of_the_rarest(
    client: Client, writer: Writer, monkeypatch: pytest.MonkeyPatch, selective: int, chosen: int
) -> None:
    """The rarest stems choose, all rank; asked for, nothing is passed over."""
    monkeypatch.setattr(relevance, "FETCHED", 0)
    monkeypatch.setattr(relevance, "ONE_PASS", 0)
    monkeypatch.setattr(relevance, "SELECTIVE", selective)
    writer.write(r.messages(*_texts(*(f"refund {word}" for word in ("status", "date", "shipping", "tax", "status date")))))
    question = _question(client, "refund status date")
    best, whole = question.best(10), question.best(10, whole=True)
    assert (len(best), len(whole)) == (chosen, 5)
    assert best.items() <= whole.items()
    top = r.learning("refund status date", entry_key="a/4", tools=())
    assert next(iter(best)) == postings.posting_id(top.learning_id, top.wording)


def test_fetched_or_ranked_by_the_engine(client: Client, writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few postings are ranked here, many where they are: order, scores and audiences are the same."""
    texts = _texts("refund status refund", "status of an order", "shipping", "refund date", "date of a refund")
    writer.write(r.messages(*texts, r.shared("refund date", space="sales", tools=())))
    asked = [(text, OWN, postings.pool("sales")) for text in ("refund status", "date", "zebra", "the", "refund date of shipping")]

    def best(text: str, *audiences: str) -> Any:
        question = _question(client, text, *audiences)
        return list(question.best(4).items()), question.met

    fetched = [best(*one) for one in asked]
    monkeypatch.setattr(relevance, "FETCHED", 0)
    assert [best(*one) for one in asked] == fetched
    assert [len(rows) for rows, _ in fetched] == [4, 3, 0, 0, 4]


def test_scores_do_not_depend_on_batches(client: Client, writer: Writer) -> None:
    texts = _texts("refund status", "refund date", "shipping refund")
    for number, record in itertools.chain(enumerate(texts), enumerate(texts, 7)):
        writer.write(r.messages(record, first_offset=number))
    one_by_one = _question(client, "refund date").best(10)
    client.command("TRUNCATE TABLE wordings")
    client.command("TRUNCATE TABLE postings")
    writer.write(r.messages(*texts, first_offset=99))
    assert _question(client, "refund date").best(10) == one_by_one


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("Running runs, RAN; run_id!", ["run", "run", "ran", "run", "id"]),
        ("the of and", []),
        ("naïve Größe 42", ["naïv", "größe", "42"]),
        ("The agent's run didn’t end; don't say IT'S over", ["agent", "run", "end", "say", "over"]),
        ("assertRaises, getHTTPStatus", ["assertrais", "assert", "rais", "gethttpstatus", "get", "http", "status"]),
        ("JavaScript on GitHub in macOS", ["javascript", "github", "maco", "mac"]),
        ("dirs, config", ["directori", "configur"]),
    ],
)
def test_stems(text: str, stems: list[str]) -> None:
    assert words.stems(text) == stems
