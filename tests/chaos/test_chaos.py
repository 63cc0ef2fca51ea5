"""SPEC 5.2: an outcome counts once, whatever happens; `make chaos N=300` does more of the same, from any seed."""

from pathlib import Path

import pytest

from tests.brokers import Missing
from tests.chaos.broker import Unsteady
from tests.chaos.drive import Chaos
from tests.conftest import no_kafka

FAULTS = 25
SEED = 4


@pytest.mark.processes
def test_faults_change_nothing(tmp_path: Path) -> None:
    """SPEC 5.2, 9.3: after each round of faults all reads as a plain recount has it, and each part that went in has its end."""
    try:
        broker = Unsteady("kafka", tmp_path)
    except Missing as missing:
        no_kafka(missing)
    Chaos(SEED, broker, tmp_path / "data", print).run(FAULTS)
