"""An engine that recall is measured beside: run by bench/recall.py with the peer's own Python. A job in as JSON, ranks out."""

import json
import re
import sqlite3
import sys
from collections.abc import Callable

Rank = Callable[[str], list[int]]
BEST = 10


def fts5(texts: list[str]) -> Rank:
    """SQLite FTS5 with Porter's stems."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(body, tokenize = 'porter unicode61')")
    database.executemany("INSERT INTO texts (rowid, body) VALUES (?, ?)", enumerate(texts))
    sql = f"SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY bm25(texts) LIMIT {BEST}"

    def rank(query: str) -> list[int]:
        return [number for (number,) in database.execute(sql, (" OR ".join(f'"{word}"' for word in re.findall(r"\w+", query)),))]

    return rank


def tantivy(texts: list[str]) -> Rank:
    """Tantivy with its English stems."""
    from tantivy import Document, Index, SchemaBuilder

    schema = SchemaBuilder().add_integer_field("number", stored=True).add_text_field("body", tokenizer_name="en_stem").build()
    index = Index(schema)
    writer = index.writer()
    for number, text in enumerate(texts):
        writer.add_document(Document(number=number, body=text))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def rank(query: str) -> list[int]:
        parsed = index.parse_query(" ".join(re.findall(r"\w+", query)), ["body"])
        return [searcher.doc(address)["number"][0] for _, address in searcher.search(parsed, BEST).hits]

    return rank


def bm25s(texts: list[str]) -> Rank:
    """bm25s with Snowball's English stems."""
    from bm25s import BM25, tokenize
    from Stemmer import Stemmer

    stemmer, model = Stemmer("english"), BM25()
    model.index(tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)

    def rank(query: str) -> list[int]:
        tokens = tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
        return [int(number) for number in model.retrieve(tokens, k=BEST, show_progress=False)[0][0]]

    return rank


ENGINES = {"SQLite FTS5": fts5, "tantivy": tantivy, "bm25s": bm25s}

if __name__ == "__main__":
    job = json.load(sys.stdin)
    answer = ENGINES[job["engine"]](job["texts"])
    json.dump([answer(query) for query in job["queries"]], sys.stdout)
