"""Episodes and claims with their private texts sealed, and opened again (SPEC 8.3; vault.py)."""

import json
from dataclasses import replace

from schemas.records import Claim, Episode
from schemas.vault import Vault, of_claims, of_episode


def seal_episode(vault: Vault, episode: Episode) -> Episode:
    """An episode without what was said in its steps and its environment, which stand sealed in it."""
    texts = [[step.input, step.output] for step in episode.steps]
    plain = json.dumps([texts, dict(episode.environment)], separators=(",", ":"))
    name = of_episode(episode.org, episode.agent, episode.run_id)
    return replace(
        episode,
        steps=tuple(replace(step, input=None, output=None) for step in episode.steps),
        environment={},
        sealed=vault.seal(name, episode.run_id, plain, episode.org, episode.entities, _ms(episode)),
    )


def open_episode(vault: Vault, episode: Episode) -> Episode | None:
    """An episode with its texts; None where its key was destroyed."""
    if not episode.sealed:
        return episode
    plain = vault.open(of_episode(episode.org, episode.agent, episode.run_id), episode.run_id, episode.sealed)
    if plain is None:
        return None
    texts, environment = json.loads(plain)
    steps = tuple(replace(step, input=told[0], output=told[1]) for step, told in zip(episode.steps, texts, strict=True))
    return replace(episode, steps=steps, environment=environment, sealed="")


def seal_claim(vault: Vault, claim: Claim) -> Claim:
    """A claim of which entity, key and value stand sealed in it."""
    plain = json.dumps([claim.entity, claim.key, claim.value], separators=(",", ":"))
    name = of_claims(claim.org, claim.agent, claim.entity_id)
    sealed = vault.seal(name, claim.claim_id, plain, claim.org, (claim.entity_id,), _ms(claim))
    return replace(claim, entity="", key="", value=None, sealed=sealed)


def open_claim(vault: Vault, claim: Claim) -> Claim | None:
    """A claim as it was made; None where its key was destroyed."""
    if not claim.sealed:
        return claim
    plain = vault.open(of_claims(claim.org, claim.agent, claim.entity_id), claim.claim_id, claim.sealed)
    if plain is None:
        return None
    entity, key, value = json.loads(plain)
    return replace(claim, entity=entity, key=key, value=value, sealed="")


def _ms(record: Episode | Claim) -> int:
    return round(record.received_at.timestamp() * 1000)
