"""Which runs and claims tell of which entity, by keyed hashes: so that it can be erased (SPEC 8.3)."""

from dataclasses import replace

from agents.aggregate import keys
from agents.aggregate.kept import WINDOW
from agents.aggregate.turn import Turn
from schemas.records import Claim, ErasedRuns, Met, MetBy, RunSeen

ERASED = "entity_erased"


def meet(turn: Turn, run: RunSeen, run_hash: bytes) -> set[bytes]:
    """Note what a run met. Those of the entities that were erased after the run was sent: an erasure may overtake it."""
    claims: dict[bytes, list[bytes]] = {}
    for claim in run.claims:
        if claim.entity_id:
            claims.setdefault(bytes.fromhex(claim.entity_id), []).append(bytes.fromhex(claim.claim_id))
    entities = {bytes.fromhex(entity) for entity in run.episode.entities} | set(claims)
    known = {entity: turn.view.get(MetBy, keys.met_by(turn.org, entity)) or MetBy() for entity in sorted(entities)}
    gone = {entity for entity, by in known.items() if by.erased_at is not None and run.received_at <= by.erased_at}
    if gone:
        note_erased(turn, [run_hash])
    for entity, by in known.items():
        if entity not in gone:
            _note(turn, entity, by, claims.get(entity, []), episode=not gone)
    return gone


def overtaken(turn: Turn, claim: Claim) -> bool:
    """Whether a claim outside of a run is about what was erased after it was sent; where not, it is noted."""
    entity = bytes.fromhex(claim.entity_id)
    by = turn.view.get(MetBy, keys.met_by(turn.org, entity)) or MetBy()
    if by.erased_at is not None and claim.received_at <= by.erased_at:
        return True
    _note(turn, entity, by, [bytes.fromhex(claim.claim_id)], episode=False)
    return False


def take_claim(turn: Turn, claim: Claim, part: int, *, gone: bool) -> None:
    """Send a claim, or refuse it where what it is about is gone."""
    if not gone:
        turn.send("claims", f"{claim.org}/{claim.agent}/{claim.claim_id}", claim, turn.log)
    turn.receipt(f"claim:{part}", "refused" if gone else "stored", ERASED if gone else None)


def _note(turn: Turn, entity: bytes, by: MetBy, claims: list[bytes], *, episode: bool) -> None:
    if turn.agent not in by.agents:
        turn.view.put(keys.met_by(turn.org, entity), replace(by, agents=(*by.agents, turn.agent)))
    key = keys.met(turn.org, turn.agent, entity)
    met = turn.view.get(Met, key) or Met(episodes=0)
    more = tuple(claim for claim in dict.fromkeys(claims) if claim not in met.claims)
    turn.view.put(key, Met(episodes=met.episodes + episode, claims=(*met.claims, *more)))


def erased_runs(turn: Turn) -> frozenset[bytes]:
    """Hashes of the ids of the event's agent's runs whose episodes were erased."""
    found = turn.view.get(ErasedRuns, keys.erased_runs(turn.org, turn.agent))
    return frozenset(found.runs) if found else frozenset()


def note_erased(turn: Turn, runs: list[bytes]) -> None:
    """Know that the episodes of some runs went."""
    key = keys.erased_runs(turn.org, turn.agent)
    found = turn.view.get(ErasedRuns, key) or ErasedRuns()
    turn.view.put(key, ErasedRuns(runs=tuple(dict.fromkeys((*found.runs, *runs)))[-WINDOW:]))
