"""A learning's evidence: the posterior (SPEC 5.4) and the counts beside it (SPEC 5.3, 5.7)."""

from dataclasses import dataclass

from agents.posterior import Evidence, confidence, update
from schemas.records import Figures

NOTHING = Figures(
    mass_success=0.0,
    mass_failure=0.0,
    applied=0,
    helpful=0,
    success_count=0,
    failure_count=0,
    verified=0,
    independent=0,
    discredited=False,
)


@dataclass(frozen=True, slots=True)
class Application:
    """One application of a wording: what its outcome says of it. `entries`: how many entries the outcome applied, at least 1."""

    result: str
    causal_confidence: float
    entries: int
    helpful: str
    verified: bool
    independent: bool

    @property
    def share(self) -> float:
        """Its share of the outcome's weight (SPEC 5.4), 0 to 1."""
        return self.causal_confidence / self.entries


def posterior(prior: float, figures: Figures) -> Evidence:
    """The figures as the posterior knows them; `prior`: confidence as written, 0 to 1."""
    return Evidence(
        prior=prior,
        confidence=confidence(prior, figures.mass_success, figures.mass_failure),
        mass_success=figures.mass_success,
        mass_failure=figures.mass_failure,
        successes=figures.success_count,
        failures=figures.failure_count,
        discredited=figures.discredited,
    )


def count(prior: float, figures: Figures, application: Application) -> Figures:
    """The figures after one more application."""
    after = update(posterior(prior, figures), application.result, application.share)
    return Figures(
        mass_success=after.mass_success,
        mass_failure=after.mass_failure,
        applied=figures.applied + 1,
        helpful=figures.helpful + (application.helpful == "yes"),
        success_count=after.successes,
        failure_count=after.failures,
        verified=figures.verified + application.verified,
        independent=figures.independent + application.independent,
        discredited=after.discredited,
    )


def trust(figures: Figures) -> str:
    """agent_verified once anyone verified an outcome that counted, else recorded; the higher rungs are a pool's (SPEC 5.7)."""
    return "agent_verified" if figures.verified else "recorded"
