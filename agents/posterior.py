"""What outcomes make of a learning's confidence (SPEC 5.4) and evidence status (SPEC 5.5): pure arithmetic, for own and pool alike."""

from dataclasses import dataclass

STRENGTH = 2.0
"""Weight of the prior, in outcomes."""
DECAY = 0.8
"""What is left of both masses when the next outcome comes."""
SEVERITY = {"success": 1.0, "minor_failure": 1.5, "failure": 2.0, "critical_failure": 3.0}
_CLEAN_SUCCESSES = 3
"""Successes without a failure after which a first failure is no surprise."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one wording: a fold over its outcomes, oldest first.

    `prior` and `confidence` are 0 to 1, the masses Es and Ef of SPEC 5.4 at least 0; `successes` and `failures` count outcomes.
    `discredited` is kept because it depends on the way: a failure sets it, only confidence of 0.5 or more clears it.
    """

    prior: float
    confidence: float
    mass_success: float = 0.0
    mass_failure: float = 0.0
    successes: int = 0
    failures: int = 0
    discredited: bool = False

    @property
    def status(self) -> str:
        """untested, validated, contested or discredited (SPEC 5.5)."""
        n = self.successes + self.failures
        if self.discredited:
            return "discredited"
        if not n:
            return "untested"
        if not self.failures:
            return "validated"
        share = (1 + self.mass_success) / (2 + self.mass_success + self.mass_failure)
        if (share >= 0.7 and n >= 2) or (self.successes >= 4 and self.failures <= 1):
            return "validated"
        return "contested"


def confidence(prior: float, mass_success: float, mass_failure: float) -> float:
    """The posterior of SPEC 5.4, 0 to 1."""
    return min(1.0, max(0.0, (STRENGTH * prior + mass_success) / (STRENGTH + mass_success + mass_failure)))


def untested(prior: float) -> Evidence:
    """Evidence before the first outcome; `prior` is the confidence as written, clamped to 0–1."""
    prior = min(1.0, max(0.0, prior))
    return Evidence(prior=prior, confidence=prior)


def weight(evidence: Evidence, result: str, share: float) -> float:
    """w of SPEC 5.4: what one more outcome adds to Es or Ef; `result`, `share` as in `update`."""
    success = result == "success"
    if not success and not evidence.failures and evidence.successes >= _CLEAN_SUCCESSES:
        surprise = 1.0
    else:
        surprise = 1.0 + abs(float(success) - evidence.confidence)
    return SEVERITY[result] * share * surprise


def update(evidence: Evidence, result: str, share: float) -> Evidence:
    """Evidence after one more outcome (SPEC 5.4, 5.5).

    `result` is a key of SEVERITY; `share` is causal_confidence divided by the number of entries the outcome applied, 0 to 1.
    """
    success = result == "success"
    added = weight(evidence, result, share)
    mass_success = evidence.mass_success * DECAY + (added if success else 0.0)
    mass_failure = evidence.mass_failure * DECAY + (0.0 if success else added)
    after = confidence(evidence.prior, mass_success, mass_failure)
    return Evidence(
        prior=evidence.prior,
        confidence=after,
        mass_success=mass_success,
        mass_failure=mass_failure,
        successes=evidence.successes + success,
        failures=evidence.failures + (not success),
        discredited=after < 0.5 and (evidence.discredited or not success),
    )
