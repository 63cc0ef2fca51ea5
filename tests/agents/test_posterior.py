"""SPEC 5.4, 5.5: confidence and evidence status."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.posterior import SEVERITY, Evidence, untested, update

RESULTS = {"S": "success", "m": "minor_failure", "F": "failure", "C": "critical_failure"}


def fold(prior: float, results: str, share: float = 1.0) -> list[Evidence]:
    out = [untested(prior)]
    for letter in results:
        out.append(update(out[-1], RESULTS[letter], share))
    return out


@pytest.mark.parametrize(
    ("prior", "results", "pinned"),
    [
        (0.7, "SSSSFF", [0.8182, 0.8579, 0.8780, 0.8901, 0.6157, 0.3995]),
        (0.7, "F", [0.2593]),
        (1.0, "F", [0.3333]),
        (1.0, "C", [0.2500]),
        (0.7, "SSSSSSSSSSFFF", [0.9136, 0.6731, 0.4514, 0.3451]),
        (1.0, "SSSSSSSSSSFFF", [1.0, 0.7358, 0.4892, 0.3785]),
    ],
)
def test_pinned_figures(prior: float, results: str, pinned: list[float]) -> None:
    """SPEC 5.4, the last figures of each history."""
    assert [round(e.confidence, 4) for e in fold(prior, results)[-len(pinned) :]] == pinned


@pytest.mark.parametrize(
    ("prior", "results", "status"),
    [
        (1.0, "", "untested"),
        (0.2, "S", "validated"),  # below 0.5, but no failure put it there
        (1.0, "FSSS", "contested"),
        (1.0, "SSSSSSSSF", "validated"),
        (1.0, "F", "discredited"),
        (0.7, "SSSSFF", "discredited"),
        (0.7, "SSSSF", "validated"),  # four successes, one failure
        (1.0, "SSm", "contested"),  # 0.534, by two successes only
        (1.0, "FSS", "contested"),  # cleared at 0.5
        (0.3, "FS", "discredited"),  # a success below 0.5 does not clear it
    ],
)
def test_status(prior: float, results: str, status: str) -> None:
    """SPEC 5.5."""
    assert fold(prior, results)[-1].status == status


def test_a_share_weakens_an_outcome() -> None:
    """SPEC 5.4: causal confidence divided by the number of entries applied."""
    assert fold(0.7, "F", 0.25)[-1].confidence == pytest.approx(1.4 / (2 + 2 * 0.25 * 1.7))


@given(
    prior=st.floats(0, 1),
    history=st.lists(st.tuples(st.sampled_from(sorted(SEVERITY)), st.floats(0, 1)), max_size=60),
)
def test_confidence_stays_a_probability(prior: float, history: list[tuple[str, float]]) -> None:
    """SPEC 5.4: clamped to 0–1."""
    evidence = untested(prior)
    for result, share in history:
        evidence = update(evidence, result, share)
        assert 0.0 <= evidence.confidence <= 1.0
        assert evidence.mass_success >= 0.0 and evidence.mass_failure >= 0.0
    assert evidence.successes + evidence.failures == len(history)
