"""Recall (SPEC 7): what an agent may be shown of its own and of its pools, best first. Filters come before ranks."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from clickhouse_connect.driver.client import Client

from schemas.decay import decayed, half_life
from schemas.ids import Ids, agent_log, ids_of
from schemas.partition import log_hash
from schemas.records import ExposedRecall, ExposedRow, Exposure
from schemas.vault import Vault
from sinks import briefing, caller, claims, meaning, poolrows, postings
from sinks.ask import Answer, Ask, Brief
from sinks.caller import Caller
from sinks.frequencies import Frequencies
from sinks.meaning import Model
from sinks.poolrows import SHOWN
from sinks.ranking import Match
from sinks.recent import Recent
from sinks.relevance import Question

FIRST_LOOK = 30
"""Best matches that are looked up at once; more, where too few of them may be shown."""

MOST_OF_POOLS = 200
"""Rows of pools that a briefing chooses from."""

_FOUND = "{subjects:Array(String)}"
_SETTINGS = "SETTINGS max_threads = 1, use_query_condition_cache = 0"  # a few rows: threads and caches cost more than they save
_SUBJECTS = f"""SELECT DISTINCT subject FROM wordings
WHERE org = {{org:String}} AND audience IN {{audiences:Array(String)}} AND id IN {{ids:Array(UInt64)}} {_SETTINGS}"""
_NEWEST = "ORDER BY revision DESC LIMIT 1 BY"
"""The newest of what is looked up by key: for few rows less work than FINAL."""
_NOW = f"""SELECT l.learning_id AS subject, l.* EXCEPT (learning_id, tier, recall_count, revision, visibility, ttl_at),
    if(c.revision > l.revision, c.tier, l.tier) AS tier, greatest(c.recall_count, l.recall_count) AS recall_count
FROM (
    SELECT learning_id, revision, {SHOWN}, entry_key, work_area, value_bindings, is_artifact, tier, recall_count, visibility, ttl_at,
        environment
    FROM learnings WHERE org = {{org:String}} AND agent = {{agent:String}} %s {_NEWEST} learning_id
) AS l
LEFT JOIN (
    SELECT learning_id, revision, tier, recall_count FROM counters
    WHERE org = {{org:String}} AND agent = {{agent:String}} %s {_NEWEST} learning_id
) AS c ON c.learning_id = l.learning_id
WHERE l.visibility = 'shown' AND NOT ifNull(l.ttl_at <= now64(3, 'UTC'), false)"""
_THESE = f"AND learning_id IN {_FOUND}"
# The owner recalls its own whatever its privacy, which decides crossing alone (SPEC 2.7).
_OWN = f"{_NOW % (_THESE, _THESE)} AND l.state IN ('active', 'held', 'superseded') AND tier <= {{depth:UInt8}} {_SETTINGS}"
_OWN_BRIEF = f"{_NOW % ('', '')} AND l.state = 'active' AND (tier = 1 OR memory_type = 'procedure') {_SETTINGS}"
_POOL_ROWS = "org = {org:String} AND space IN {spaces:Array(String)}"
_NOT_ITS_OWN = """crossing = 'promoted' AND state = 'active' AND visibility = 'shown' AND shared_id NOT IN (
    SELECT shared_id FROM pool_members FINAL
    WHERE org = {org:String} AND member = {member:String} AND role IN ('donor', 'corroborator'))"""
_INSTRUCTIONS = f"SELECT DISTINCT shared_id FROM pool WHERE {_POOL_ROWS} AND kind = 'instruction' {_SETTINGS}"
_IN_FORCE = f"""SELECT shared_id AS subject, {SHOWN} FROM (
    SELECT shared_id, crossing, visibility, applies_to, {SHOWN} FROM pool
    WHERE {_POOL_ROWS} AND shared_id IN {{instructions:Array(String)}} {_NEWEST} shared_id
)
WHERE kind = 'instruction' AND {_NOT_ITS_OWN}
  AND (applies_to = '' OR applies_to = {{area:String}} OR startsWith({{area:String}}, concat(applies_to, '/')))
