"""What was erased goes from every table, and receipts of erasures (SPEC 8.3, 8.4).

Rows are deleted, not filtered: so no query, view or search, of today or to come, finds them. What arrives after its erasure, because the
sink reads it late or builds its tables anew, is deleted by the same statements: they look at all that was ever erased.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from clickhouse_connect.driver.client import Client

from sinks.batch import Message

TOPIC = "erased"
TELLING = frozenset({TOPIC, "episodes", "claims", "findings", "learnings", "dead-letters"})
"""Topics whose records are erased, or say what is."""
VAULT_BACKUPS = timedelta(days=7)
"""How long a backup of the keys may be kept (docs/erasure.md)."""
_LATE_MS = 10 * 60 * 1000
"""A record older than the newest erasure and so much may be of what went: brokers' clocks differ, and agents are behind one another."""
_NEWEST = "SELECT toUnixTimestamp64Milli(max(at)) FROM erased"
_WHEN = "SELECT org, entity, max(at) AS erased_at FROM erased GROUP BY org, entity"
_RUNS = "(org, agent, run_id) IN (SELECT org, agent, run_id FROM erased_runs)"
_STATEMENTS = (
    # Which episodes and claims go is noted first: what tells of them is found by it.
    f"""INSERT INTO erased_runs SELECT org, agent, run_id, max(w.erased_at)
FROM (SELECT org, agent, run_id, received_at, arrayJoin(entities) AS entity FROM episodes WHERE notEmpty(entities)) AS e
INNER JOIN ({_WHEN}) AS w ON w.org = e.org AND w.entity = e.entity
WHERE e.received_at <= w.erased_at GROUP BY org, agent, run_id""",
    f"""INSERT INTO erased_runs SELECT c.org, c.agent, c.claim_id, max(w.erased_at) FROM claims AS c
INNER JOIN ({_WHEN}) AS w ON w.org = c.org AND w.entity = c.entity_id
WHERE c.received_at <= w.erased_at GROUP BY c.org, c.agent, c.claim_id""",
    f"DELETE FROM episodes WHERE {_RUNS}",
    f"""DELETE FROM claims WHERE (org, agent, claim_id, received_at) IN (
    SELECT c.org, c.agent, c.claim_id, c.received_at FROM claims AS c
    INNER JOIN ({_WHEN}) AS w ON w.org = c.org AND w.entity = c.entity_id WHERE c.received_at <= w.erased_at)""",
    """DELETE FROM findings WHERE receipt IN (
    SELECT f.receipt FROM findings AS f
    INNER JOIN (SELECT org, agent, run_id, max(at) AS erased_at FROM erased_runs GROUP BY org, agent, run_id) AS e
        ON e.org = f.org AND e.agent = f.agent AND e.run_id = f.subject
    WHERE f.subject_kind IN ('run', 'claim') AND f.at <= e.erased_at)""",
    f"DELETE FROM credits WHERE receipt IN (SELECT receipt FROM outcomes WHERE {_RUNS})",
    f"DELETE FROM outcomes WHERE {_RUNS}",
    f"""ALTER TABLE dead_letters UPDATE excerpt = '' WHERE excerpt != '' AND id IN (
    SELECT id FROM (SELECT id, org, at, arrayJoin(entities) AS entity FROM dead_letters WHERE notEmpty(entities)) AS d
    INNER JOIN ({_WHEN}) AS w ON w.org = d.org AND w.entity = d.entity WHERE d.at <= w.erased_at)""",
)
_RECEIPT = """SELECT any(requested_by) AS requested_by, min(at) AS at, count() AS partitions, sum(episodes) AS episodes,
    sum(claims) AS claims, sum(outcomes) AS outcomes, sum(waiting) AS waiting, sum(learnings) AS learnings, sum(credits) AS credits
FROM erased FINAL WHERE org = {org:String} AND erasure = {id:String}"""
_JOURNAL = """SELECT chain, sequence, decision, at, key, signature FROM journal FINAL
WHERE org = {org:String} AND subject = {id:String} AND decision IN ('erasure_requested', 'entity_erased') ORDER BY sequence"""
COUNTED = ("episodes", "claims", "outcomes", "waiting", "learnings", "credits")


class Erasing:
    """Knows when rows have to go: as an erasure is told, and as something arrives that is older than one."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._newest: int | None = None

    def after(self, messages: Sequence[Message]) -> None:
        """Delete what has to go once some messages were written."""
        telling = [m for m in messages if m.topic in TELLING]
        told = any(m.topic == TOPIC for m in telling)
        if told or (telling and min(m.at for m in telling) < self._limit()):
            self.erase()

    def _limit(self) -> int:
        if self._newest is None:
            self._newest = int(self._client.query(_NEWEST).result_rows[0][0])
        return self._newest + _LATE_MS if self._newest > 0 else 0

    def erase(self) -> None:
        """Delete whatever was erased; done again it changes nothing."""
        for statement in _STATEMENTS:
            settings = {"mutations_sync": 2} if statement.startswith("ALTER") else {}
            self._client.command(statement, settings=settings)
        self._newest = None


def receipt(client: Client, org: str, erasure: str, partitions: int) -> dict[str, Any] | None:
    """The receipt of an erasure; None where nothing is known of it yet. `partitions`: how many the agents' log has.

    Its journal's entries are signed: the request's, and one of each partition that had something to erase.
    """
    found = next(iter(client.query(_RECEIPT, parameters={"org": org, "id": erasure}).named_results()))
    entries = list(client.query(_JOURNAL, parameters={"org": org, "id": erasure}).named_results())
    if not found["partitions"] and not entries:
        return None
    at: datetime = found["at"] if found["partitions"] else entries[0]["at"]
    return {
        "id": erasure,
        "org": org,
        "requested_by": found["requested_by"] or None,
        "requested_at": at,
        "done": found["partitions"] >= partitions,
        "erased": {name: found[name] for name in COUNTED},
        "kept": "learnings, with the evidence of other runs",
        "not_reached": not_reached(at),
        "journal": entries,
    }


def not_reached(at: datetime) -> list[dict[str, Any]]:
    """What an erasure at a time does not reach, and until when that is there; None: nobody here can say."""
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return [
        {"what": "messages on the raw topics, as they were sent", "until": at + timedelta(days=7)},
        {"what": "messages on the agents' log and of dead letters", "until": at + timedelta(days=30)},
        {"what": "findings on their topic: kinds and positions, no values", "until": at + timedelta(days=90)},
        {"what": "backups of the store of keys, by which sealed episodes and claims can be read", "until": at + VAULT_BACKUPS},
        {"what": "episodes and claims from before there were keys, on their topics and in backups", "until": None},
        {"what": "outcomes before the last 4,096 of an agent, and runs before its last 4,096: what they lent stays", "until": None},
        {"what": "copies that were taken already", "until": None},
    ]
