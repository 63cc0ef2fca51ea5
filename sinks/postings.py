"""Writes the postings by which recall finds a wording; each wording once, whatever is delivered again.

`wordings` tells what was written, and is written after the postings it tells of. A crash in between leaves postings of at most one batch
that are then written twice, until ReplacingMergeTree merges them: `mend`, at start, sees it by the counts and merges at once. So document
frequencies, which are counts of postings, are exact.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from clickhouse_connect.driver.client import Client

from schemas.records import Learning, SharedLearning
from sinks import words
from sinks.meaning import Model

FIELDS: dict[type, tuple[str, ...]] = {
    Learning: ("org", "agent", "learning_id", "rule", "value", "tools", "wording"),
    SharedLearning: ("org", "space", "shared_id", "rule", "value", "tools", "wording"),
}
"""What `of_learning` and `of_shared` read."""
_POSTING = ["org", "h", "id", "w", "audience"]
_WORDING = ["org", "audience", "id", "subject", "wording", "terms"]
_VECTOR = ["org", "model", "id", "v"]
_AT_ONCE = 2_000
"""Vectors that are made and written together."""
_WITHOUT = """SELECT DISTINCT org, subject, wording, rule, value, tools FROM (
    SELECT org, learning_id AS subject, wording, assumeNotNull(rule) AS rule, value, tools FROM learnings WHERE isNotNull(rule)
    UNION ALL SELECT org, shared_id AS subject, wording, rule, value, tools FROM pool)
WHERE (subject, wording) IN (
    SELECT subject, wording FROM wordings WHERE id NOT IN (SELECT id FROM vectors WHERE model = {model:String}))"""


@dataclass(frozen=True, slots=True)
class Wording:
    """A text to be found. `audience` is who may find it: "own:" and an agent, or "pool:" and a space."""

    org: str
    audience: str
    subject: str
    wording: str
    text: str

    @property
    def id(self) -> int:
        """64 bits of two keyed hashes, so as good as random."""
        return posting_id(self.subject, self.wording)


def posting_id(subject: str, wording: str) -> int:
    """Id of a wording of a learning or shared learning in the postings."""
    return int(subject[:16], 16) ^ int(wording, 16)


def own(agent: str) -> str:
    """Audience of an agent's own learnings."""
    return f"own:{agent}"


def pool(space: str) -> str:
    """Audience of a pool."""
    return f"pool:{space}"


def of_learning(record: Learning) -> Wording | None:
    """What an agent's learning is found by; None where it is held without its wording."""
    if record.rule is None:
        return None
    return Wording(record.org, own(record.agent), record.learning_id, record.wording, _text(record.rule, record.value, record.tools))


def of_shared(record: SharedLearning) -> Wording:
    """What a shared learning is found by."""
    return Wording(record.org, pool(record.space), record.shared_id, record.wording, _text(record.rule, record.value, record.tools))


def write(client: Client, wordings: Iterable[Wording], model: Model | None = None) -> None:
    """Write the postings and, with a model, the vectors of those wordings that have none yet. Raises what the client raises."""
    new = {w.id: w for w in wordings}
    if not new:
        return
    known = client.query("SELECT id FROM wordings WHERE id IN {ids:Array(UInt64)}", parameters={"ids": list(new)}).result_columns
    for done in known[0] if known else ():
        new.pop(done, None)
    postings, told = [], []
    for key, w in new.items():
        weights = words.weights(w.text)
        postings += [(w.org, h, key, weight, w.audience) for h, weight in weights.items()]
        told.append((w.org, w.audience, key, w.subject, w.wording, len(weights)))
    if postings:
        client.insert("postings", postings, column_names=_POSTING)
    if model is not None:
        _write_vectors(client, model, [(w.org, key, w.text) for key, w in new.items()])
    if told:
        client.insert("wordings", told, column_names=_WORDING)


def mend(client: Client) -> bool:
    """Merge postings that a crash left twice; whether there were any."""
    told = client.query("SELECT sum(terms) FROM wordings FINAL").result_rows[0][0]
    there = client.query("SELECT count() FROM postings").result_rows[0][0]
    if there <= told:
        return False
    client.command("OPTIMIZE TABLE postings FINAL")
    return True


def catch_up(client: Client, model: Model) -> int:
    """Write the vectors of wordings that were written without that model; how many there were. Raises what the client raises."""
    rows = client.query(_WITHOUT, parameters={"model": model.name}).result_rows
    texts = [(org, posting_id(subject, wording), _text(rule, value, tools)) for org, subject, wording, rule, value, tools in rows]
    _write_vectors(client, model, texts)
    return len(texts)


def _write_vectors(client: Client, model: Model, texts: list[tuple[str, int, str]]) -> None:
    for begin in range(0, len(texts), _AT_ONCE):
        part = texts[begin : begin + _AT_ONCE]
        made = zip(part, model.vectors([text for _, _, text in part]), strict=True)
        client.insert("vectors", [(org, model.name, key, vector) for (org, key, _), vector in made], column_names=_VECTOR)


def _text(rule: str, value: str | None, tools: Iterable[str]) -> str:
    return " ".join((rule, words.json_text(value), *tools))