ORDER BY applies_to, shared_id {_SETTINGS}"""
_POOL_BRIEF = f"""SELECT shared_id AS subject, environment, {SHOWN} FROM pool FINAL
WHERE {_POOL_ROWS} AND kind != 'instruction' AND {_NOT_ITS_OWN}
ORDER BY memory_type = 'procedure' DESC, validators DESC, confidence DESC, shared_id LIMIT {{most:UInt32}} {_SETTINGS}"""


class Recall:
    """Answers questions, and counts the exposures of one process. `half_life_days`: of confidence (SPEC 5.6); None: no decay; `model`: for
    recall by meaning (SPEC 7.6); `vault`: has the keys of claims, that bindings resolve against (SPEC 8.1)."""

    def __init__(
        self, client: Client, secret: bytes, half_life_days: float | None = None, model: Model | None = None, vault: Vault | None = None
    ) -> None:
        self._client = client
        self._vault = vault
        self._model = model
        self._frequencies = Frequencies(client)
        self._callers: Recent[Caller | None] = Recent()
        self._instructions: Recent[list[str]] = Recent()
        self._brought: Recent[frozenset[str]] = Recent()
        self._half_life_days = half_life_days
        self._secret = secret
        self._process = uuid.uuid4().hex
        self._sequences: dict[tuple[str, str], int] = {}

    def answer(self, ask: Ask) -> Answer:
        """What the caller may read that matches, with instructions in force first. Nobody known: nothing (SPEC 7.1)."""
        who = self._callers.get((ask.org, ask.agent), lambda: caller.find(self._client, ask.org, ask.agent))
        if who is None:
            self._callers.forget((ask.org, ask.agent))  # who is not known yet may be a moment later
            return Answer([], None)
        look = self._look(who, ask)
        return self._answer(ask, [*look.instructions(), *look.ranked()])

    def brief(self, ask: Ask, environment: Mapping[str, str], budget: int) -> Brief:
        """What the caller should know before it begins (SPEC 7.9); `ask.text` counts for nothing, `budget` is in tokens."""
        who = self._callers.get((ask.org, ask.agent), lambda: caller.find(self._client, ask.org, ask.agent))
        if who is None:
            self._callers.forget((ask.org, ask.agent))
            return Brief(Answer([], None), 0, 0)
        look = self._look(who, ask)
        chosen = briefing.choose(look.instructions(), look.brief(), environment, budget, _now())
        answer = self._answer(ask, [part.match for part in chosen.parts])
        for row, part in zip(answer.rows, chosen.parts, strict=True):
            row["section"], row["why"], row["score"] = part.section, part.why, None
        return Brief(answer, chosen.tokens, chosen.left_out)

    def _look(self, who: Caller, ask: Ask) -> "_Look":
        ids = ids_of(self._secret, ask.org)
        return _Look(self._client, self._frequencies, self._instructions, self._brought, self._model, ids, who, ask, self._half_life_days)

    def _answer(self, ask: Ask, matches: Sequence[Match]) -> Answer:
        """The rows, and the exposure that they leave."""
        ids, recall_id, at = ids_of(self._secret, ask.org), str(uuid.uuid4()), _now()
        refs = [_ref(match, ask, ids) for match in matches]
        rows = [{"recall_id": recall_id, **m.shown(ask.text, ask.area, ref, at)} for m, ref in zip(matches, refs, strict=True)]
        self._bind(ask, matches, rows)
        shown = zip(matches, refs, strict=True)
        exposed = tuple(ExposedRow(ref=ref, own=m.own, subject=m.subject, rank=rank) for rank, (m, ref) in enumerate(shown, 1))
        sequence = self._sequences.get((ask.org, ask.agent), 0)
        self._sequences[ask.org, ask.agent] = sequence + 1
        told = ExposedRecall(recall_id=recall_id, at=at, scope=ask.scope, rows=exposed)
        return Answer(rows, Exposure(org=ask.org, agent=ask.agent, process=self._process, sequence=sequence, recalls=(told,)))

    def _bind(self, ask: Ask, matches: Sequence[Match], rows: Sequence[dict[str, Any]]) -> None:
        """Say what the caller's own claims hold under the keys that its own learnings are bound to; pools' have no bindings (SPEC 6.1)."""
        names = {match.subject: list(match.row["value_bindings"]) for match in matches if match.own and match.row.get("value_bindings")}
        if not names:
            return
        found = claims.bound(self._client, self._vault, ask.org, ask.agent, {name for those in names.values() for name in those})
        for match, row in zip(matches, rows, strict=True):
            if match.own and match.subject in names:
                row["bindings"] = {name: found[name] for name in names[match.subject]}


class _Look:
    """One question's way through the tables."""

    def __init__(
        self,
        client: Client,
        frequencies: Frequencies,
        instructions: Recent[list[str]],
        brought: Recent[frozenset[str]],
        model: Model | None,
        ids: Ids,
        who: Caller,
        ask: Ask,
        half_life_days: float | None,
    ) -> None:
        self._client = client
        self._frequencies = frequencies
        self._written, self._brought = instructions, brought
        self._model = model
        self._near: dict[int, float] = {}
        self._half_life_days = half_life_days
        self._ask = ask
        self._now = _now()
        viewable = who.pools if ask.scope in ("org", "every") else [ask.space] if ask.scope == "space" and ask.space in who.pools else []
        self._own = ask.scope in ("own", "every", "walk", "area")
        self._pools = viewable
        self._given: dict[str, Any] = {
            "org": ask.org,
            "agent": ask.agent,
            # Of a pool, areas are known only through `applies_to`: a walk meets its instructions and nothing else.
            "spaces": who.pools if ask.scope == "walk" else viewable,
            "member": ids.agent(ask.agent),
            "depth": ask.depth,
            "area": ask.area or "",
        }

    def instructions(self) -> list[Match]:
        """Instructions in force, from the caller's area and every one above, unranked (SPEC 7.4)."""
        spaces: list[str] = self._given["spaces"]
        # Which there ever were; whether one is in force is asked each time.
        if not spaces:
            return []
        found = self._written.get((self._ask.org, *spaces), lambda: [row["shared_id"] for row in self._rows(_INSTRUCTIONS, {})])
        if not found:
            return []
        rows = self._rows(_IN_FORCE, {"instructions": found})
        return [self._match(row, own=False) for row in rows]

    def brief(self) -> list[Match]:
        """The agent's own procedures and hot learnings, and the best of its pools."""
        own = [self._match(row, own=True) for row in self._rows(_OWN_BRIEF, {})]
        if not self._given["spaces"]:
            return own
        return own + [self._match(row, own=False) for row in self._rows(_POOL_BRIEF, {"most": MOST_OF_POOLS})]

    def ranked(self) -> list[Match]:
        """The best matches, in SPEC 7.3's order."""
        own, pools = [postings.own(self._ask.agent)] * self._own, [postings.pool(space) for space in self._pools]
        question = Question(self._client, self._ask.org, own + pools, self._ask.text, self._frequencies)
        everything = self._ask.scope in ("walk", "area")  # these are told by area, whatever ranks before
        first = FIRST_LOOK if self._model is None else meaning.BEST
        most, whole = max(first, 3 * self._ask.limit), not question.large
        while True:
            relevance = self._meant(question.best(most, whole=whole))
            mine, theirs = [a for a in own if a in question.met], [a for a in pools if a in question.met]
            found = self._of_area([*self._of_its_own(mine, relevance), *self._of_pools(theirs, relevance)])
            enough = len(found) >= self._ask.limit and not everything
            if enough or (whole and len(relevance) < most):
                return sorted(found, key=lambda m: m.order(self._now))[: self._ask.limit]
            if len(relevance) < most:
                whole = True
            else:
                most *= 10

    def _meant(self, relevance: dict[int, float]) -> dict[int, float]:
        """The best by words, ranked by meaning too where there is a model."""
        if self._model is None or not relevance:
            return relevance
        first = list(relevance)[: meaning.BEST]
        self._near = meaning.nearness(self._client, self._model, self._ask.org, self._ask.text, first)
        return meaning.fused(relevance, self._near)

    def _of_its_own(self, audiences: list[str], relevance: Mapping[int, float]) -> list[Match]:
        if not audiences or not relevance:
            return []
        # Asked for apart: a list of keys is looked up in half the time that a subquery takes.
        subjects = [row["subject"] for row in self._rows(_SUBJECTS, {"audiences": audiences, "ids": list(relevance)})]
        found = [self._match(row, own=True) for row in self._rows(_OWN, {"subjects": subjects})]
        for match in found:
            # A learning's old wordings keep their postings; only the one in force counts.
            key = postings.posting_id(match.subject, match.wording)
            match.relevance, match.near = relevance.get(key, 0.0), self._near.get(key)
        return [match for match in found if match.relevance > 0]

    def _of_pools(self, audiences: list[str], relevance: Mapping[int, float]) -> list[Match]:
        if not audiences or not relevance:
            return []
        brought = self._brought.get((self._ask.org, self._ask.agent), lambda: poolrows.brought(self._client, self._given))
        found = []
        for key, row in poolrows.read(self._client, self._given, list(relevance)):
            if row["kind"] == "instruction" or row["subject"] in brought:
                continue
            match = self._match(row, own=False)
            match.relevance, match.near = relevance[key], self._near.get(key)
            found.append(match)
        return found

    def _match(self, row: dict[str, Any], *, own: bool) -> Match:
        """A row with its confidence as it reads now; a pool's decays as what nobody recalled (SPEC 5.6, 7.8)."""
        if self._half_life_days is not None:
            recalls, outcomes = row["recall_count"] if own else 0, row["success_count"] + row["failure_count"]
            half = half_life(self._half_life_days, row["memory_type"], recalls, outcomes)
            row["confidence"] = decayed(row["confidence"], (self._now - row["at"]) / timedelta(days=1), half)
        return Match(row, own=own)

    def _of_area(self, found: list[Match]) -> list[Match]:
        if self._ask.scope == "area":
            return [m for m in found if m.area == self._ask.area]
        if self._ask.scope == "walk":
            # The nearest area that answers, alone.
            nearest = min((level for m in found if (level := m.levels_up(self._ask.area)) is not None), default=None)
            return [m for m in found if nearest is not None and m.levels_up(self._ask.area) == nearest]
        return found

    def _rows(self, sql: str, given: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
        return list(self._client.query(sql, parameters={**self._given, **given}).named_results())


def _ref(match: Match, ask: Ask, ids: Ids) -> str:
    log = agent_log(ask.org, ask.agent) if match.own else log_hash(ask.org, match.row["space"])
    return ids.ref(own=match.own, log=log, subject=match.subject, wording=match.wording)


def _now() -> datetime:
    at = datetime.now(UTC)
    return at.replace(microsecond=at.microsecond // 1000 * 1000)
